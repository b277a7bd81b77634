package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Explanation;
import dev.mandate.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The computed bounds, in words. */
@Isolated("it sets the default locale")
class ExplanationTest {

    private static Explanation explanation(Duration coldStart, List<String> assumptions) {
        return new ComputedExplanation(
                "SQLite at sqlite:/var/lib/mandate.db",
                Guarantee.FENCED,
                Map.of("lease", "10s"),
                Duration.ofSeconds(10),
                Duration.ofMillis(7_324),
                Duration.ofMillis(13_200),
                Duration.ofMinutes(2),
                Duration.ofMillis(60_667),
                Duration.ofMillis(500),
                coldStart,
                "",
                Duration.ZERO,
                assumptions);
    }

    @Test
    void allOfItInWords() {
        Explanation explanation =
                explanation(Duration.ofSeconds(10), List.of("clocks differ by less than 10 %", "a local disk"));

        assertThat(explanation.inWords().lines())
                .containsExactly(
                        "Store:      SQLite at sqlite:/var/lib/mandate.db, guarantee FENCED",
                        "Lease:      10 s; a leader stops 7.32 s after it sent its last confirmed renewal",
                        "Take-over:  at most 13.20 s after a leader crashes",
                        "Recovery:   at most 120 s after the store or the network recovers",
                        "Overlap:    none; after a forced eviction at most 60.67 s",
                        "Drain:      work has 500 ms to stop",
                        "Cold start: a new client takes a vacant election at once, but waits 10 s before it replaces a holder it never saw alive",
                        "Assumes:    clocks differ by less than 10 %",
                        "Assumes:    a local disk");
    }

    @Test
    void withoutAColdStartANewClientTakesAVacantElectionAtOnce() {
        assertThat(explanation(Duration.ZERO, List.of()).inWords())
                .contains("a new client takes a vacant election at once")
                .doesNotContain("Assumes");
    }

    /** Figures are written in one way everywhere. */
    @Test
    void figuresDoNotDependOnTheLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));

            assertThat(explanation(Duration.ZERO, List.of()).inWords()).contains("7.32 s", "13.20 s");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void itsCollectionsAreCopied() {
        Map<String, String> settings = new HashMap<>(Map.of("lease", "10s"));
        List<String> assumptions = new ArrayList<>(List.of("clocks"));
        Explanation explanation = new ComputedExplanation(
                "store",
                Guarantee.LEASED,
                settings,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                "",
                Duration.ZERO,
                assumptions);

        settings.clear();
        assumptions.clear();

        assertThat(explanation.settings()).containsOnlyKeys("lease");
        assertThat(explanation.assumptions()).containsExactly("clocks");
    }
}
