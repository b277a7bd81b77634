package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The check of the trials with files finds what it is there for, and shows what the processes said around it. */
class FileLogTest {
    private final FileLog log = new FileLog();

    @Test
    void oneProcessAfterTheOtherIsRight() {
        log.add("0.1", List.of("1 leads true", "2 begin a", "3 done a", "4 leads false"), false, false);
        log.add("1.1", List.of("5 leads true", "6 begin b", "7 done b"), false, false);

        assertThatCode(() -> log.check(Set.of("a", "b"))).doesNotThrowAnyException();
        assertThat(log.redone()).isZero();
        assertThat(log.nanosAfter("0.1")).isEqualTo(3);
    }

    @Test
    void aFileThatNobodyConsumedIsFound() {
        log.add("0.1", List.of("2 begin a", "3 done a"), false, false);

        assertThatThrownBy(() -> log.check(Set.of("a", "b")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("files consumed");
    }

    @Test
    void aFileThatNobodyFinishedIsFound() {
        log.add("0.1", List.of("2 begin a"), true, false);

        assertThatThrownBy(() -> log.check(Set.of("a"))).hasMessageContaining("0.1: 2 begin a");
    }

    @Test
    void aFileConsumedTwiceIsFoundWithWhatEachProcessSaidAroundIt() {
        log.add(
                "0.1",
                List.of(
                        "1 leads true",
                        "2 begin far",
                        "3 done far",
                        "4 begin b",
                        "5 done b",
                        "6 begin c",
                        "7 done c",
                        "8 begin twice",
                        "9 done twice"),
                false,
                false);
        log.add("1.1", List.of("10 leads true", "11 begin twice", "12 done twice"), false, false);

        assertThatThrownBy(() -> log.check(Set.of("far", "b", "c", "twice")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("0.1: 1 leads true")
                .hasMessageContaining("0.1: 4 begin b")
                .hasMessageContaining("0.1: 9 done twice")
                .hasMessageContaining("1.1: 10 leads true")
                .hasMessageContaining("1.1: 11 begin twice")
                .hasMessageNotContaining("0.1: 3 done far");
    }

    @Test
    void twoFilesAtOnceAreFoundWithWhatEachProcessSaidAroundThem() {
        log.add("0.1", List.of("1 leads true", "2 begin a", "5 done a"), false, false);
        log.add("1.1", List.of("3 leads true", "4 begin b", "6 done b"), false, false);

        assertThatThrownBy(() -> log.check(Set.of("a", "b")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("0.1: 1 leads true")
                .hasMessageContaining("0.1: 5 done a")
                .hasMessageContaining("1.1: 3 leads true")
                .hasMessageContaining("1.1: 4 begin b");
    }

    @Test
    void theLastFileOfAKilledProcessMayBeConsumedAgain() {
        log.add("0.1", List.of("1 begin a", "2 done a", "3 begin b"), true, false);
        log.add("1.1", List.of("4 begin b", "5 done b"), false, false);

        assertThatCode(() -> log.check(Set.of("a", "b"))).doesNotThrowAnyException();
        assertThat(log.redone()).isEqualTo(1);
    }

    @Test
    void theFileThatALossInterruptedMayBeConsumedAgain() {
        consumedAgainAfterALoss(true);

        assertThatCode(() -> log.check(Set.of("a"))).doesNotThrowAnyException();
    }

    @Test
    void aFileThatNoLossInterruptedMayNotBeConsumedAgain() {
        consumedAgainAfterALoss(false);

        assertThatThrownBy(() -> log.check(Set.of("a"))).hasMessageContaining("1.1: 6 begin a");
    }

    private void consumedAgainAfterALoss(boolean isInterrupted) {
        log.add("0.1", List.of("1 leads true", "2 begin a", "3 leads false", "4 done a"), false, isInterrupted);
        log.add("1.1", List.of("5 leads true", "6 begin a", "7 done a"), false, isInterrupted);
    }
}
