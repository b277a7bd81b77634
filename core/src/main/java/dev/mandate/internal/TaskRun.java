package dev.mandate.internal;

import dev.mandate.LeaderTask;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One run of a task, on a thread of the executor. */
final class TaskRun implements Runnable {
    private final TaskCandidacy candidacy;
    private final LeaderTask task;
    private final Host host;
    private final Interruptible inside = new Interruptible();
    private final CompletableFuture<Void> toStop = new CompletableFuture<>();
    private volatile @Nullable WonLeadership leadership;
    private volatile long beatNanos;

    TaskRun(TaskCandidacy candidacy, LeaderTask task, Host host) {
        this.candidacy = candidacy;
        this.task = task;
        this.host = host;
        this.beatNanos = host.nanos();
    }

    void belongsTo(WonLeadership won) {
        leadership = won;
    }

    @Override
    public void run() {
        WonLeadership won = leadership;
        if (won == null) {
            return;
        }
        Throwable failure = null;
        beat();
        if (inside.enter()) {
            try {
                task.run(won);
            } catch (Throwable e) {
                failure = e;
            } finally {
                inside.leave();
            }
        }
        candidacy.ran(won, failure);
    }

    /** The task can't be started: forbids it to begin. False if it began all the same. */
    boolean forbid() {
        return inside.forbid();
    }

    /** Interrupts the task; if it has not begun, it never will, and that ends it. Any thread. */
    void interrupt() {
        Client client = candidacy.election().client();
        boolean isNeverRun = false;
        try {
            // A task that cannot be interrupted is an overrun like any other.
            isNeverRun =
                    client.callbacks().interrupt(inside, e -> client.journal().warn("failed to interrupt a task", e));
        } catch (RuntimeException | Error e) {
            // No memory even to hand it over.
            inside.interrupt();
        }
        WonLeadership won = leadership;
        if (isNeverRun && won != null) {
            candidacy.stopped(won, false);
        }
    }

    /** Completed on the thread that asks the task to end by itself. Not for users. */
    CompletableFuture<Void> toStop() {
        return toStop;
    }

    void beat() {
        beatNanos = host.nanos();
    }

    /** When the task last said that it is alive. Its start counts as such, and before that the hand-over. */
    long beatNanos() {
        return beatNanos;
    }

    /** The thread that runs the task, if it runs. */
    @Nullable
    Thread thread() {
        return inside.thread();
    }
}
