package dev.mandate.camel;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.cluster.CamelClusterEventListener.Leadership;
import org.apache.camel.cluster.CamelClusterEventListener.Membership;
import org.apache.camel.cluster.CamelClusterMember;
import org.jspecify.annotations.Nullable;

/**
 * A listener of a view. Gets its calls one at a time, on a thread that ends when it has nothing to do, so that no
 * listener waits for another.
 *
 * <p>Some versions of Camel start the consumer of a {@code master:} endpoint some time after the win, even if it was
 * lost meanwhile (CAMEL-24583), and no event follows that would stop it. So those listeners are told of a loss again
 * and again for a while.
 */
final class ToldListener {
    private static final String MASTER = "org.apache.camel.component.master.";
    private static final String POLICY = "org.apache.camel.impl.cluster.ClusteredRoutePolicy";

    /** By default, Camel's last attempt comes 46 s after the win. */
    private static final int REPEATS = 240;

    private static final long REPEAT_MILLIS = 250;
    private static final long IDLE_SECONDS = 5;

    private final MandateClusterView view;
    private final CamelClusterEventListener listener;
    private final ScheduledThreadPoolExecutor thread;
    /** What it is still to be told, in order. Not in the executor: that loses what it has no memory to queue. */
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private volatile @Nullable Thread current;
    /** Runs when it has returned from its last call; null until it is removed. */
    private volatile @Nullable Runnable gone;

    /** Whether it was last told that this instance leads. On its thread alone. */
    private boolean leads;

    /** The members it was told of, by the ids of their instances. On its thread alone. */
    private Map<String, CamelClusterMember> members = Map.of();

    ToldListener(MandateClusterView view, CamelClusterEventListener listener, ThreadFactory threads) {
        this.view = view;
        this.listener = listener;
        this.thread = new ScheduledThreadPoolExecutor(1, work -> {
            Thread made = threads.newThread(work);
            made.setName("mandate-camel-" + view.getNamespace());
            made.setDaemon(true);
            current = made;
            return made;
        });
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
    }

    boolean isOf(CamelClusterEventListener other) {
        return listener == other;
    }

    private boolean isMaster() {
        return listener.getClass().getName().startsWith(MASTER);
    }

    private boolean isPolicy() {
        return listener.getClass().getName().startsWith(POLICY);
    }

    /** Tells it what is known. */
    void begin() {
        leadershipChanged();
        membersChanged();
    }

    /** Tells it nothing more. {@code then} runs when no call of it is in progress any more. */
    void end(Runnable then) {
        gone = then;
        handOver();
    }

    /** Completes when it has been told who leads now, and has returned. */
    CompletableFuture<Void> leadershipChanged() {
        return tell(this::tellLeadership);
    }

    /** As {@link #leadershipChanged()}. */
    CompletableFuture<Void> leadershipLost() {
        CompletableFuture<Void> returned = leadershipChanged();
        if (isMaster()) {
            tell(() -> repeat(REPEATS));
        }
        return returned;
    }

    /** Tells it who leads, if it is a policy; see {@link ContextEvents}. */
    void tellPolicy() {
        if (isPolicy()) {
            leadershipChanged();
        }
    }

    /**
     * Completes when it has returned from what it was told before, if it is a policy; see {@link ContextEvents}. What
     * still waits for a thread is not in progress.
     */
    CompletableFuture<Void> policyReturned() {
        return isPolicy() && Thread.currentThread() != current && thread.getPoolSize() > 0
                ? tell(() -> {})
                : CompletableFuture.completedFuture(null);
    }

    private void repeat(int times) {
        thread.schedule(
                () -> run(() -> {
                    if (!view.getLocalMember().isLeader()) {
                        tellLeadership();
                        if (times > 1) {
                            repeat(times - 1);
                        }
                    }
                }),
                REPEAT_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Another instance leads, or none. Of itself this one knows before the store. */
    void leaderSeen() {
        tell(() -> {
            if (!view.getLocalMember().isLeader()) {
                tellLeadership();
            }
        });
    }

    /**
     * Tells it who has come and gone since it was told last, also while the view was stopped. Nothing while the view
     * does not know: the others are still there.
     */
    void membersChanged() {
        if (listener instanceof Membership membership) {
            tell(() -> view.members().ifPresent(now -> tellMembers(membership, now)));
        }
    }

    /** Camel's own listeners do twice what they are told twice, so a win is told once. */
    // Camel tells them null if nobody leads, though the annotations of some versions exclude it.
    @SuppressWarnings("NullAway")
    private void tellLeadership() {
        if (listener instanceof Leadership told) {
            boolean leadsNow = view.getLocalMember().isLeader();
            if (leadsNow && isPolicy() && view.isContextStarting()) {
                return;
            }
            if (!leadsNow || !leads) {
                run(() -> {
                    leads = leadsNow;
                    told.leadershipChanged(view, view.getLeader().orElse(null));
                });
            }
        }
    }

    /** First who is gone: one that is back may have the same name. */
    private void tellMembers(Membership told, Map<String, CamelClusterMember> now) {
        Map<String, CamelClusterMember> before = members;
        members = now;
        before.forEach((id, member) -> {
            if (!now.containsKey(id)) {
                run(() -> told.memberRemoved(view, member));
            }
        });
        now.forEach((id, member) -> {
            if (!before.containsKey(id)) {
                run(() -> told.memberAdded(view, member));
            }
        });
    }

    /** Runs what waits because there was no memory for a thread, if there is now. */
    void wake() {
        try {
            if (!thread.getQueue().isEmpty()) {
                thread.prestartCoreThread();
            }
            if ((!waiting.isEmpty() || gone != null) && thread.getActiveCount() == 0) {
                thread.execute(this::runWaiting);
            }
        } catch (Throwable e) {
            // Still none. Said when it was told.
        }
    }

    /** Completes when the call has returned, never before: the lease of a leader depends on it. */
    private CompletableFuture<Void> tell(Runnable call) {
        CompletableFuture<Void> returned = new CompletableFuture<>();
        waiting.add(() -> {
            try {
                run(call);
            } finally {
                returned.complete(null);
            }
        });
        handOver();
        return gone == null ? returned : ended;
    }

    private void handOver() {
        try {
            thread.execute(this::runWaiting);
        } catch (RejectedExecutionException e) {
            // It has ended.
        } catch (Throwable e) {
            // There is no memory for a thread. See wake; the other listeners must be told nevertheless.
            failed(e);
        }
    }

    private void runWaiting() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
        @Nullable Runnable last = gone;
        if (last != null) {
            try {
                last.run();
            } finally {
                ended.complete(null);
                thread.shutdown();
            }
        }
    }

    private void run(Runnable call) {
        try {
            if (gone == null && !(isPolicy() && view.isContextStopping())) {
                call.run();
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void failed(Throwable why) {
        Log.warn("a listener of " + view.getNamespace() + " failed", why);
    }
}
