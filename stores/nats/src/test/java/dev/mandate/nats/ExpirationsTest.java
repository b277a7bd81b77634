package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExpirationsTest {
    private static final Entry ENTRY = new Entry(1, false, false, null, "", new byte[0]);
    private static final long FOREVER_SECONDS = 60;

    private final Threads threads = new Threads();
    private final BlockingQueue<String> looked = new LinkedBlockingQueue<>();
    private final Expirations expirations = new Expirations(threads, (path, revision) -> looked.add(path));

    @AfterEach
    void close() {
        threads.close();
    }

    private String looked() throws InterruptedException {
        return String.valueOf(looked.poll(FOREVER_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void aKeyIsLookedAtAgainUntilItIsOver() throws Exception {
        expirations.seen("late", ENTRY, Duration.ofMillis(1));
        for (int i = 0; i < 3; i++) {
            assertThat(looked()).isEqualTo("late");
            expirations.again("late", 1);
        }
        assertThat(looked()).isEqualTo("late");
        expirations.gone("late");
        expirations.seen("next", ENTRY, Duration.ofMillis(1));
        assertThat(looked()).isEqualTo("next");
    }

    @Test
    void whatNobodyAnsweredIsAskedAgain() throws Exception {
        expirations.seen("late", ENTRY, Duration.ofMillis(1));
        assertThat(looked()).isEqualTo("late");
        expirations.unanswered("late", 1);
        assertThat(looked()).isEqualTo("late");
        expirations.unanswered("late", 2);
        expirations.seen("next", ENTRY, Duration.ofSeconds(1));
        assertThat(looked()).as("not what was renewed meanwhile").isEqualTo("next");
    }

    @Test
    void whatIsLookedAtEarlierLeavesNoTimersBehind() throws Exception {
        expirations.seen("far", ENTRY, Duration.ofMinutes(10));
        for (int i = 0; i < 20; i++) {
            expirations.seen("early", ENTRY, Duration.ofMillis(1));
            assertThat(looked()).isEqualTo("early");
            expirations.gone("early");
        }
        // What looked last is done, too, once the one thread does something else.
        int timers =
                threads.timer().submit(() -> threads.timer().getQueue().size()).get(FOREVER_SECONDS, TimeUnit.SECONDS);
        assertThat(timers).as("timers for the key that is far away").isEqualTo(1);
    }
}
