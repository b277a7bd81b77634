package dev.mandate.doctor;

import dev.mandate.console.Durations;
import dev.mandate.spi.Finding;
import java.time.Duration;
import java.time.Instant;

/** Compares this machine's two clocks from its creation on. */
final class Clocks {
    private static final String SUBJECT = "clock";
    private static final Duration STEP = Duration.ofMillis(50);

    private final long beganNanos = System.nanoTime();
    private final Instant began = Instant.now();

    /** How far the clocks went apart. The first to expire ends a term, so setting the wall clock may end terms. */
    Finding judged() {
        Duration steady = Duration.ofNanos(System.nanoTime() - beganNanos);
        Duration ahead = Duration.between(began, Instant.now()).minus(steady);
        String figures = "this machine's wall clock and its monotonic clock drifted apart by "
                + Durations.words(ahead.abs()) + " in " + Durations.words(steady);
        boolean isMoved = ahead.abs().compareTo(STEP.plus(steady.dividedBy(100))) > 0;
        return isMoved
                ? Finding.warning(
                        SUBJECT,
                        figures
                                + ": the wall clock is being set, and the first clock to expire ends a term; slew the clock, do not"
                                + " step it")
                : Finding.ok(SUBJECT, figures);
    }
}
