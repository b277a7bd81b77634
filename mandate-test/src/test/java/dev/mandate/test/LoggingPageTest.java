package dev.mandate.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.EndReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The lines on {@code docs/logging.md}, apart from their figures. Isolated, because all clients share the logger. */
@Isolated
class LoggingPageTest {
    private static final Logger LOGGER = Logger.getLogger("dev.mandate");

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final TestElection election = TestElection.leading("invoices", 42);

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            String time = election.client().clock().instant().toString().substring(11, 19);
            String level = record.getLevel() == java.util.logging.Level.INFO ? "INFO    " : "WARNING ";
            lines.add(time + " " + level + record.getMessage());
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        LOGGER.removeHandler(handler);
        election.client().close();
    }

    /** A minute of good health, three without the store, and a while after it. */
    @Test
    void anOutage() throws IOException {
        Candidacy candidacy = election.runWhileLeader("here", leadership -> new CountDownLatch(1).await());
        election.advance(Duration.ofMinutes(1));
        election.cutStore();
        election.advance(Duration.ofMinutes(3));
        election.healStore();
        election.advance(Duration.ofMinutes(1));
        election.elect(43);
        election.advance(Duration.ofMinutes(1));
        candidacy.close();

        requirePageToShow("an outage");
    }

    @Test
    void anEviction() throws IOException {
        Candidacy candidacy = election.runWhileLeader("here", leadership -> new CountDownLatch(1).await());
        election.lose(EndReason.EVICTED);
        candidacy.close();

        requirePageToShow("an eviction");
    }

    @Test
    void workThatDoesNotStop() throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        Candidacy candidacy = election.runWhileLeader("here", leadership -> {
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    // Work that ignores interrupts.
                }
            }
        });
        election.lose(EndReason.EVICTED);
        election.advance(Duration.ofMinutes(1));
        end.countDown();
        candidacy.close();

        requirePageToShow("work that doesn't stop");
    }

    @Test
    void aFailingTask() throws IOException {
        Candidacy candidacy = election.runWhileLeader("here", leadership -> {
            throw new IllegalStateException("no such table: invoices");
        });
        election.advance(Duration.ofMinutes(1));
        candidacy.close();

        requirePageToShow("a failing task");
    }

    /** What the double does by itself is no trouble. */
    @Test
    void anotherLeaderCausesNoWarning() {
        election.electOther("other", 43);
        election.electOther("another", 44);
        election.elect(45);

        assertThat(lines).hasSize(4).allMatch(line -> line.contains(" INFO "));
    }

    private void requirePageToShow(String what) throws IOException {
        Path page = Path.of("..", "docs", "logging.md");
        String block = "<!-- " + what + " -->\n```text\n" + String.join("\n", lines) + "\n```";

        assertThat(withoutFigures(Files.readString(page)))
                .as("docs/logging.md shows what is logged:\n" + block)
                .containsSequence(withoutFigures(block));
    }

    private static List<String> withoutFigures(String text) {
        return text.replaceAll("\\d+", "0").lines().toList();
    }
}
