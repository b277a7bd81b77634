package dev.mandate.registry;

import java.time.Instant;
import java.util.Map;

/**
 * An instance as those who follow its service see it. All text is untrusted: use {@link dev.mandate.Leader#printable}
 * before a terminal sees it. Comes from a {@link Registry}: members may be added, which changes the constructor.
 *
 * @param service the service's name
 * @param instance what the instance says of itself; one that cannot be read is {@link Status#DOWN}, without address and
 *     metadata
 * @param candidate who registered it, for people: by default host name and process id
 * @param since when it believes it registered, by its own wall clock; for people only. {@link Instant#EPOCH} if not
 *     known
 * @param verified whether it is known to be alive: always where the store expires leases itself, elsewhere only after
 *     its liveness was seen to change within a lease. One that dies is listed until its lease is over, verified or not
 */
public record RegisteredInstance(
        String service, ServiceInstance instance, String candidate, Instant since, boolean verified) {

    /** {@link ServiceInstance#id()}. */
    public String id() {
        return instance.id();
    }

    /** {@link ServiceInstance#address()}. */
    public String address() {
        return instance.address();
    }

    /** {@link ServiceInstance#metadata()}. */
    public Map<String, String> metadata() {
        return instance.metadata();
    }

    /** {@link ServiceInstance#status()}. */
    public Status status() {
        return instance.status();
    }

    /**
     * Whether it may be called: its lease is not known to be over, else it would not be listed, and its status is
     * {@link Status#UP}.
     */
    public boolean isPassing() {
        return status() == Status.UP;
    }
}
