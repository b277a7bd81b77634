package dev.mandate.internal;

import dev.mandate.engine.Now;
import dev.mandate.registry.Status;
import dev.mandate.spi.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks an instance, again and again, whether it is well. At most one question is under way; one that takes too long is
 * interrupted, and counts as a no each time another would be asked. On the loop, but for the question itself.
 */
final class InstanceCheck {
    /** So many equal answers in a row count. */
    private static final int EQUAL = 2;

    private final ClientRegistration registration;
    private final BooleanSupplier check;
    private final long everyNanos;
    private final long timeoutNanos;

    private @Nullable Question running;
    private Loop.@Nullable Timer next;
    private volatile boolean isEnded;
    private boolean latest;
    private int equal;

    InstanceCheck(ClientRegistration registration, BooleanSupplier check, Duration every, Duration timeout) {
        this.registration = registration;
        this.check = Objects.requireNonNull(check, "check");
        this.everyNanos = positive("every", every);
        this.timeoutNanos = positive("timeout", timeout);
    }

    private static long positive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be more than 0");
        }
        return Durations.bounded(name, value).toNanos();
    }

    private Client client() {
        return registration.client();
    }

    /** One question. */
    private final class Question {
        private final Interruptible inside = new Interruptible();
        private final Loop.Timer timeout;
        private boolean isJudged;

        Question(Now now) {
            this.timeout = client().loop().at(now.monotonicNanos() + timeoutNanos, this::unanswered);
        }

        void start() {
            client().callbacks().start(this::check, refused -> answer(false));
        }

        /** On the executor. */
        private void check() {
            boolean isWell = false;
            if (inside.enter()) {
                try {
                    isWell = check.getAsBoolean();
                } catch (Throwable e) {
                    client().journal().warn("a health check threw", e);
                } finally {
                    inside.leave();
                }
            }
            answer(isWell);
        }

        /** Any thread. */
        private void answer(boolean isWell) {
            client().loop().post(now -> {
                timeout.cancel();
                running = null;
                if (!isJudged) {
                    askLater(now);
                    judged(isWell, now);
                }
            });
        }

        private void unanswered(Now now) {
            isJudged = true;
            askLater(now);
            interrupt();
            judged(false, now);
        }

        void interrupt() {
            client().callbacks()
                    .interrupt(inside, e -> client().journal().warn("interrupting a health check failed", e));
        }
    }

    void ask(Now now) {
        if (isEnded) {
            return;
        }
        if (running == null) {
            Question question = new Question(now);
            running = question;
            question.start();
        } else {
            // It hangs still, and could hardly say more clearly that something is wrong.
            askLater(now);
            judged(false, now);
        }
    }

    private void askLater(Now now) {
        if (!isEnded) {
            next = client().loop().at(now.monotonicNanos() + everyNanos, this::ask);
        }
    }

    private void judged(boolean isWell, Now now) {
        equal = isWell == latest ? Math.min(EQUAL, equal + 1) : 1;
        latest = isWell;
        if (equal >= EQUAL && !isEnded) {
            registration.checked(isWell ? Status.UP : Status.DOWN, now);
        }
    }

    /** Nothing is asked any more, and what is answered counts for nothing. */
    void end() {
        isEnded = true;
        if (next != null) {
            next.cancel();
        }
        Question question = running;
        if (question != null) {
            question.timeout.cancel();
            question.interrupt();
        }
    }
}
