package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LogLinesTest {
    private static final int WAITING_MAX = 256;

    private final Lines log = new Lines();
    private final LogLines lines = new LogLines(log, "mandate-lines-test");

    private void write(String line) {
        lines.write(to -> to.log(Level.INFO, line));
    }

    @Test
    void aLoggerThatBlocksHoldsUpNobodyAndTheLogSaysWhatIsLost() {
        CountDownLatch goOn = new CountDownLatch(1);
        log.blockUntil(goOn);
        CountDownLatch begun = new CountDownLatch(1);
        lines.write(to -> {
            begun.countDown();
            to.log(Level.INFO, "first");
        });
        Await.until("the logger to block", TestGroup.PLENTY, () -> begun.getCount() == 0);
        for (int i = 0; i < WAITING_MAX + 3; i++) {
            write("line " + i);
        }
        goOn.countDown();

        Await.until("all lines", TestGroup.PLENTY, () -> log.all().contains("INFO line " + (WAITING_MAX - 1)));
        assertThat(log.all())
                .hasSize(1 + 1 + WAITING_MAX)
                .startsWith("INFO first", "WARNING lines lost because the logger was slow: 3", "INFO line 0");
        lines.close();
    }

    @Test
    void aLineThatCannotBeMadeIsLostAlone() {
        lines.write(to -> {
            throw new InternalError("of a test");
        });
        write("next");
        Await.until("the next line", TestGroup.PLENTY, () -> log.all().equals(List.of("INFO next")));
        lines.close();
    }

    @Test
    void whatWaitsIsWrittenAfterTheEndAndNothingElse() {
        CountDownLatch goOn = new CountDownLatch(1);
        log.blockUntil(goOn);
        write("first");
        write("second");
        lines.close();
        write("late");
        goOn.countDown();
        Await.until("its thread to end", TestGroup.PLENTY, () -> !TestGroup.isRunning("mandate-lines-test"));
        assertThat(log.all()).containsExactly("INFO first", "INFO second");
    }
}
