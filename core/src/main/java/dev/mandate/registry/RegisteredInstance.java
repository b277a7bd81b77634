package dev.mandate.registry;

import java.time.Instant;
import java.util.Map;

/**
 * An instance as clients that follow its service see it. All text is untrusted: pass it through {@link
 * dev.mandate.Leader#printable} before you print it. Created by a {@link Registry}; later versions may add members,
 * which changes the constructor.
 *
 * @param service the service's name
 * @param instance what the instance published; if that is unreadable, {@link Status#DOWN} without address or metadata
 * @param candidate who registered it, for people: by default host name and process id
 * @param since when it registered, by its own wall clock; for people only. {@link Instant#EPOCH} if unknown
 * @param verified whether it is known to be alive: always true where the store expires leases itself, elsewhere
 *     only after its liveness was seen to change within a lease. A dead instance stays listed until its lease is
 *     over, verified or not
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
     * Whether it may be called: its status is {@link Status#UP}. Its lease is not known to be over, or it
     * would not be listed.
     */
    public boolean isPassing() {
        return status() == Status.UP;
    }
}
