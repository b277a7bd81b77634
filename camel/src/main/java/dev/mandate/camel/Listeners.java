package dev.mandate.camel;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.cluster.CamelClusterEventListener.Leadership;
import org.apache.camel.cluster.CamelClusterEventListener.Membership;
import org.apache.camel.cluster.CamelClusterMember;

/**
 * The listeners of a view. Calls them one at a time, on one thread, which ends when it has nothing to do, and holds no
 * lock: they start and stop routes.
 *
 * <p>Some versions of Camel start the consumer of a {@code master:} endpoint some time after the win, even if it was
 * lost meanwhile (CAMEL-24583), and no event follows that would stop it. So those listeners are told of a loss again
 * and again for a while.
 */
final class Listeners {
    private static final Logger LOGGER = System.getLogger("dev.mandate.camel");
    private static final String MASTER = "org.apache.camel.component.master.";

    /** By default, Camel's last attempt comes 46 s after the win. */
    private static final int REPEATS = 240;

    private static final long REPEAT_MILLIS = 250;
    private static final long IDLE_SECONDS = 5;

    private final MandateClusterView view;
    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor thread;

    Listeners(MandateClusterView view) {
        this.view = view;
        this.thread = new ScheduledThreadPoolExecutor(1, work -> {
            Thread made = new Thread(work, "mandate-camel-" + view.getNamespace());
            made.setDaemon(true);
            return made;
        });
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
    }

    /** A listener, and whether it was last told that this instance leads. Only the thread touches the latter. */
    private static final class Entry {
        final CamelClusterEventListener listener;
        boolean leads;

        Entry(CamelClusterEventListener listener) {
            this.listener = listener;
        }

        boolean isMaster() {
            return listener.getClass().getName().startsWith(MASTER);
        }
    }

    /** Adds it, and tells it what is known. */
    void add(CamelClusterEventListener listener) {
        Entry added = new Entry(listener);
        entries.add(added);
        thread.execute(() -> {
            tellLeadership(added);
            view.getMembers().forEach(m -> tellMember(added, m, Membership::memberAdded));
        });
    }

    /** Removes it. A call of it may still be in progress. */
    void remove(CamelClusterEventListener listener) {
        entries.removeIf(e -> e.listener == listener);
    }

    /** This instance leads, if it still does. */
    Future<?> leadershipChanged() {
        return thread.submit(() -> entries.forEach(this::tellLeadership));
    }

    /** This instance leads no more. */
    Future<?> leadershipLost() {
        Future<?> told = leadershipChanged();
        repeat(REPEATS);
        return told;
    }

    /** Another instance leads, or none. Of itself this one knows before the store. */
    void leaderSeen() {
        thread.execute(() -> {
            if (!view.getLocalMember().isLeader()) {
                entries.forEach(this::tellLeadership);
            }
        });
    }

    private void repeat(int times) {
        thread.schedule(
                () -> {
                    if (!view.getLocalMember().isLeader() && entries.stream().anyMatch(Entry::isMaster)) {
                        entries.stream().filter(Entry::isMaster).forEach(this::tellLeadership);
                        if (times > 1) {
                            repeat(times - 1);
                        }
                    }
                },
                REPEAT_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    void memberAdded(CamelClusterMember member) {
        thread.execute(() -> entries.forEach(e -> tellMember(e, member, Membership::memberAdded)));
    }

    void memberRemoved(CamelClusterMember member) {
        thread.execute(() -> entries.forEach(e -> tellMember(e, member, Membership::memberRemoved)));
    }

    /** Camel's own listeners do twice what they are told twice, so a win is told once. */
    private void tellLeadership(Entry entry) {
        if (entry.listener instanceof Leadership listener) {
            boolean leads = view.getLocalMember().isLeader();
            if (!leads || !entry.leads) {
                entry.leads = leads;
                tell(() -> listener.leadershipChanged(view, view.getLeader().orElse(null)));
            }
        }
    }

    private void tellMember(Entry entry, CamelClusterMember member, Told told) {
        if (entry.listener instanceof Membership listener) {
            tell(() -> told.tell(listener, view, member));
        }
    }

    /** One of the two events of members. */
    private interface Told {
        void tell(Membership listener, MandateClusterView view, CamelClusterMember member);
    }

    private void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            LOGGER.log(Level.WARNING, () -> "a listener of " + view.getNamespace() + " failed", e);
        }
    }
}
