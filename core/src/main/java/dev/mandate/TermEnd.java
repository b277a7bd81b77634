package dev.mandate;

import java.time.Duration;

/**
 * How a term ended, as far as a mere follower can tell. For people and charts: decide nothing by it. Created by an
 * {@link ElectionsWatch}; later versions may add members, which changes the constructor.
 *
 * @param former who led, as last seen
 * @param cause why it ended, if the store shows that
 * @param vacant how long nobody is known to have led: until this client saw the next leader, or until now if there is
 *     none yet. Begins when this client saw the end or, if the leader had fallen silent, its last sign of life. Zero if
 *     it saw no vacancy; too short if it saw no renewal of a leader that died
 */
public record TermEnd(Leader former, Cause cause, Duration vacant) {
    /** Why a term ended. */
    public enum Cause {
        /** Somebody {@linkplain Election#evict asked} the leader to stop. */
        ASKED,
        /**
         * The record was freed before its lease could run out: the leader resigned, its work ended or failed, its
         * client was closed, or somebody freed the record {@linkplain Election#evictByForce by force}.
         */
        RELEASED,
        /** The leader did not renew its lease: it crashed, was frozen, or was cut off from the store. */
        EXPIRED,
        /**
         * Unknown. Stores that end leases themselves and share one among many records (etcd, Consul) show the same for
         * a release and an expiry.
         */
        UNKNOWN
    }
}
