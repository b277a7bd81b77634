package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionSettings;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.QueueOrder;
import dev.mandate.spi.Id;

/** The settings of a process in a world. */
final class Settings {
    private Settings() {}

    /** The settings of a new incarnation. */
    static ElectionSettings of(Candidate candidate) {
        World world = candidate.world;
        LeaseTiming timing = candidate.timing;
        Knobs k = world.knobs;
        long granted = world.server.store.grantedNanos(timing.leaseNanos());
        long freed = (long) ((Math.max(granted, timing.leaseNanos()) * k.traits.expiryFactor()
                        + k.traits.expirySlack().toNanos())
                * k.maxClockRatio);
        ElectionSettings elections = new ElectionSettings(
                World.name(k.sameNames ? 0 : candidate.index),
                new Id(world.random.nextLong(), world.random.nextLong() | 1),
                timing,
                k.kind.expiry(),
                k.kind.scope(),
                freed,
                k.traits.reserve().toNanos(),
                k.settle,
                k.settleTimeNanos,
                k.overrun,
                k.isOrdered());
        return k.queue == null ? elections : elections.queueing(QueueOrder.of(k.traits));
    }

    /** How many more renewals a session needs per lease because the store grants less. */
    static int renewalsMore(Candidate candidate) {
        LeaseTiming timing = candidate.timing;
        LeaseTiming granted = timing.granted(candidate.world.server.store.grantedNanos(timing.leaseNanos()));
        long renewals = timing.leaseNanos() * 10 / (granted.renewIntervalNanos() * 9);
        return (int) (renewals - timing.leaseNanos() * 10 / (timing.renewIntervalNanos() * 9));
    }
}
