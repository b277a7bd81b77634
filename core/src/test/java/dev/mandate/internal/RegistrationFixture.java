package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.json.InstanceJson;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** What tests of registrations share: four kinds of stores, one instance, on the real loop and virtual time. */
abstract class RegistrationFixture {
    static final RecordKey KEY = RecordKey.registration("web", "7");
    static final ServiceInstance HERE = ServiceInstance.at("10.0.0.7:8080").withId("7");
    static final Duration OUTAGE = Duration.ofMinutes(2);

    static Stream<World> worlds() {
        return Stream.of(
                World.withSessions(),
                World.withRecords(),
                World.judged(),
                new World(VirtualStore.traits(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD)));
    }

    static Registration registered(World world, Client client) throws InterruptedException {
        Registration registration = client.registry().register("web", HERE);
        assertThat(registration.awaitRegistered(Duration.ofSeconds(40))).isTrue();
        assertThat(registration.state())
                .isEqualTo(new RegistrationState(Phase.REGISTERED, "registered", Optional.empty()));
        assertThat(stored(world).address()).isEqualTo(registration.instance().address());
        return registration;
    }

    /** What stands in the store for the instance. */
    static InstanceJson.Content stored(World world) {
        Observation.Held held = (Observation.Held) world.store.shown(KEY);
        return InstanceJson.read(held.record().value());
    }

    static boolean isGone(World world) {
        return world.store.left(RecordKey.registrations()).isEmpty();
    }
}
