package dev.mandate.simulator.check;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What somebody who follows a service was told: the changes, applied in order, and whether they could be. */
public final class FollowedList {
    private final String who;
    private final InstancesCheck check;
    private @Nullable Map<String, String> told;
    private Map<String, String> before = Map.of();
    private Cause cause = Cause.OTHER;

    // True times at which listings were asked for: the one under way, and the last two that were complete.
    private long askedAt;
    private long lastAt = Long.MAX_VALUE;
    private long lastButOneAt = Long.MAX_VALUE;
    private long confirmedNanos = Long.MIN_VALUE;

    /** Why the list has changed. */
    public enum Cause {
        /** A hint said that an instance is gone, which may be old: that counts. */
        VACANT_HINT,
        /** Anything else. */
        OTHER
    }

    /** Nothing was told; {@code who} says in messages who follows. */
    public FollowedList(String who, InstancesCheck check) {
        this.who = who;
        this.check = check;
    }

    /** What was told; null before the first time. */
    public @Nullable Map<String, String> told() {
        return told;
    }

    /** A listing begins. */
    public void asks(long now) {
        askedAt = now;
    }

    /** The listing that was complete last began at {@code nanos} of the follower's own clock. */
    public void confirmed(long nanos) {
        if (nanos != confirmedNanos) {
            confirmedNanos = nanos;
            lastButOneAt = lastAt;
            lastAt = askedAt;
        }
    }

    /** Changes follow. */
    public void changed(boolean isFirst, Cause why, long now) {
        if (isFirst != (told == null)) {
            check.broken(who + (isFirst ? " is told the whole again" : " is told changes before the whole"));
        }
        if (told == null) {
            told = new TreeMap<>();
        }
        before = new TreeMap<>(told);
        cause = why;
    }

    /** One of them. */
    public void change(String id, @Nullable Object was, @Nullable Object is, long now) {
        Map<String, String> known = told;
        if (known == null) {
            return;
        }
        Object had = known.get(id);
        boolean isSame = was == null ? had == null : was.equals(had);
        if (!isSame || (is == null ? was == null : is.equals(was))) {
            check.broken(
                    who + " is told that instance " + id + " turned from " + was + " to " + is + ", and knew " + had);
        }
        if (is == null) {
            known.remove(id);
        } else {
            known.put(id, (String) is);
        }
    }

    /** That were all of them. */
    public void changed(long now) {
        Map<String, String> known = told;
        boolean isBlank = known != null && known.isEmpty() && !before.isEmpty();
        if (isBlank && cause != Cause.VACANT_HINT) {
            check.blank(who, before.keySet(), lastButOneAt, now);
        }
    }

    /** So many are listed. */
    public void inAll(int size, boolean isKnown) {
        if (isKnown && (told == null || told.size() != size)) {
            check.broken(who + " has " + size + " instances, and was told of " + told);
        }
    }
}
