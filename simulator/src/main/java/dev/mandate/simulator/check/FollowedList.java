package dev.mandate.simulator.check;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The changes that a follower of a service was told, applied in order, and whether they could be applied. */
public final class FollowedList {
    private final String who;
    private final InstancesCheck check;
    private @Nullable Map<String, String> told;
    /** Instances that hints reported gone since the follower was last told something. */
    private final Set<String> vacant = new HashSet<>();

    // True times at which listings began: the one in progress, and the last two that completed.
    private long askedAt;
    private long lastAt = Long.MIN_VALUE;
    private long lastButOneAt = Long.MIN_VALUE;
    private long confirmedNanos = Long.MIN_VALUE;

    /** An instance before and after a change; null for none. */
    public record Change(
            String id, @Nullable String was, @Nullable String is) {}

    /** Nothing was told yet; {@code who} names the follower in messages. */
    public FollowedList(String who, InstancesCheck check) {
        this.who = who;
        this.check = check;
    }

    /** The list as told so far; null before the first time. */
    public @Nullable Map<String, String> told() {
        return told;
    }

    /** A listing begins. */
    public void asks(long now) {
        askedAt = now;
    }

    /** The last complete listing began at {@code nanos} of the follower's clock. */
    public void confirmed(long nanos) {
        if (nanos != confirmedNanos) {
            confirmedNanos = nanos;
            lastButOneAt = lastAt;
            lastAt = askedAt;
        }
    }

    /** A hint says that this instance is gone. It counts, though it may be old. */
    public void hintsAtVacancy(String id) {
        vacant.add(id);
    }

    /** All changes of one moment. */
    public void changed(boolean isFirst, Iterable<Change> changes, long now) {
        if (isFirst != (told == null)) {
            check.broken(who + (isFirst ? " is told the whole again" : " is told changes before the whole"));
        }
        Map<String, String> known = told == null ? new TreeMap<>() : told;
        told = known;
        Set<String> gone = new TreeSet<>();
        for (Change change : changes) {
            apply(change, known);
            if (change.is() == null && !vacant.contains(change.id())) {
                gone.add(change.id());
            }
        }
        if (isFirst) {
            check.whole(who, known.keySet(), vacant, askedAt, now);
        }
        check.gone(who, gone, known.isEmpty(), lastButOneAt, now);
        vacant.clear();
    }

    private void apply(Change change, Map<String, String> known) {
        String had = known.get(change.id());
        if (!Objects.equals(change.was(), had) || Objects.equals(change.is(), had)) {
            check.broken(who + " is told that instance " + change.id() + " turned from " + change.was() + " to "
                    + change.is() + ", and knew " + had);
        }
        if (change.is() == null) {
            known.remove(change.id());
        } else {
            known.put(change.id(), change.is());
        }
    }

    /** The follower now lists {@code size} instances. */
    public void inAll(int size, boolean isKnown) {
        if (isKnown && (told == null || told.size() != size)) {
            check.broken(who + " has " + size + " instances, and was told of " + told);
        }
    }
}
