package dev.mandate.internal;

import dev.mandate.Explanation;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Explains what follows from a client's settings and its store. */
final class Explanations {
    private Explanations() {}

    /** {@code order} says who tries first, if the store does. */
    static Explanation of(
            String storeName, StoreTraits traits, ClientSettings settings, @Nullable Ordered order, Host host) {
        LeaseTiming timing = settings.timing();
        String first = order != null ? order.first() : settings.queues() ? "the candidate that has waited longest" : "";
        LeaseTiming.Bounds bounds = timing.bounds(traits, !first.isEmpty());
        // A leader counts on the least that the store may grant; those who wait, on the most.
        LeaseTiming leading =
                timing.granted(timing.leaseNanos() - traits.reserve().toNanos());
        List<String> assumptions = new ArrayList<>(traits.assumptions());
        assumptions.add(
                "The rates of two machines' clocks differ by less than a factor of " + timing.maxClockRatio() + ".");
        assumptions.addAll(host.assumptions());
        return new ComputedExplanation(
                storeName,
                traits.guarantee(),
                settings.inForce(traits, order != null),
                Duration.ofNanos(timing.leaseNanos()),
                leading.believedFor(),
                bounds.failover(),
                bounds.recovery(),
                bounds.forcedOverlap(),
                Duration.ofNanos(leading.drainTimeoutNanos()),
                bounds.coldStart(),
                first,
                first.isEmpty() ? Duration.ZERO : Duration.ofNanos(timing.turnMostNanos()),
                assumptions);
    }
}
