package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.json.InstanceJson;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registry;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;

/** Writes instances of services to records, and reads them back. */
final class Instances {
    /** The longest name that a message quotes. */
    private static final int QUOTED_MAX = 40;

    private Instances() {}

    /** The value of the record of {@code instance}. */
    static String value(ServiceInstance instance) {
        return InstanceJson.write(
                new InstanceJson.Content(instance.status().name(), instance.address(), instance.metadata()));
    }

    /**
     * Refuses, before any call, an instance that does not fit on every store.
     *
     * @throws IllegalArgumentException that names the size, its largest part, and the bound; quotes no value
     */
    static ServiceInstance requireFit(ServiceInstance instance) {
        int bytes = instance.bytes();
        if (bytes > ServiceInstance.BYTES_MAX) {
            String longest = "the address";
            int most = size(instance.address());
            for (Map.Entry<String, String> field : instance.metadata().entrySet()) {
                int size = size(field.getKey()) + size(field.getValue());
                if (size > most) {
                    most = size;
                    longest = "metadata '" + quoted(field.getKey()) + "'";
                }
            }
            throw new IllegalArgumentException("address and metadata take " + bytes + " bytes as JSON in UTF-8, "
                    + longest + " alone " + most + "; the limit is " + ServiceInstance.BYTES_MAX
                    + " on every store, so shorten it");
        }
        return instance;
    }

    /**
     * The key of an instance; refuses one that some store cannot take. Each name may have 512 bytes; the key has both.
     *
     * @throws IllegalArgumentException that names the size and the bound
     */
    static RecordKey requireKey(String service, String id) {
        RecordKey key = RecordKey.registration(service, id);
        int length = RecordKey.registrations().path().length() + 1;
        int names = key.path().length() - length;
        if (names > Registry.NAMES_MAX) {
            throw new IllegalArgumentException("the service's name '" + quoted(service) + "' and the id '" + quoted(id)
                    + "' take " + names + " characters as a key, where a byte other than a letter, a digit or one of"
                    + " -._~@:+ takes 3; the limit is " + Registry.NAMES_MAX + " on every store, so shorten them");
        }
        return key;
    }

    private static int size(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String quoted(String name) {
        return Leader.printable(name.length() > QUOTED_MAX ? name.substring(0, QUOTED_MAX) + "…" : name);
    }

    /**
     * The instance whose record is at a key of {@link RecordKey#registrations(String)}. A foreign or unreadable record
     * is an instance that is down.
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
