package dev.mandate.internal;

import dev.mandate.Explanation;
import dev.mandate.Guarantee;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** An explanation; see there for the components. */
record ComputedExplanation(
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
        List<String> assumptions)
        implements Explanation {
    ComputedExplanation {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        assumptions = List.copyOf(assumptions);
    }

    @Override
    public String inWords() {
        StringBuilder text = new StringBuilder();
        line(text, "Store", store + ", guarantee " + guarantee);
        line(
                text,
                "Lease",
                seconds(lease) + "; a leader stops " + seconds(believedFor)
                        + " after it sent its last confirmed renewal");
        line(text, "Take-over", "at most " + seconds(failoverAtMost) + " after a leader crashes");
        line(text, "Recovery", "at most " + seconds(recoveryAtMost) + " after the store or the network recovers");
        line(text, "Overlap", "none; after a forced eviction at most " + seconds(overlapAtMost));
        line(text, "Drain", "work has " + seconds(drainBudget) + " to stop");
        line(
                text,
                "Cold start",
                coldStartWait.isZero()
                        ? "a new client takes a vacant election at once"
                        : "a new client takes a vacant election at once, but waits " + seconds(coldStartWait)
                                + " before it replaces a holder it never saw alive");
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
                : millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.2f s", millis / 1000.0);
    }
}
