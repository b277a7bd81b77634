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
 * The settings in force for one client.
 *
 * @param candidate the candidate id for people
 * @param timing all durations of the lease
 * @param registrationLease how long a registration lives without renewal; null for the default, see
 *     {@link #registrationLease(StoreTraits)}
 * @param order who tries first; null if not set
 * @param settle which wins are announced only after settling
 * @param settleForeign how long to settle after a foreign record; zero for the default
 * @param overrun what happens to the lease when work outlives its budget
 * @param require the weakest acceptable guarantee
 * @param startup how long to wait for the store's first good answer
 */
public record ClientSettings(
        String candidate,
        LeaseTiming timing,
        @Nullable Duration registrationLease,
        @Nullable Order order,
        Settle settle,
        Duration settleForeign,
        OverrunPolicy overrun,
        Guarantee require,
        Duration startup) {
    static final Duration LEASE = Duration.ofSeconds(10);
    static final double RATE_RATIO = 1.1;
    /** An unrenewed registration may well be listed that long. */
    static final Duration REGISTRATION_LEASE = Duration.ofSeconds(30);

    static final Duration STARTUP = Duration.ofSeconds(10);

    /**
     * Derives the settings in force from those given.
     *
     * @throws IllegalArgumentException if they cannot work together; names both numbers
     */
    static ClientSettings of(Map<Setting, Object> given) {
        LeaseTiming.Draft timing =
                LeaseTiming.of(value(given, Setting.LEASE, LEASE), value(given, Setting.Q, RATE_RATIO));
        ifGiven(given, Setting.GUARD, timing::guard);
        ifGiven(given, Setting.RENEW, timing::renew);
        ifGiven(given, Setting.ANSWER, timing::answer);
        ifGiven(given, Setting.RETRY, timing::retry);
        ifGiven(given, Setting.DRAIN, timing::drain);
        ifGiven(given, Setting.POLL, timing::poll);
        ifGiven(given, Setting.LEADER_POLL, timing::leaderPoll);
        ifGiven(given, Setting.SPLAY, timing::splay);
        ifGiven(given, Setting.COOL_DOWN, timing::coolDown);
        return new ClientSettings(
                given.containsKey(Setting.CANDIDATE) ? (String) given.get(Setting.CANDIDATE) : Hostname.andPid(),
                timing.build(),
                (Duration) given.get(Setting.REGISTRATION_LEASE),
                (Order) given.get(Setting.ORDER),
                value(given, Setting.SETTLE, Settle.AFTER_FOREIGN),
                value(given, Setting.SETTLE_FOREIGN, Duration.ZERO),
                value(given, Setting.ON_OVERRUN, OverrunPolicy.RELEASE),
                value(given, Setting.REQUIRE, Guarantee.ADVISORY),
                value(given, Setting.STARTUP, STARTUP));
    }

    @SuppressWarnings("unchecked")
    private static <T> T value(Map<Setting, Object> given, Setting setting, T otherwise) {
        return (T) given.getOrDefault(setting, otherwise);
    }

    private static void ifGiven(
            Map<Setting, Object> given, Setting setting, java.util.function.Consumer<Duration> setter) {
        if (given.get(setting) instanceof Duration duration) {
            setter.accept(duration);
        }
    }

    /** Whether candidates queue, first come first. */
    boolean queues() {
        return order == Order.ARRIVAL;
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
        if (!traits.guarantee().covers(require)) {
            throw new IllegalArgumentException("require is " + Setting.text(require) + ", but " + traits.name()
                    + " guarantees only " + Setting.text(traits.guarantee()) + "; use another store, or require="
                    + Setting.text(traits.guarantee()));
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
        if (registrationLease != null) {
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
                candidate,
                incarnation,
                timing,
                traits.expiry(),
                traits.leaseScope(),
                freedNanos(timing, traits),
                traits.reserve().toNanos(),
                settle,
                settleForeign.toNanos(),
                overrun,
                ordered);
        ElectionSettings registrations = elections.registrations(registering, freedNanos(registering, traits));
        return new CandidateSettings(
                queues() ? elections.queueing(QueueOrder.of(traits)) : elections,
                registrations,
                registrations.places(traits.leavesVacant()));
    }

    /** How long the store, if its clock is slower by q, keeps an unrenewed lease; it may grant more than asked. */
    private static long freedNanos(LeaseTiming timing, StoreTraits traits) {
        long asked = Math.max(timing.leaseNanos(), traits.leaseMin().toNanos());
        long step = Math.max(1, traits.leaseStep().toNanos());
        double granted = (double) ((asked + step - 1) / step * step);
        boolean isRemoving = traits.expiry() == Expiry.STORE_REMOVES;
        double kept = isRemoving
                ? granted * traits.expiryFactor() + traits.expirySlack().toNanos()
                : granted;
        return (long) (kept * timing.rateRatio());
    }

    /**
     * Every setting in force on a store with {@code traits}, by name, as a URL would spell it.
     *
     * @param ordered whether the store says who tries first
     */
    Map<String, String> inForce(StoreTraits traits, boolean ordered) {
        Map<Setting, Object> all = new EnumMap<>(Setting.class);
        all.put(Setting.CANDIDATE, candidate);
        all.put(Setting.LEASE, Duration.ofNanos(timing.leaseNanos()));
        all.put(Setting.Q, timing.rateRatio());
        all.put(Setting.GUARD, Duration.ofNanos(timing.guardNanos()));
        all.put(Setting.RENEW, Duration.ofNanos(timing.renewNanos()));
        all.put(Setting.ANSWER, Duration.ofNanos(timing.answerNanos()));
        all.put(Setting.RETRY, Duration.ofNanos(timing.retryNanos()));
        all.put(Setting.DRAIN, Duration.ofNanos(timing.drainNanos()));
        all.put(Setting.POLL, Duration.ofNanos(timing.pollNanos()));
        all.put(Setting.LEADER_POLL, Duration.ofNanos(timing.leaderPollNanos()));
        all.put(Setting.SPLAY, Duration.ofNanos(timing.splayNanos()));
        all.put(Setting.COOL_DOWN, Duration.ofNanos(timing.coolDownNanos(1)));
        if (traits.leaseScope() == LeaseScope.RECORD) {
            all.put(Setting.REGISTRATION_LEASE, registrationLease(traits));
        }
        if (order != null || !ordered) {
            all.put(Setting.ORDER, order == null ? Order.RACE : order);
        }
        all.put(Setting.SETTLE, settle);
        all.put(Setting.SETTLE_FOREIGN, settleForeign);
        all.put(Setting.ON_OVERRUN, overrun);
        all.put(Setting.REQUIRE, require);
        all.put(Setting.STARTUP, startup);
        Map<String, String> words = new LinkedHashMap<>();
        all.forEach((setting, value) -> words.put(setting.word(), Setting.text(value)));
        return words;
    }
}
