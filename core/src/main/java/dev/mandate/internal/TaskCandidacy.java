package dev.mandate.internal;

import dev.mandate.EndReason;
import dev.mandate.LeaderTask;
import dev.mandate.RunOptions;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.Term;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A candidacy whose task runs in every term, until the task returns or the candidacy is closed. */
final class TaskCandidacy extends LastingCandidacy implements TaskRun.Listener, HealthCheck.Listener {
    private final RunOptions options;
    private final LeaderTask task;
    private final @Nullable HealthCheck health;
    private Timers.@Nullable Timer silence;

    TaskCandidacy(Contest election, String value, RunOptions options, LeaderTask task) {
        super(election, value);
        this.options = options;
        this.task = task;
        this.health = options.healthCheck().isPresent() ? new HealthCheck(client(), this, options) : null;
    }

    // ---- on the loop ----

    @Override
    WonLeadership won(Term term) {
        TaskRun run = new TaskRun(client(), this, task);
        WonLeadership leadership = new WonLeadership(this, term, run);
        run.belongsTo(leadership);
        return leadership;
    }

    @Override
    void begin(WonLeadership leadership, Now now) {
        if (!(leadership.run() instanceof TaskRun run)) {
            throw new IllegalStateException("a task's term has no run");
        }
        super.begin(leadership, now);
        client().callbacks().start(run, why -> refused(leadership, run, why));
        options.progressTimeout().ifPresent(atMost -> listen(leadership, run, atMost.toNanos(), now));
        if (health != null) {
            health.begin(leadership, now);
        }
    }

    /** The executor takes no task: nobody can do the work. Any thread. */
    private void refused(WonLeadership leadership, TaskRun run, Throwable why) {
        boolean isNeverRun = run.forbid();
        boolean endedIt = leadership.end(EndReason.FAILED);
        client().journal().warn(key().name(), leadership.term().number(), "the executor refused the task", why);
        if (isNeverRun) {
            stopped(leadership, endedIt);
        }
    }

    /** Ends the term if the task is silent for too long. */
    private void listen(WonLeadership leadership, TaskRun run, long atMostNanos, Now now) {
        if (leadership.reason() != null) {
            return;
        }
        long silentAt = run.beatNanos() + atMostNanos;
        if (silentAt > now.monotonicNanos()) {
            silence = client().loop().at(silentAt, later -> listen(leadership, run, atMostNanos, later));
        } else {
            failed(leadership, EndReason.STALLED, now);
        }
    }

    @Override
    public void failed(WonLeadership leadership, EndReason why, Now now) {
        if (leadership.end(why)) {
            client().journal().warn(key().name(), leadership.term().number(), why.toString(), null);
            election().tell(new ElectionEvent.Resign(leadership.term().number(), why), now);
        }
    }

    @Override
    public void ended(WonLeadership leadership, Now now) {
        super.ended(leadership, now);
        if (silence != null) {
            silence.cancel();
            silence = null;
        }
        if (health != null) {
            health.end();
        }
    }

    // ---- on the task's thread ----

    @Override
    public void ran(WonLeadership leadership, @Nullable Throwable failure) {
        boolean endedIt = false;
        try {
            // Work that ends because its term is over has neither completed nor failed.
            endedIt = leadership.isValid() && leadership.end(failure == null ? EndReason.COMPLETED : EndReason.FAILED);
            if (failure != null && endedIt) {
                client().journal().warn(key().name(), leadership.term().number(), "the task failed", failure);
            }
        } finally {
            stopped(leadership, endedIt);
        }
    }

    @Override
    public void stopped(WonLeadership leadership, boolean byWork) {
        if (!leadership.stopWork()) {
            return;
        }
        boolean isDone = byWork && leadership.reason() == EndReason.COMPLETED && !options.campaignAgain();
        ElectionEvent done = isDone ? withdrawal(EndReason.COMPLETED) : null;
        stopped(leadership, () -> done == null ? resigned(leadership) : done);
    }

    /** On the loop: if another caller ended the term before its work stopped, the reason is set; else the clock did. */
    private static ElectionEvent resigned(WonLeadership leadership) {
        leadership.end(leadership.term().cell().reason());
        return new ElectionEvent.Resign(
                leadership.term().number(),
                Objects.requireNonNull(leadership.reason(), "a term that ended has a reason"));
    }

    // ---- asked for on any thread ----

    @Override
    public void resign(WonLeadership leadership) {
        if (leadership.end(EndReason.RESIGNED)) {
            ElectionEvent resign = new ElectionEvent.Resign(leadership.term().number(), EndReason.RESIGNED);
            client().loop().post(now -> election().tell(resign, now));
        }
    }

    @Override
    public void closed(WonLeadership leadership) {
        resign(leadership);
    }
}
