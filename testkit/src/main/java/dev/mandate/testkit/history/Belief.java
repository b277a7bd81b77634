package dev.mandate.testkit.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A span in which one process certainly believed one term: validity never comes back, so it was true between two times at which it was.
 *
 * @param life which life of which process
 * @param token the term
 * @param from when it was first asked and true
 * @param to when it was last asked and true
 */
record Belief(String life, long token, long from, long to) {

    /** All of them, in the order in which they began. */
    static List<Belief> of(List<Event> events) {
        Map<String, Belief> beliefs = new LinkedHashMap<>();
        for (Event event : events) {
            String term = event.life() + "/" + event.number();
            if (event.kind() == EventKind.BEGAN) {
                beliefs.putIfAbsent(term, new Belief(event.life(), event.number(), event.nanos(), event.nanos()));
            } else if (event.kind() == EventKind.BELIEVED) {
                beliefs.computeIfPresent(term, (t, b) -> new Belief(b.life, b.token, b.from, event.nanos()));
            }
        }
        return new ArrayList<>(beliefs.values());
    }
}
