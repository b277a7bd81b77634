package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.ResourceBundle;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is written, how often, and what becomes of lines that nobody can write just now. */
class JournalTest {
    private static final int WAITING_MAX = 4_096;
    private static final long MINUTE = 60_000_000_000L;

    private final Queue<Runnable> handed = new ArrayDeque<>();
    private final List<String> lines = new ArrayList<>();
    private boolean hasThreads = true;
    private Level least = Level.INFO;
    private final Journal journal = new Journal(new ListLogger(), "a\u202e", this::execute);

    private void execute(Runnable work) {
        if (!hasThreads) {
            throw new InternalError("simulated: no thread to be had");
        }
        handed.add(work);
    }

    private List<String> written() {
        for (Runnable next = handed.poll(); next != null; next = handed.poll()) {
            next.run();
        }
        List<String> all = List.copyOf(lines);
        lines.clear();
        return all;
    }

    private final class ListLogger implements System.Logger {
        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return level.getSeverity() >= least.getSeverity();
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            lines.add(level + " " + message + (thrown == null ? "" : " | " + thrown.getMessage()));
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            log(level, bundle, format, (Throwable) null);
        }
    }

    private static RuntimeException failure() {
        return new IllegalStateException("connection\u0007 refused");
    }

    // ---- writing ----

    @Test
    void linesAreWrittenBehindTheCallersBackInOrder() {
        journal.elected("e", 7, Duration.ofMillis(1_234));
        journal.ended("e", 7, "resigned", Duration.ofMillis(900));
        journal.warn("e", 7, "the task failed", failure());
        journal.warn("a listener threw", null);
        assertThat(lines).isEmpty();
        assertThat(handed).hasSize(1);

        assertThat(written())
                .containsExactly(
                        "INFO elected election=e candidate=a\\u202e term=7 reason=won remaining=1234ms",
                        "INFO ended election=e candidate=a\\u202e term=7 reason='resigned' remaining=900ms",
                        "WARNING the task failed election=e candidate=a\\u202e term=7 | connection\u0007 refused",
                        "WARNING a listener threw candidate=a\\u202e");
    }

    @Test
    void whatTheLoggerDoesNotWantIsNotWritten() {
        least = Level.WARNING;
        journal.elected("e", 7, Duration.ZERO);
        journal.warn("said", null);

        assertThat(written()).hasSize(1);
    }

    @Test
    void oneWriterAtATimeAndAnotherOneForWhatComesLater() {
        journal.warn("one", null);
        journal.warn("two", null);
        assertThat(handed).hasSize(1);
        assertThat(written()).hasSize(2);

        journal.warn("three", null);

        assertThat(handed).hasSize(1);
        assertThat(written()).hasSize(1);
    }

    @Test
    void moreLinesThanAreKeptAreCountedAndTheCountIsWrittenOnce() {
        for (int i = 0; i < WAITING_MAX + 3; i++) {
            journal.warn("line " + i, null);
        }

        List<String> all = written();

        assertThat(all).hasSize(WAITING_MAX + 1);
        assertThat(all.get(WAITING_MAX - 1)).contains("line " + (WAITING_MAX - 1));
        assertThat(all).last().isEqualTo("WARNING 3 lines were dropped: the log does not keep up, or memory is short");
        journal.warn("later", null);
        assertThat(written()).hasSize(1);
    }

    @Test
    void whatCannotBeWrittenForWantOfAThreadIsWrittenWithTheNextLine() {
        hasThreads = false;
        journal.warn("early", null);
        assertThat(journal.written()).isDone();
        hasThreads = true;

        journal.warn("late", null);

        assertThat(written()).hasSize(2);
    }

    @Test
    void whoeverWaitsForTheWritingIsToldWhenAllOfItIsDone() {
        assertThat(journal.written()).isDone();
        journal.warn("line", null);

        CompletableFuture<Void> first = journal.written();
        CompletableFuture<Void> second = journal.written();
        assertThat(first).isNotDone();
        written();

        assertThat(first).isDone();
        assertThat(second).isDone();
        journal.warn("line", null);
        assertThat(journal.written()).isNotDone();
    }

    // ---- trouble with the store ----

    @Test
    void anOutageIsTenLinesThenOneAMinuteThatCountsTheRest() {
        for (int i = 0; i < 15; i++) {
            journal.outage("a call failed", failure(), i);
        }
        List<String> said = written();
        assertThat(said)
                .hasSize(10)
                .containsOnly("WARNING store trouble: a call failed: connection\\u0007 refused candidate=a\\u202e");

        journal.outage("no answer", null, 9 + MINUTE - 1);
        assertThat(written()).isEmpty();
        journal.outage("no answer", null, 9 + MINUTE);

        assertThat(written()).containsExactly("WARNING store trouble: no answer candidate=a\\u202e times=7");
    }

    @Test
    void theEndOfAnOutageIsSaidOnce() {
        journal.well(0);
        assertThat(written()).isEmpty();
        journal.outage("no answer", null, 1);
        journal.well(2);
        journal.well(3);

        assertThat(written()).hasSize(2).last().isEqualTo("INFO the store answers again candidate=a\\u202e");
    }

    /** Its lines come from the same ration: a store that flaps does not fill the log. */
    @Test
    void theEndOfAShortOutageIsSaidAsFarAsLinesGo() {
        for (int i = 0; i < 20; i++) {
            journal.outage("no answer", null, i);
            journal.well(i);
        }

        assertThat(written()).hasSize(10);
    }

    @Test
    void theEndOfALongOutageIsAlwaysSaid() {
        for (int i = 0; i < 10; i++) {
            journal.outage("no answer", null, 5);
        }
        journal.outage("no answer", null, 5 + MINUTE);
        written();

        journal.well(5 + MINUTE);

        assertThat(written()).hasSize(1);
    }

    @Test
    void theEndOfAnOutageOfLessThanAMinuteIsNot() {
        for (int i = 0; i < 10; i++) {
            journal.outage("no answer", null, 5);
        }
        written();

        journal.well(4 + MINUTE);

        assertThat(written()).isEmpty();
    }

    @Test
    void afterAMinuteWithoutTroubleItIsSaidFromTheStart() {
        for (int i = 0; i < 12; i++) {
            journal.outage("no answer", null, 5);
        }
        journal.well(6);
        written();

        journal.outage("no answer", null, 4 + MINUTE);
        journal.well(4 + MINUTE);
        assertThat(written()).isEmpty();
        for (int i = 0; i < 12; i++) {
            journal.outage("no answer", null, 4 + 2 * MINUTE);
        }

        assertThat(written()).hasSize(10);
    }

    // ---- overruns ----

    @Test
    void overrunsAreTenLinesThenOneAMinuteAndTheRestIsCountedAtTheEnd() {
        for (int i = 0; i < 12; i++) {
            journal.overrun("e", i, "OVERRUN", JournalTest::failure, 5);
        }
        assertThat(written()).hasSize(10).allMatch(line -> line.startsWith("WARNING OVERRUN election=e"));

        journal.overrun("e", 12, "OVERRUN", JournalTest::failure, 5 + MINUTE);
        assertThat(written())
                .containsExactly(
                        "WARNING OVERRUN times=3 election=e candidate=a\\u202e term=12 | connection\u0007 refused");
        journal.overrun("e", 13, "OVERRUN", JournalTest::failure, 5 + MINUTE);
        journal.finished();

        assertThat(written()).containsExactly("WARNING OVERRUN: and 1 more terms like these candidate=a\\u202e");
        journal.finished();
        assertThat(written()).isEmpty();
    }

    /** For want of memory, perhaps: it is lost, and counted. */
    @Test
    void aLineThatCannotBeMadeIsCountedAsDropped() {
        journal.overrun(
                "e",
                1,
                "OVERRUN",
                () -> {
                    throw new InternalError("simulated: one allocation failed");
                },
                5);
        journal.warn("next", null);

        assertThat(written()).hasSize(2).last().asString().startsWith("WARNING 1 lines were dropped");
    }
}
