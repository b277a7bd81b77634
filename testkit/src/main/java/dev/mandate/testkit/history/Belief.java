package dev.mandate.testkit.history;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A span in which one process certainly believed one term. Validity never comes back, so it was true between any two
 * times at which it was found true.
 *
 * @param life which life of which process
 * @param token the term
 * @param from when it was first found true
 * @param to when it was last found true
 */
record Belief(String life, long token, long from, long to) {

    /** All of them, ordered by their beginning. */
    static List<Belief> of(List<Event> events) {
        Map<String, Span> spans = new LinkedHashMap<>();
        @Nullable Span last = null;
        for (Event event : events) {
            boolean begins = event.kind() == EventKind.BEGAN;
            if (!begins && event.kind() != EventKind.BELIEVED) {
                continue;
            }
            // Usually the same one goes on.
            if (last == null || !last.isOf(event)) {
                String term = event.life() + "/" + event.number();
                last = begins ? spans.computeIfAbsent(term, t -> new Span(event)) : spans.get(term);
            }
            if (last != null && !begins) {
                last.to = event.nanos();
            }
        }
        return spans.values().stream().map(Span::belief).toList();
    }

    /** A belief that can still grow. */
    private static final class Span {
        private final Event began;
        private long to;

        Span(Event began) {
            this.began = began;
            this.to = began.nanos();
        }

        boolean isOf(Event event) {
            return event.number() == began.number()
                    && event.incarnation() == began.incarnation()
                    && event.node().equals(began.node());
        }

        Belief belief() {
            return new Belief(began.life(), began.number(), began.nanos(), to);
        }
    }
}
