package dev.mandate.registry;

import dev.mandate.json.InstanceJson;
import dev.mandate.spi.RecordKey;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What an instance publishes about itself. Immutable. Start from {@link #at} or {@link #withoutAddress} and use the
 * {@code with…} methods: they stay the same when later versions add members, which may change the constructor.
 *
 * <p>Address and metadata together take at most {@value #BYTES_MAX} bytes as written, which is JSON in UTF-8: every
 * store accepts that much. {@link Registry#register} and {@link Registration#update} refuse more.
 *
 * @param id distinguishes the instances of a service: 1 to 512 bytes of UTF-8 without control characters. Empty for the
 *     client's incarnation, which is new with every start
 * @param address where to call it, in any form its callers understand: {@code 10.0.0.7:8080}, a URL. Empty
 *     if nobody calls it
 * @param metadata anything else for its callers, in any order; names must not be empty. Not for secrets: everybody with
 *     read access to the registry sees it
 * @param status whether it wants to be called
 */
public record ServiceInstance(String id, String address, Map<String, String> metadata, Status status) {
    /** The most bytes that address and metadata take together, as written. */
    public static final int BYTES_MAX = 1_000;

    public ServiceInstance {
        if (!id.isEmpty()) {
            RecordKey.requireName("id", id);
        }
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(status, "status");
        metadata = Map.copyOf(metadata);
        if (metadata.containsKey("")) {
            throw new IllegalArgumentException("metadata has a field with an empty name; name it");
        }
    }

    /**
     * An instance that is {@link Status#UP} and has no metadata.
     *
     * @throws IllegalArgumentException if the address is empty
     */
    public static ServiceInstance at(String address) {
        if (address.isEmpty()) {
            throw new IllegalArgumentException(
                    "address is empty; give one, or use ServiceInstance.withoutAddress() if nobody calls this instance");
        }
        return new ServiceInstance("", address, Map.of(), Status.UP);
    }

    /** An instance without an address: it registers only to be seen. */
    public static ServiceInstance withoutAddress() {
        return new ServiceInstance("", "", Map.of(), Status.UP);
    }

    /** This instance under another id. */
    public ServiceInstance withId(String newId) {
        return new ServiceInstance(newId, address, metadata, status);
    }

    /** This instance with another address; empty for none. */
    public ServiceInstance withAddress(String newAddress) {
        return new ServiceInstance(id, newAddress, metadata, status);
    }

    /** This instance with this field of metadata added or replaced. */
    public ServiceInstance withMetadata(String name, String value) {
        Map<String, String> more = new TreeMap<>(metadata);
        more.put(name, value);
        return new ServiceInstance(id, address, more, status);
    }

    /** This instance with {@code all} as its metadata. */
    public ServiceInstance withMetadata(Map<String, String> all) {
        return new ServiceInstance(id, address, all, status);
    }

    /** This instance with another status. */
    public ServiceInstance withStatus(Status newStatus) {
        return new ServiceInstance(id, address, metadata, newStatus);
    }

    /** How many bytes address and metadata take as written; the status costs nothing. */
    public int bytes() {
        return InstanceJson.bytes(address, metadata);
    }
}
