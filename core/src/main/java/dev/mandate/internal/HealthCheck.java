package dev.mandate.internal;

import dev.mandate.LossReason;
import dev.mandate.RunOptions;
import dev.mandate.engine.Now;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks, while a task's term lasts, whether it is healthy. A check that hangs is given up, and interrupted, at its time-out; until it has
 * returned no other one is started, so that at most one thread hangs. On the loop, but for the check itself.
 */
final class HealthCheck {
    private final TaskCandidacy candidacy;
    private final BooleanSupplier check;
    private final long everyNanos;
    private final long timeoutNanos;

    private @Nullable WonLeadership leadership;
    private Loop.@Nullable Timer timer;
    private boolean isRunning;
    private Interruptible inside = new Interruptible();

    HealthCheck(TaskCandidacy candidacy, RunOptions options) {
        this.candidacy = candidacy;
        this.check = options.healthCheck().orElseThrow();
        this.everyNanos = options.healthEvery().toNanos();
        this.timeoutNanos = options.healthTimeout().toNanos();
    }

    private Loop loop() {
        return candidacy.election().client().loop();
    }

    void begin(WonLeadership term, Now now) {
        leadership = term;
        timer = isRunning ? unlessAnswered(term, now) : loop().at(now.monotonicNanos() + everyNanos, this::ask);
    }

    void end() {
        leadership = null;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private Loop.Timer unlessAnswered(WonLeadership term, Now now) {
        return loop().at(now.monotonicNanos() + timeoutNanos, later -> {
            Client client = candidacy.election().client();
            client.callbacks().interrupt(inside, e -> client.journal().warn("interrupting a health check failed", e));
            candidacy.failed(term, LossReason.UNHEALTHY, later);
        });
    }

    private void ask(Now now) {
        WonLeadership term = leadership;
        if (term == null) {
            return;
        }
        isRunning = true;
        timer = unlessAnswered(term, now);
        Interruptible asked = new Interruptible();
        inside = asked;
        candidacy
                .election()
                .client()
                .callbacks()
                .start(() -> answer(term, asked), refused -> loop().post(later -> answered(term, false, later)));
    }

    /** On the executor. */
    private void answer(WonLeadership term, Interruptible asked) {
        boolean isHealthy = false;
        if (asked.enter()) {
            try {
                isHealthy = check.getAsBoolean();
            } catch (Throwable e) {
                candidacy.election().client().journal().warn("a health check threw", e);
            } finally {
                asked.leave();
            }
        }
        boolean answer = isHealthy;
        loop().post(now -> answered(term, answer, now));
    }

    /** What a check says that was asked in a former term, and interrupted at its end, perhaps, says nothing of this one. */
    private void answered(WonLeadership asked, boolean isHealthy, Now now) {
        isRunning = false;
        WonLeadership term = leadership;
        if (timer != null) {
            timer.cancel();
        }
        if (term == null) {
            return;
        }
        if (isHealthy || asked != term) {
            timer = loop().at(now.monotonicNanos() + everyNanos, this::ask);
        } else {
            candidacy.failed(term, LossReason.UNHEALTHY, now);
        }
    }
}
