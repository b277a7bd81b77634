package dev.mandate.internal;

import dev.mandate.Guarantee;
import dev.mandate.Order;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.engine.CandidateSettings;
import dev.mandate.engine.ElectionSettings;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.QueueOrder;
import dev.mandate.spi.Durations;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings in force for one client: those given, and for the others the defaults of {@link Setting}. Immutable;
 * thread-safe.
 */
public final class ClientSettings {
    /** An unrenewed registration may well be listed that long. */
    private static final Duration REGISTRATION_LEASE = Duration.ofSeconds(30);

    private final Map<Setting, Object> given;
    private final LeaseTiming timing;

    private ClientSettings(Map<Setting, Object> given, LeaseTiming timing) {
        this.given = new EnumMap<>(Setting.class);
        this.given.putAll(given);
        this.given.putIfAbsent(Setting.CANDIDATE, Hostname.andPid());
        this.timing = timing;
    }

    /**
     * Derives the settings in force from those given.
     *
     * @throws IllegalArgumentException if they cannot work together; names both numbers
     */
    static ClientSettings of(Map<Setting, Object> given) {
        LeaseTiming.Draft timing = LeaseTiming.of(
                (Duration) Setting.LEASE.required(given), (Double) Setting.MAX_CLOCK_RATIO.required(given));
        given.forEach((setting, value) -> {
            if (value instanceof Duration duration) {
                timing.set(setting.word(), duration);
            }
        });
        return new ClientSettings(given, timing.build());
    }

    /** Those of a client with that timing, which does not wait for its store; for tests and simulations. */
    public static ClientSettings of(String candidate, LeaseTiming timing, Settle settle, OverrunPolicy overrun) {
        return new ClientSettings(
                Map.of(
                        Setting.CANDIDATE, candidate,
                        Setting.CONNECT_TIMEOUT, Duration.ZERO,
                        Setting.SETTLE, settle,
                        Setting.ON_OVERRUN, overrun),
                timing);
    }

    /** The candidate id for people. */
    String candidate() {
        return (String) Setting.CANDIDATE.required(given);
    }

    /** All durations of the lease. */
    LeaseTiming timing() {
        return timing;
    }

    /** What happens to the lease when work outlives its budget. */
    OverrunPolicy onOverrun() {
        return (OverrunPolicy) Setting.ON_OVERRUN.required(given);
    }

    /** How long to wait for the store's first good answer. */
    Duration connectTimeout() {
        return (Duration) Setting.CONNECT_TIMEOUT.required(given);
    }

    /** Whether candidates queue, first come first. */
    boolean queues() {
        return Setting.ORDER.required(given) == Order.ARRIVAL;
    }

    /**
     * Refuses an {@code order} on a store with an order of its own.
     *
     * @param store that store's name in messages
     */
    static IllegalArgumentException twoOrders(Object given, String store) {
        return new IllegalArgumentException("order is '" + Setting.text(given) + "', but " + store
                + " has an order of its own; leave order out, or use another store");
    }

    /**
     * Refuses a store that does not fit these settings.
     *
     * @throws IllegalArgumentException that names the setting and what the store offers
     */
    void requireFit(StoreTraits traits) {
        requireGranted("lease", timing.lease(), traits);
        Duration registrationLease = (Duration) given.get(Setting.REGISTRATION_LEASE);
        if (registrationLease != null) {
            if (traits.leaseScope() == LeaseScope.SESSION) {
                throw new IllegalArgumentException(
                        "registrationLease is " + Durations.text(registrationLease) + ", but " + traits.name()
                                + " keeps all records of a client under one lease; leave it out, or set lease");
            }
            requireGranted("registrationLease", registrationLease, traits);
        }
        // Refuses a lease that leaves no time for three tries.
        timing.registering(registrationLease(traits));
        Guarantee required = (Guarantee) Setting.REQUIRED_GUARANTEE.required(given);
        if (!traits.guarantee().covers(required)) {
            String offered = Setting.text(traits.guarantee());
            throw new IllegalArgumentException("requiredGuarantee is " + Setting.text(required) + ", but "
                    + traits.name() + " guarantees only " + offered + "; use another store, or requiredGuarantee="
                    + offered);
        }
    }

