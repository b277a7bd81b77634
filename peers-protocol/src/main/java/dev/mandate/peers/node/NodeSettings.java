package dev.mandate.peers.node;

import dev.mandate.peers.register.Group;
import java.time.Duration;

/**
 * The settings of a node.
 *
 * @param group all voters
 * @param self this node's place among them; {@link #GUEST} for a guest
 * @param quarantineNanos the longest lease of the group; after another list of members was seen, this node neither
 *     votes nor calls for as long
 * @param resendNanos how long to wait for a voter's answer before asking it again, or another in its place
 * @param backOffNanos the first pause of a write that collided with another; doubles
 * @param roundsMax how many epochs a call tries at most
 */
public record NodeSettings(
        Group group, int self, long quarantineNanos, long resendNanos, long backOffNanos, int roundsMax) {
    /** The place of a node that has no voter. */
    public static final int GUEST = -1;

    private static final long MILLI = 1_000_000;
    private static final int ROUNDS_MAX = 16;

    public NodeSettings {
        if (self != GUEST && !group.has(self)) {
            throw new IllegalArgumentException("place of a node is " + self + " in a group of " + group.voters());
        }
    }

    /** Suitable settings for a group with this longest lease: several tries fit the time that an answer may take. */
    public static NodeSettings of(Group group, int self, Duration maxLease) {
        long lease = maxLease.toNanos();
        return new NodeSettings(
                group,
                self,
                lease,
                between(lease / 50, 10 * MILLI, 500 * MILLI),
                between(lease / 1_000, 2 * MILLI, 20 * MILLI),
                ROUNDS_MAX);
    }

    private static long between(long value, long min, long max) {
        return Math.max(min, Math.min(max, value));
    }

    boolean isGuest() {
        return self == GUEST;
    }
}
