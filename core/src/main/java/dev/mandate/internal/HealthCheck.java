package dev.mandate.internal;

import dev.mandate.EndReason;
import dev.mandate.RunOptions;
import dev.mandate.engine.Now;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks, while a task's term lasts, whether the task is healthy. The outcome of a question, an answer or silence,
 * concerns only the term that asked. A hanging check is interrupted at its time-out, even if its term is over. Until it
 * has returned no other check starts, so at most one thread hangs: the next term's question waits, with a time-out of
 * its own. A question that the executor took and did not begin in time never begins, and holds up no other. On the
 * loop, except for the check itself.
 */
final class HealthCheck {
    /** The candidacy whose task is asked about. */
    interface Listener {
        /** The work is in trouble: the term ends, and the task is interrupted. On the loop. */
        void failed(WonLeadership leadership, EndReason why, Now now);
    }

    private final ClientContext client;
    private final Listener listener;
    private final BooleanSupplier check;
    private final long everyNanos;
    private final long timeoutNanos;

    private @Nullable WonLeadership leadership;
    private Timers.@Nullable Timer next;
    /** Started and not yet returned. */
    private @Nullable Question running;
    /** Waits until the check of a former term has returned. */
    private @Nullable Question waiting;

    HealthCheck(ClientContext client, Listener listener, RunOptions options) {
        this.client = client;
        this.listener = listener;
        this.check = options.healthCheck().orElseThrow();
        this.everyNanos = options.healthEvery().toNanos();
        this.timeoutNanos = options.healthTimeout().toNanos();
    }

    private Loop loop() {
        return client.loop();
    }

    /** One question, asked by one term. */
    private final class Question {
        private final WonLeadership term;
        private final Interruptible inside = new Interruptible();
        private final Timers.Timer timeout;
        /** {@code execute} has returned: the executor has the question. */
        private volatile boolean isTaken;
        /** There is an answer; the loop may not have heard it yet, or never hear it. */
        private volatile boolean isAnswered;
        /** It never begins. */
        private boolean isForbidden;

        Question(WonLeadership term, Now now) {
            this.term = term;
            this.timeout = loop().at(now.monotonicNanos() + timeoutNanos, this::unanswered);
        }

        void start() {
            client.callbacks().start(this::check, this::taken, refused -> answer(false));
        }

        /** Any thread. */
        private void taken() {
            isTaken = true;
            loop().post(this::giveUp);
        }

        /** On the executor. */
        private void check() {
            if (!inside.enter()) {
                return;
            }
            boolean isHealthy = false;
            try {
                isHealthy = check.getAsBoolean();
            } catch (Throwable e) {
                client.journal().warn("a health check threw", e);
            } finally {
                inside.leave();
            }
            answer(isHealthy);
        }

        /** Any thread. */
        private void answer(boolean isHealthy) {
            isAnswered = true;
            loop().post(now -> answered(this, isHealthy, now));
        }

        private void unanswered(Now now) {
            isForbidden = client.callbacks()
                    .interrupt(inside, e -> client.journal().warn("failed to interrupt a health check", e));
            giveUp(now);
            listener.failed(term, EndReason.UNHEALTHY, now);
        }

        /** Gives up a taken question that never begins. While it is still being handed over, it occupies a thread. */
        private void giveUp(Now now) {
            if (isForbidden && isTaken && running == this) {
                running = null;
                askWaiting(now);
            }
        }
    }

    void begin(WonLeadership term, Now now) {
        leadership = term;
        askLater(term, now);
    }

    void end() {
        leadership = null;
        if (next != null) {
            next.cancel();
            next = null;
        }
        if (waiting != null) {
            waiting.timeout.cancel();
            waiting = null;
        }
    }

    private void askLater(WonLeadership term, Now now) {
        next = loop().at(now.monotonicNanos() + everyNanos, later -> ask(term, later));
    }

    private void ask(WonLeadership term, Now now) {
        Question question = new Question(term, now);
        if (running == null || running.isAnswered) {
            running = question;
            question.start();
        } else {
            waiting = question;
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private void answered(Question question, boolean isHealthy, Now now) {
        question.timeout.cancel();
        if (running == question) {
            running = null;
        }
        if (!isHealthy) {
            listener.failed(question.term, EndReason.UNHEALTHY, now);
        } else if (question.term == leadership) {
            askLater(question.term, now);
        }
        askWaiting(now);
    }

    private void askWaiting(Now now) {
        Question held = waiting;
        if (held != null && running == null) {
            waiting = null;
            held.timeout.cancel();
            ask(held.term, now);
        }
    }
}