    private static void requireGranted(String name, Duration lease, StoreTraits traits) {
        if (lease.compareTo(traits.leaseMin()) < 0 || lease.compareTo(traits.leaseMax()) > 0) {
            boolean isShort = lease.compareTo(traits.leaseMin()) < 0;
            Duration bound = isShort ? traits.leaseMin() : traits.leaseMax();
            throw new IllegalArgumentException(name + " is " + Durations.text(lease) + ", but " + traits.name()
                    + " grants " + (isShort ? "no less than " : "no more than ") + Durations.text(bound) + "; set "
                    + name + "=" + Durations.text(bound) + " or " + (isShort ? "more" : "less"));
        }
        if (traits.reserve().multipliedBy(2).compareTo(lease) > 0) {
            throw new IllegalArgumentException(name + " is " + Durations.text(lease) + ", but " + traits.name()
                    + " keeps " + Durations.text(traits.reserve())
                    + " of it back, which is more than half; set a longer one, or see the page of the store");
        }
    }

    /**
     * How long a registration lives without renewal. Where observers judge, the default is the lease of elections:
     * followers of a service poll that often anyway, and a longer lease would only keep the dead listed. Where the
     * store removes, every renewal of a registration is a write, so a longer default makes them fewer.
     */
    Duration registrationLease(StoreTraits traits) {
        Duration lease = timing.lease();
        if (given.get(Setting.REGISTRATION_LEASE) instanceof Duration registrationLease) {
            return registrationLease;
        }
        if (traits.leaseScope() == LeaseScope.SESSION || traits.expiry() == Expiry.OBSERVER_JUDGES) {
            return lease;
        }
        Duration wanted = lease.compareTo(REGISTRATION_LEASE) > 0 ? lease : REGISTRATION_LEASE;
        return wanted.compareTo(traits.leaseMax()) > 0 ? traits.leaseMax() : wanted;
    }

    /**
     * What the machines need to know.
     *
     * @param ordered whether the store says who tries first
     */
    CandidateSettings machines(StoreTraits traits, boolean ordered, Id incarnation) {
        LeaseTiming registering = timing.registering(registrationLease(traits));
        ElectionSettings elections = new ElectionSettings(
                candidate(),
                incarnation,
                timing,
                traits.expiry(),
                traits.leaseScope(),
                freedNanos(timing, traits),
                traits.reserve().toNanos(),
                (Settle) Setting.SETTLE.required(given),
                ((Duration) Setting.SETTLE_TIME.required(given)).toNanos(),
                onOverrun(),
                ordered);
        ElectionSettings registrations = elections.registrations(registering, freedNanos(registering, traits));
        return new CandidateSettings(
                queues() ? elections.queueing(QueueOrder.of(traits)) : elections,
                registrations,
                registrations.places(traits.leavesVacant()));
    }

    /**
     * How long the store, if its clock is slower by maxClockRatio, keeps an unrenewed lease; it may grant more than
     * asked.
     */
    private static long freedNanos(LeaseTiming timing, StoreTraits traits) {
        double granted = (double) timing.grantedMostNanos(traits);
        boolean isRemoving = traits.expiry() == Expiry.STORE_REMOVES;
        double kept = isRemoving
                ? granted * traits.expiryFactor() + traits.expirySlack().toNanos()
                : granted;
        return (long) (kept * timing.maxClockRatio());
    }

    /**
     * Every setting in force on a store with {@code traits}, by name, as a URL would spell it.
     *
     * @param ordered whether the store says who tries first
     */
    Map<String, String> inForce(StoreTraits traits, boolean ordered) {
        Map<String, String> all = new LinkedHashMap<>();
        for (Setting setting : Setting.values()) {
            Object value = inForce(setting, traits, ordered);
            if (value != null) {
                all.put(setting.word(), Setting.text(value));
            }
        }
        return all;
    }

    private @Nullable Object inForce(Setting setting, StoreTraits traits, boolean ordered) {
        Long nanos = timing.all().get(setting.word());
        if (nanos != null) {
            return Duration.ofNanos(nanos);
        }
        return switch (setting) {
            case MAX_CLOCK_RATIO -> timing.maxClockRatio();
            case REGISTRATION_LEASE -> traits.leaseScope() == LeaseScope.RECORD ? registrationLease(traits) : null;
            case ORDER -> ordered ? given.get(setting) : setting.required(given);
            default -> setting.required(given);
        };
    }
}
