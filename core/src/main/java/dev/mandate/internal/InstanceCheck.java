package dev.mandate.internal;

import dev.mandate.engine.Now;
import dev.mandate.registry.Status;
import dev.mandate.spi.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks an instance periodically whether it is well. At most one question is under way. One that exceeds its time-out is
 * interrupted, and counts as a no whenever the next would be due. If the executor took a question but did not begin it
 * in time (because it is full or dropped it), the question never begins and another one is asked: the more in a row,
 * the later, as all of them may still wait there. On the loop, except for the question itself.
 */
final class InstanceCheck {
    /** How many equal answers in a row count. */
    private static final int EQUAL = 2;

    /** The longest pause, unless {@code every} is longer, when the executor begins no question: few pile up there. */
    private static final long PAUSE_MAX_NANOS = 60_000_000_000L;

    private final ClientContext client;
    private final BiConsumer<Status, Now> checked;
    private final BooleanSupplier check;
    private final long everyNanos;
    private final long timeoutNanos;

    /** Handed over, and neither returned nor given up. */
    private @Nullable Question running;
    /** How many in a row never began. */
    private int lost;

    private long notBeforeNanos = Long.MIN_VALUE;
    private Timers.@Nullable Timer next;
    private volatile boolean isEnded;
    private boolean latest;
    private int equal;

    /**
     * Asks nothing yet.
     *
     * @param checked told, on the loop, whatever was answered twice in a row
     */
    InstanceCheck(
            ClientContext client,
            BooleanSupplier check,
            Duration every,
            Duration timeout,
            BiConsumer<Status, Now> checked) {
        this.client = client;
        this.checked = checked;
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

    /** One question. */
    private final class Question {
        private final Interruptible inside = new Interruptible();
        private final Timers.Timer timeout;
        private boolean isJudged;
        /** {@code execute} has returned: the executor has the question. */
        private volatile boolean isTaken;
        /** There is an answer; the loop may not have heard it yet, or never hear it. */
        private volatile boolean isAnswered;
        /** It never begins. */
        private boolean isForbidden;

        Question(Now now) {
            this.timeout = client.loop().at(now.monotonicNanos() + timeoutNanos, this::unanswered);
        }

        void start() {
            client.callbacks().start(this::check, this::taken, refused -> answer(false));
        }

        /** On the executor. */
        private void check() {
            if (!inside.enter()) {
                return;
            }
            boolean isWell = false;
            try {
                isWell = check.getAsBoolean();
            } catch (Throwable e) {
                client.journal().warn("a health check threw", e);
            } finally {
                inside.leave();
            }
            answer(isWell);
        }

        /** Any thread. */
        private void taken() {
            isTaken = true;
            client.loop().post(this::giveUp);
        }

        /** Any thread. */
        private void answer(boolean isWell) {
            isAnswered = true;
            client.loop().post(now -> {
                timeout.cancel();
                if (running == this) {
                    running = null;
                    lost = 0;
                }
                if (!isJudged) {
                    isJudged = true;
                    askLater(now);
                    judged(isWell, now);
                }
            });
        }

        private void unanswered(Now now) {
            isJudged = true;
            askLater(now);
            isForbidden = interrupt();
            giveUp(now);
            judged(false, now);
        }

        /** Gives up a taken question that never begins. While it is still being handed over, it occupies a thread. */
        private void giveUp(Now now) {
            if (isForbidden && isTaken && running == this) {
                running = null;
                long pauseNanos = Math.max(everyNanos, Math.min(PAUSE_MAX_NANOS, everyNanos << Math.min(lost, 10)));
                lost++;
                notBeforeNanos = now.monotonicNanos() + pauseNanos;
            }
        }

        /** Returns whether it never begins. */
        boolean interrupt() {
            return client.callbacks()
                    .interrupt(inside, e -> client.journal().warn("failed to interrupt a health check", e));
        }
    }

    void ask(Now now) {
        if (isEnded) {
            return;
        }
        boolean isFree = running == null || running.isAnswered;
        if (isFree && now.monotonicNanos() >= notBeforeNanos) {
            Question question = new Question(now);
            running = question;
            question.start();
        } else {
            // The last question hangs, or has no thread: a clear sign that something is wrong.
            askLater(now);
            judged(false, now);
        }
    }

    private void askLater(Now now) {
        if (!isEnded) {
            next = client.loop().at(now.monotonicNanos() + everyNanos, this::ask);
        }
    }

    private void judged(boolean isWell, Now now) {
        equal = isWell == latest ? Math.min(EQUAL, equal + 1) : 1;
        latest = isWell;
        if (equal >= EQUAL && !isEnded) {
            checked.accept(isWell ? Status.UP : Status.DOWN, now);
        }
    }

    /** Asks nothing any more, and ignores late answers. */
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
