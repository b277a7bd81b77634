package dev.mandate.cli;

import dev.mandate.console.Console;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How long a command follows something: until its time is over or nobody reads its output. Thread-safe. */
final class FollowTime {
    /** How long to wait for the store's first answer before reporting that there is none. */
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(5);

    private final Console console;
    private final CountDownLatch nobodyReads = new CountDownLatch(1);

    FollowTime(Console console) {
        this.console = console;
    }

    /** Call this after each print: it notices whether somebody still reads. */
    void printed() {
        if (console.outClosed()) {
            nobodyReads.countDown();
        }
    }

    /**
     * Waits until the end.
     *
     * @param atMost the time; null for no limit
     * @param reportSilence runs once, when the store had enough time for its first answer
     */
    void await(@Nullable Duration atMost, Runnable reportSilence) throws InterruptedException {
        Duration first = atMost == null || atMost.compareTo(FIRST_ANSWER) > 0 ? FIRST_ANSWER : atMost;
        if (!nobodyReads.await(first.toNanos(), TimeUnit.NANOSECONDS)) {
            reportSilence.run();
        }
        if (atMost == null) {
            nobodyReads.await();
        } else {
            nobodyReads.await(atMost.minus(first).toNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
