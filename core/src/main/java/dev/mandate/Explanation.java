package dev.mandate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The bounds that follow from a client's settings and its store.
 *
 * @param store how the store is called, with its address, without secrets
 * @param guarantee how much leadership is worth here
 * @param settings every setting in force, by its name
 * @param lease L
 * @param believedFor how long a term is believed after the send of its last confirmed renewal
 * @param failoverAtMost from the crash of a leader to the next, while the store answers in time and a candidate stands
 * @param recoveryAtMost from the end of any fault to a leader, in addition to what cool-downs and slow retries demand
 * @param overlapAtMost how long two may lead after a <em>forced</em> eviction; nothing else is allowed any overlap
 * @param drainBudget how long work may take to stop
 * @param coldStartWait how long a newcomer waits before it takes over from a holder it never saw alive
 * @param first who tries first where there is an order, the store's or {@link Order#ARRIVAL}: "the last named member
 *     that stands"; empty where all who may take a vacancy race for it
 * @param turnAtMost how long the others wait for their turn at most, even if the order breaks; {@code failoverAtMost}
 *     and {@code recoveryAtMost} include it
 * @param assumptions what must be true of the store and the clocks
 */
public record Explanation(
        String store,
        Guarantee guarantee,
        Map<String, String> settings,
        Duration lease,
        Duration believedFor,
        Duration failoverAtMost,
        Duration recoveryAtMost,
        Duration overlapAtMost,
        Duration drainBudget,
        Duration coldStartWait,
        String first,
        Duration turnAtMost,
        List<String> assumptions) {
    public Explanation {
        settings = Map.copyOf(settings);
        assumptions = List.copyOf(assumptions);
    }

    /** All of it in words, several lines. */
    public String inWords() {
        StringBuilder text = new StringBuilder();
        line(text, "Store", store + ", guarantee " + guarantee);
        line(
                text,
                "Lease",
                seconds(lease) + "; a leader believes for " + seconds(believedFor)
                        + " after its last confirmed renewal was sent");
        line(text, "Take-over", "at most " + seconds(failoverAtMost) + " after a leader crashed");
        line(
                text,
                "Recovery",
                "at most " + seconds(recoveryAtMost) + " after a fault of the store or the network ended");
        line(text, "Overlap", "none; after a forced eviction at most " + seconds(overlapAtMost));
        line(text, "Drain", "work has " + seconds(drainBudget) + " to stop");
        line(
                text,
                "Cold start",
                coldStartWait.isZero()
                        ? "a newcomer takes a free election at once"
                        : "a newcomer takes a vacant election at once, and waits " + seconds(coldStartWait)
                                + " for a holder it never saw alive");
        if (!first.isEmpty()) {
            line(
                    text,
                    "Order",
                    first + " tries first; others wait at most " + seconds(turnAtMost)
                            + ", which Take-over and Recovery include");
        }
        assumptions.forEach(a -> line(text, "Assumes", a));
        return text.toString();
    }

    private static void line(StringBuilder text, String label, String words) {
        text.append(String.format("%-12s", label + ":")).append(words).append(System.lineSeparator());
    }

    private static String seconds(Duration d) {
        long millis = d.toMillis();
        return millis % 1000 == 0
                ? millis / 1000 + " s"
                : millis < 1000 ? millis + " ms" : String.format(java.util.Locale.ROOT, "%.2f s", millis / 1000.0);
    }
}
