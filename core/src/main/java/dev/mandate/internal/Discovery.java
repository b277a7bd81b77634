package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Lists instances of services for a caller that waits. Needs no right to write, and no session. */
final class Discovery {
    private static final int SERVICES_MAX = 100_000;

    private final ClientContext client;
    private final Inquiries inquiries;
    private final Following following;

    Discovery(ClientContext client, Inquiries inquiries, Following following) {
        this.client = client;
        this.inquiries = inquiries;
        this.following = following;
    }

    ServiceView instances(String service) {
        RecordKey prefix = RecordKey.registrations(service);
        client.lifecycle().requireOpen();
        FollowedService known = following.known(service);
        if (known != null && known.isListed()) {
            return known.view();
        }
        boolean isVerified = client.traits().expiry() == Expiry.STORE_REMOVES;
        TreeMap<String, RegisteredInstance> found = new TreeMap<>();
        long began = client.host().nanos();
        String what = "list the instances of service '" + Leader.printable(service) + "'";
        list(what, prefix, seen -> {
            if (seen instanceof Observation.Held held && InstanceReader.isInstance(held.key())) {
                found.put(held.key().name(), Instances.of(held, isVerified));
                requireFew(what, found.size(), FollowingSettings.RECORDS_MAX);
            }
        });
        Duration age = Duration.ofNanos(Math.max(0, client.host().nanos() - began));
        return new ServiceView(service, new ArrayList<>(found.values()), age, false);
    }

    List<String> services() {
        TreeSet<String> names = new TreeSet<>();
        list("list the services", RecordKey.registrations(), seen -> {
            if (seen instanceof Observation.Held held && InstanceReader.isInstance(held.key())) {
                names.add(held.key().segments().get(0));
                requireFew("list the services", names.size(), SERVICES_MAX);
            }
        });
        return List.copyOf(names);
    }

    private void list(String what, RecordKey prefix, Consumer<Observation> each) {
        if (!inquiries.list(what, prefix, each)) {
            throw new StoreUnavailableException(
                    client.storeName() + " returned pages without end when asked to " + what);
        }
    }

    private static void requireFew(String what, int found, int most) {
        if (found > most) {
            throw new IllegalStateException("asked to " + what + ", and found more than " + most
                    + ", which is the limit; spread them over several stores or prefixes");
        }
    }
}
