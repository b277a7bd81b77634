package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tells live instances from dead ones: follows them until each has renewed its lease or is gone. */
final class InstanceVerification {
    /** Time for the answers, beyond the leases. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private InstanceVerification() {}

    /**
     * Follows the service until every remaining instance is known to be alive: for at most two leases of this client
     * and 5 s for the answers. An instance with a longer lease may stay unverified.
     *
     * @throws Failure if the store stopped answering meanwhile
     */
    static ServiceView of(ElectionClient client, String service) throws InterruptedException {
        CountDownLatch known = new CountDownLatch(1);
        try (ServiceWatch watch = client.registry().watch(service, (now, changes) -> {
            if (isKnown(now)) {
                known.countDown();
            }
        })) {
            Duration atMost = client.explain().lease().multipliedBy(2).plus(PATIENCE);
            known.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
            ServiceView view = watch.view();
            if (view.stale()) {
                throw new Failure(
                        ExitCode.UNAVAILABLE,
                        "the store stopped answering during the check which instances of '" + service
                                + "' are alive; try again");
            }
            return view;
        }
    }

    private static boolean isKnown(ServiceView view) {
        return !view.stale() && view.instances().stream().allMatch(RegisteredInstance::verified);
    }
}
