package dev.mandate.doctor;

import dev.mandate.console.Durations;
import dev.mandate.spi.CallContext;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Asks a store one question at a time, with a time limit, and knows how long the answer took. For one thread. */
final class Questions {
    /** How long after a call's deadline a store may take to report that it has passed. */
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Duration most;
    private Duration took = Duration.ZERO;

    /** Awaits each answer for {@code most}. */
    Questions(Duration most) {
        this.most = most;
    }

    /** How long an answer is awaited. */
    Duration most() {
        return most;
    }

    /** How long the last answer took. */
    Duration took() {
        return took;
    }

    /** {@link #ask(String, Duration, Function)} with the usual time. */
    <T> T ask(String what, Function<CallContext, CompletionStage<T>> question) throws Unanswered, InterruptedException {
        return ask(what, most, question);
    }

    /**
     * Asks, and waits.
     *
     * @param what for the message: {@code reading election/x}
     * @throws Unanswered if it failed, or there was no answer in time
     */
    <T> T ask(String what, Duration atMost, Function<CallContext, CompletionStage<T>> question)
            throws Unanswered, InterruptedException {
        long sentNanos = System.nanoTime();
        try {
            return question.apply(CallContext.within(atMost))
                    .toCompletableFuture()
                    .get(atMost.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | RuntimeException e) {
            throw new Unanswered(e);
        } catch (TimeoutException e) {
            throw new Unanswered(what + " got no answer within " + Durations.words(atMost));
        } finally {
            took = Duration.ofNanos(System.nanoTime() - sentNanos);
        }
    }
}
