package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceChange;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** A service as one client follows it. Checks that the changes reported to its listener add up to the whole. */
public final class FollowedService implements AutoCloseable {
    private final ServiceWatch watch;
    private final List<ServiceView> told = new CopyOnWriteArrayList<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

    /** The result of applying the changes alone. Used on the listener's thread. */
    private final Map<String, RegisteredInstance> applied = new TreeMap<>();

    /** Follows the service from now on; {@link #close} it before the client. */
    public FollowedService(ElectionClient client, String service) {
        this.watch = client.registry().watch(service, this::changed);
    }

    private void changed(ServiceView now, List<ServiceChange> changes) {
        for (ServiceChange change : changes) {
            String id = change.instance().id();
            boolean isKnown = applied.containsKey(id);
            if (isKnown == (change.kind() == ServiceChange.Kind.ADDED)) {
                wrong.add(change + " told, while the instance was " + (isKnown ? "listed" : "not listed"));
            }
            if (change.kind() == ServiceChange.Kind.REMOVED) {
                applied.remove(id);
            } else {
                applied.put(id, change.instance());
            }
        }
        if (!List.copyOf(applied.values()).equals(now.instances())) {
            wrong.add("changes come to " + applied.values() + ", the whole is " + now.instances());
        }
        told.add(now);
    }

    /** The newest view. */
    public ServiceView view() {
        return watch.view();
    }

    /**
     * Waits until the newest view is as wanted.
     *
     * @throws AssertionError if it is not in time; shows the view
     */
    public void await(String what, Duration atMost, Predicate<ServiceView> isWanted) {
        try {
            Await.until(what, atMost, () -> isWanted.test(view()));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; seen: " + view(), e);
        }
    }

    /** Waits until exactly these are listed, in this order, and the list is fresh. */
    public void awaitIds(Duration atMost, String... ids) {
        List<String> wanted = List.of(ids);
        await("instances " + wanted, atMost, view -> !view.stale() && ids(view).equals(wanted));
    }

    static List<String> ids(ServiceView view) {
        return view.instances().stream().map(RegisteredInstance::id).toList();
    }

    /** All views that the listener was given so far. */
    List<ServiceView> told() {
        return List.copyOf(told);
    }

    /** Ends it, and fails if the changes reported to the listener did not add up. */
    @Override
    public void close() {
        watch.close();
        assertThat(wrong).as("what the listener was told").isEmpty();
    }
}
