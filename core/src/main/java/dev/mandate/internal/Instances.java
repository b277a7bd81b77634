package dev.mandate.internal;

import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.spi.InstanceJson;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Instant;
import java.util.Map;

/** Instances of services, as they are written to the store and read from it. */
final class Instances {
    private Instances() {}

    /** What the record of {@code instance} has as its value. */
    static String value(ServiceInstance instance) {
        return InstanceJson.write(
                new InstanceJson.Content(instance.status().name(), instance.address(), instance.metadata()));
    }

    /**
     * Refuses, before any call, what does not fit on every store.
     *
     * @throws IllegalArgumentException that names the size and the bound, and does not quote the content
     */
    static ServiceInstance requireFit(ServiceInstance instance) {
        int bytes = instance.bytes();
        if (bytes > ServiceInstance.BYTES_MAX) {
            throw new IllegalArgumentException("address and metadata take " + bytes
                    + " bytes as JSON in UTF-8; the limit is " + ServiceInstance.BYTES_MAX
                    + ", so shorten the metadata");
        }
        return instance;
    }

    /**
     * The instance whose record stands at a key of {@link RecordKey#registrations(String)}. What another program wrote
     * there, and what cannot be read, is down.
     */
    static RegisteredInstance of(Observation.Held held, boolean verified) {
        String service = held.key().segments().get(0);
        if (held.isForeign()) {
            ServiceInstance instance = new ServiceInstance(held.key().name(), "", Map.of(), Status.DOWN);
            return new RegisteredInstance(service, instance, held.shown(), Instant.EPOCH, verified);
        }
        InstanceJson.Content content = InstanceJson.read(held.record().value());
        ServiceInstance instance = new ServiceInstance(
                held.key().name(), content.address(), content.metadata(), Status.of(content.status()));
        Instant since = Instant.ofEpochMilli(held.record().sinceMillis());
        return new RegisteredInstance(service, instance, held.record().candidate(), since, verified);
    }
}
