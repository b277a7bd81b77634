package dev.mandate.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a service's instances. Immutable; ask again for a newer one. Created by a {@link Registry}; later
 * versions may add members, which changes the constructor.
 *
 * @param service the service's name
 * @param instances those whose lease is not known to be over, whatever their status, by id
 * @param age how long ago the store last listed all of them. Hints do not count, so parts of the view may be newer
 * @param stale true if the store has not confirmed the list for a lease, or never did. A stale view is
 *     the last known list
 */
public record ServiceView(String service, List<RegisteredInstance> instances, Duration age, boolean stale) {
    private static final Comparator<RegisteredInstance> BY_ID = Comparator.comparing(RegisteredInstance::id);

    public ServiceView {
        instances = sorted(List.copyOf(instances));
    }

    private static List<RegisteredInstance> sorted(List<RegisteredInstance> instances) {
        for (int i = 1; i < instances.size(); i++) {
            if (BY_ID.compare(instances.get(i - 1), instances.get(i)) > 0) {
                return instances.stream().sorted(BY_ID).toList();
            }
        }
        return instances;
    }

    /** The instances that may be called: alive as far as known, and {@link Status#UP}. */
    public List<RegisteredInstance> passing() {
        return instances.stream().filter(RegisteredInstance::isPassing).toList();
    }

    /** The instance with that id, whatever its status. */
    public Optional<RegisteredInstance> find(String id) {
        int at = position(id);
        return at < 0 ? Optional.empty() : Optional.of(instances.get(at));
    }

    /**
     * The passing instance for {@code key}: the same one for the same key, in every process, as long as it passes. When
     * an instance leaves, only its own keys move; when one joins, only the keys that it takes over. Keys spread evenly.
     * Takes time proportional to the number of instances.
     *
     * <p>Rendezvous hashing: Thaler and Ravishankar, "A Name-Based Mapping Scheme for Rendezvous", 1996.
     */
    public Optional<RegisteredInstance> forKey(String key) {
        return Optional.ofNullable(Rendezvous.pick(key, instances));
    }

    /**
     * The next passing instance after {@code id} in the order of ids; after the last comes the first. Asking again
     * with the id of the answer cycles through all of them, even as instances come and go; {@code id} need not exist.
     * Empty if none passes.
     */
    public Optional<RegisteredInstance> after(String id) {
        int found = position(id);
        int start = found < 0 ? -found - 1 : found + 1;
        int size = instances.size();
        for (int i = 0; i < size; i++) {
            RegisteredInstance next = instances.get((start + i) % size);
            if (next.isPassing()) {
                return Optional.of(next);
            }
        }
        return Optional.empty();
    }

    /** Like {@link java.util.Collections#binarySearch}. */
    private int position(String id) {
        int low = 0;
        int high = instances.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = instances.get(middle).id().compareTo(id);
            if (order == 0) {
                return middle;
            }
            low = order < 0 ? middle + 1 : low;
            high = order < 0 ? high : middle - 1;
        }
        return -low - 1;
    }

    /** The changes from {@code earlier} to this view, by id. Applied to {@code earlier}, they give this list. */
    public List<ServiceChange> since(ServiceView earlier) {
        List<ServiceChange> changes = new ArrayList<>();
        int i = 0;
        int j = 0;
        List<RegisteredInstance> old = earlier.instances();
        while (i < old.size() || j < instances.size()) {
            int order = i == old.size() ? 1 : j == instances.size() ? -1 : BY_ID.compare(old.get(i), instances.get(j));
            if (order < 0) {
                changes.add(new ServiceChange(ServiceChange.Kind.REMOVED, old.get(i++)));
            } else if (order > 0) {
                changes.add(new ServiceChange(ServiceChange.Kind.ADDED, instances.get(j++)));
            } else {
                RegisteredInstance before = old.get(i++);
                RegisteredInstance after = instances.get(j++);
                if (!before.equals(after)) {
                    changes.add(new ServiceChange(ServiceChange.Kind.CHANGED, after));
                }
            }
        }
        return changes;
    }
}
