package dev.mandate.internal;

import dev.mandate.LeaderTask;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One run of a task, on a thread of the executor. */
final class TaskRun implements Runnable, WonLeadership.Run {
    /** The candidacy whose task it is. Any thread. */
    interface Listener {
        /** The task is no longer inside, whatever ended it. */
        void ran(WonLeadership leadership, @Nullable Throwable failure);

        /** Nothing of the task runs, or ever will; {@code byWork}: whether that ended the term. */
        void stopped(WonLeadership leadership, boolean byWork);
    }

    private final ClientContext client;
    private final Listener listener;
    private final LeaderTask task;
    private final Interruptible inside = new Interruptible();
    private final CompletableFuture<Void> toStop = new CompletableFuture<>();
    private volatile @Nullable WonLeadership leadership;
    private volatile long beatNanos;

    TaskRun(ClientContext client, Listener listener, LeaderTask task) {
        this.client = client;
        this.listener = listener;
        this.task = task;
        this.beatNanos = client.host().nanos();
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
        listener.ran(won, failure);
    }

    /** The task can't be started: forbids it to begin. False if it began all the same. */
    boolean forbid() {
        return inside.forbid();
    }

    @Override
    public void interrupt() {
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
            listener.stopped(won, false);
        }
    }

    @Override
    public CompletableFuture<Void> toStop() {
        return toStop;
    }

    @Override
    public void beat() {
        beatNanos = client.host().nanos();
    }

    /** When the task last said that it is alive. Its start counts as such, and before that the hand-over. */
    long beatNanos() {
        return beatNanos;
    }

    @Override
    public @Nullable Thread thread() {
        return inside.thread();
    }
}
