package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;

/** What all trials of registrations share: helpers for registrants. */
abstract class RegistrationFixture extends StoreTrialFixture {
    static ServiceInstance instance(String id) {
        return ServiceInstance.at("10.0.0." + id + ":8080").withId(id);
    }

    static Registration registered(ElectionClient client, String service, ServiceInstance instance)
            throws InterruptedException {
        Registration registration = client.registry().register(service, instance);
        assertThat(registration.awaitRegistered(PATIENCE))
                .as("registered, state %s", registration.state())
                .isTrue();
        return registration;
    }

    /** Deletes it once it is there: on a busy machine its lease may have expired, and then it comes back. */
    final void delete(ElectionClient client, String service, String id) throws Exception {
        Await.until(
                id + " to be registered",
                PATIENCE,
                () -> asked(() -> client.registry().instances(service)).find(id).isPresent());
        store().delete(RecordKey.registration(service, id));
    }

    final void awaitNothingLeft(String service) {
        awaitNothingLeft(RecordKey.registrations(service));
    }

    /** How long an instance stays listed after its last renewal, at most. */
    final Duration goneWithin() {
        StoreTraits traits = traits();
        Duration lease = store().lease();
        FollowingSettings following =
                new FollowingSettings(LeaseTiming.of(lease), traits.expiry(), FollowingSettings.RECORDS_MAX);
        return Duration.ofNanos(following.goneNanos(traits, lease.toNanos(), 1));
    }
}
