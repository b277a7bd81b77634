package dev.mandate.peers.store;

import dev.mandate.Guarantee;
import dev.mandate.peers.url.GroupSettings;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;

/** The traits of a group as a store. */
final class GroupTraits {
    private static final Duration LEASE_MIN = Duration.ofSeconds(1);

    /** After its quarantine a voter asks the others, which may still be in theirs. */
    private static final Duration JOINING = Duration.ofSeconds(3);

    private GroupTraits() {}

    static StoreTraits of(GroupSettings settings) {
        Duration max = settings.maxLease();
        Duration min = max.compareTo(LEASE_MIN) < 0 ? max : LEASE_MIN;
        return StoreTraits.of(settings.scheme().word(), Expiry.OBSERVER_JUDGES, LeaseScope.RECORD)
                .withLeaseBounds(min, max, Duration.ofMillis(1))
                .withWarmUp(max.plus(JOINING))
                .withWatch(settings.self().isPresent())
                .withLeftovers(false)
                .withGuarantee(Guarantee.FENCED)
                .withAssumptions(
                        "One live process per member: a frozen one counts, a copied one is two.",
                        "All members have the same list, in the same order, and the same maxLease.",
                        "No member's memory or disk goes back to an earlier state (a snapshot, a clone), and fsync is"
                                + " honest.",
                        "Less than a majority of the members lose their state at once; otherwise tokens rise only as"
                                + " wall clocks do.");
    }
}
