package dev.mandate.peers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock(NodeLogger.LOCK)
class NodeLogTest {
    /** A logger may read every line that comes with parts as a form, even if there are none. */
    @Test
    void aSentenceIsNoForm() {
        String sentence = "a node can't be read as {0}";
        Queue<LogRecord> lines = new ConcurrentLinkedQueue<>();
        try (NodeLogger logger = new NodeLogger(lines::add)) {
            assertThat(logger).isNotNull();
            NodeLog.log(Level.INFO, sentence);

            LogRecord line = Await.value(
                    "the line",
                    Duration.ofSeconds(30),
                    () -> lines.stream()
                            .filter(each -> each.getMessage().equals(sentence))
                            .findFirst());
            assertThat(line.getParameters()).isNull();
        }
    }
}
