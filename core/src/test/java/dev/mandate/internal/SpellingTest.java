package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which word is suggested for one that nobody knows. */
class SpellingTest {
    private static final List<String> KNOWN = List.of("poll", "roll", "candidate", "coolDown", "url", "tz", "startup");

    @ParameterizedTest
    @CsvSource({
        "Candidate, candidate",
        "cool-down, coolDown",
        "cool_down, coolDown",
        "COOLDOWN, coolDown",
        "kandidat, candidate",
        "candidates, candidate",
        "acndidate, candidate",
        "l, url",
        "upstart, none",
        "kandidad, none",
        "rtup, none",
        "x, none",
        "ab, none",
    })
    void twoSlipsAreForgiven(String written, String meant) {
        assertThat(Spelling.suggestion(written, KNOWN))
                .isEqualTo(meant.equals("none") ? "" : "; did you mean '" + meant + "'?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"oll", "boll"})
    void theFirstOfTheNearestIsTaken(String written) {
        assertThat(Spelling.suggestion(written, KNOWN)).contains("'poll'");
        assertThat(Spelling.suggestion(written, List.of("roll", "poll"))).contains("'roll'");
    }

    /** The suggestion takes time and room by the product of both lengths. */
    @ParameterizedTest
    @CsvSource({"64, true", "65, false"})
    void longWordsAreNotCompared(int letters, boolean isSuggested) {
        String written = "a".repeat(letters);

        assertThat(Spelling.suggestion(written, List.of(written)).isEmpty()).isNotEqualTo(isSuggested);
    }
}
