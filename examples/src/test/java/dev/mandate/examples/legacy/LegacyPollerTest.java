package dev.mandate.examples.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.CandidateProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/**
 * Freezes a leader between reading and writing for longer than its lease, lets another take over, and thaws it: real
 * processes, real signals, a real database.
 */
class LegacyPollerTest {
    private static final Duration WITHIN = Duration.ofSeconds(60);
    private static final int EVENTS = 5;

    @TempDir
    private Path folder;

    private SQLiteDataSource database = new SQLiteDataSource();

    @BeforeEach
    void fillTheLegacyTable() throws Exception {
        database = new SQLiteDataSource();
        database.setUrl("jdbc:sqlite:" + folder.resolve("application.db"));
        LegacyTable table = new LegacyTable(database);
        table.create();
        for (int i = 1; i <= EVENTS; i++) {
            table.add("invoice " + i);
        }
    }

    @Test
    void aThawedLeadersLateWriteIsRefusedByTheFence() throws Exception {
        try (CandidateProcess frozen = worker("fenced", "ask");
                CandidateProcess next = takeOver(frozen, "fenced")) {
            frozen.send("go");
            frozen.thaw();

            String refusal = frozen.await("its late write to be refused", WITHIN, line -> line.startsWith("refused"));

            assertThat(token(refusal)).isLessThan(token(firstLine(next, "leading")));
            assertThat(new FencedOutbox(database).size()).isEqualTo(EVENTS);
            assertThat(new FencedOutbox(database).duplicates()).isZero();
        }
    }

    @Test
    void withoutTheFenceTheSameLateWriteQueuesEverythingTwice() throws Exception {
        try (CandidateProcess frozen = worker("unfenced", "ask");
                CandidateProcess next = takeOver(frozen, "unfenced")) {
            frozen.send("go");
            frozen.thaw();

            frozen.await("its late write", WITHIN, line -> line.startsWith("queued"));

            assertThat(next.isAlive()).isTrue();
            assertThat(new UnfencedOutbox(database).duplicates()).isEqualTo(EVENTS);
        }
    }

    /** Freezes {@code leader} between read and write; returns the next leader once that has queued everything. */
    private CandidateProcess takeOver(CandidateProcess leader, String fence) {
        leader.await("it to lead", WITHIN, line -> line.startsWith("leading"));
        leader.await("it to have read", WITHIN, line -> line.equals("read " + EVENTS));
        leader.freeze();
        CandidateProcess next = worker(fence);
        next.await("the other to lead", WITHIN, line -> line.startsWith("leading"));
        next.await("the other to have queued all", WITHIN, line -> line.equals("queued " + EVENTS));
        return next;
    }

    private CandidateProcess worker(String... how) {
        String[] arguments = new String[how.length + 2];
        arguments[0] = "sqlite:" + folder.resolve("election.db") + "?lease=2s";
        arguments[1] = folder.resolve("application.db").toString();
        System.arraycopy(how, 0, arguments, 2, how.length);
        return CandidateProcess.java(Worker.class, arguments).start();
    }

    private static String firstLine(CandidateProcess process, String start) {
        return process.lines().stream()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow();
    }

    private static long token(String line) {
        return Long.parseLong(line.split("[ :]")[1]);
    }
}
