package dev.mandate;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The bounds that follow from a client's settings and its store.
 *
 * @param store the store's name and address, without secrets
 * @param guarantee how much leadership is worth here
 * @param settings all settings in force, by name, the common ones first
 * @param lease L
 * @param believedFor how long a leader believes after it sent its last confirmed renewal
 * @param failoverAtMost from the crash of a leader to the next one, while the store answers in time and a
 *     candidate campaigns
 * @param recoveryAtMost from the end of any fault to a leader, not counting cool-downs and slow retries
 * @param overlapAtMost how long two may lead after a <em>forced</em> eviction; nothing else may cause an overlap
 * @param drainBudget how long work may take to stop
 * @param coldStartWait how long a newcomer waits before it takes over from a holder it never saw alive
 * @param first who tries first where the store or {@link Order#ARRIVAL} sets an order, in words; empty where
 *     all candidates race
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
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        assumptions = List.copyOf(assumptions);
    }

    /** All of it in words, on several lines. */
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
