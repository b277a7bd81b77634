package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.registry.ServiceChange;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Follows a service and records when it was notified of each instance. Safe for use from many threads. */
final class Follower implements AutoCloseable {
    private final Map<String, Long> addedNanos = new HashMap<>();
    private final Map<String, Long> removedNanos = new HashMap<>();
    private final ServiceWatch watch;

    Follower(ElectionClient client, String service) {
        this.watch = client.registry().watch(service, this::changed);
    }

    private synchronized void changed(ServiceView now, List<ServiceChange> changes) {
        long at = System.nanoTime();
        for (ServiceChange change : changes) {
            switch (change.kind()) {
                case ADDED -> addedNanos.put(change.instance().id(), at);
                case REMOVED -> removedNanos.put(change.instance().id(), at);
                case CHANGED -> {}
            }
        }
        notifyAll();
    }

    ServiceView view() {
        return watch.view();
    }

    /**
     * The {@link System#nanoTime()} at which the instance was reported.
     *
     * @throws Failure if it is not reported in time
     */
    long awaitAdded(String id, Duration atMost) throws InterruptedException {
        return await(addedNanos, id, "instance " + id + " was not seen", atMost);
    }

    /** The same for the removal of an instance. */
    long awaitRemoved(String id, Duration atMost) throws InterruptedException {
        return await(removedNanos, id, "instance " + id + " was still listed", atMost);
    }

    private synchronized long await(Map<String, Long> told, String id, String what, Duration atMost)
            throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        Long at = told.get(id);
        while (at == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new Failure(ExitCode.UNAVAILABLE, what + " within " + atMost.toSeconds() + " s");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
            at = told.get(id);
        }
        return at;
    }

    /** Waits until the list has at most {@code size} instances; false if not before {@code deadlineNanos}. */
    synchronized boolean shrinks(int size, long deadlineNanos) throws InterruptedException {
        while (watch.view().instances().size() > size) {
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    @Override
    public void close() {
        watch.close();
    }
}
