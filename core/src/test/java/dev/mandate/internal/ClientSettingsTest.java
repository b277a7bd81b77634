package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Guarantee;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.engine.ElectionSettings;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What settings and traits together mean for the machines, and which do not go together. */
class ClientSettingsTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Id ID = new Id(1, 2);

    private final Map<Setting, Object> given = new EnumMap<>(Setting.class);

    private ClientSettings settings() {
        given.putIfAbsent(Setting.LEASE, LEASE);
        given.putIfAbsent(Setting.MAX_CLOCK_RATIO, 1.25);
        given.putIfAbsent(Setting.CANDIDATE, "a");
        return ClientSettings.of(given);
    }

    private static StoreTraits traits(Expiry expiry) {
        return StoreTraits.of("store", expiry, LeaseScope.RECORD);
    }

    private Duration freed(StoreTraits traits) {
        return Duration.ofNanos(
                settings().machines(traits, false, ID).elections().freedNanos());
    }

    /** The store's clock may be slower than ours by q. */
    @Test
    void whatNobodyRenewsIsFreeAfterTheLeaseByTheSlowestClock() {
        assertThat(freed(traits(Expiry.STORE_REMOVES))).isEqualTo(Duration.ofMillis(12_500));
        assertThat(freed(traits(Expiry.STORE_REMOVES).withExpiry(2, Duration.ofSeconds(4))))
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(freed(traits(Expiry.OBSERVER_JUDGES))).isEqualTo(Duration.ofMillis(12_500));
    }

    /** It may have granted more than was asked for. */
    @Test
    void aStoreGrantsItsLeastLeaseAndWholeSteps() {
        StoreTraits coarse = traits(Expiry.OBSERVER_JUDGES)
                .withLeaseBounds(Duration.ofSeconds(8), Duration.ofMinutes(1), Duration.ofSeconds(4));
        assertThat(freed(coarse)).isEqualTo(Duration.ofSeconds(15));
        StoreTraits slow = traits(Expiry.OBSERVER_JUDGES)
                .withLeaseBounds(Duration.ofSeconds(20), Duration.ofMinutes(1), Duration.ofSeconds(1));
        assertThat(freed(slow)).isEqualTo(Duration.ofSeconds(25));
    }

    @Test
    void theMachinesGetWhatWasSet() {
        given.put(Setting.SETTLE, Settle.ALWAYS);
        given.put(Setting.SETTLE_TIME, Duration.ofSeconds(9));
        given.put(Setting.ON_OVERRUN, OverrunPolicy.HOLD);
        ElectionSettings machines = settings()
                .machines(traits(Expiry.STORE_REMOVES).withReserve(Duration.ofSeconds(2)), false, ID)
                .elections();

        assertThat(machines.candidate()).isEqualTo("a");
        assertThat(machines.incarnation()).isEqualTo(ID);
        assertThat(machines.timing().leaseNanos()).isEqualTo(LEASE.toNanos());
        assertThat(machines.scope()).isEqualTo(LeaseScope.RECORD);
        assertThat(machines.expiry()).isEqualTo(Expiry.STORE_REMOVES);
        assertThat(machines.reserveNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
        assertThat(machines.settle()).isEqualTo(Settle.ALWAYS);
        assertThat(machines.settleTimeNanos()).isEqualTo(Duration.ofSeconds(9).toNanos());
        assertThat(machines.overrun()).isEqualTo(OverrunPolicy.HOLD);
    }

    // ---- registrations ----

    private Duration registrationLease(StoreTraits traits) {
        settings().requireFit(traits);
        ElectionSettings registrations = settings().machines(traits, false, ID).registrations();
        assertThat(registrations.registers()).isTrue();
        assertThat(registrations.timing().lease()).isEqualTo(settings().registrationLease(traits));
        return registrations.timing().lease();
    }

    @Test
    void registrationsLiveForHalfAMinuteWhereTheStoreRemovesThemOneByOne() {
        StoreTraits removes = traits(Expiry.STORE_REMOVES);

        assertThat(registrationLease(removes)).isEqualTo(Duration.ofSeconds(30));
        assertThat(registrationLease(
                        removes.withLeaseBounds(Duration.ofSeconds(1), Duration.ofSeconds(20), Duration.ofSeconds(1))))
                .isEqualTo(Duration.ofSeconds(20));
        given.put(Setting.LEASE, Duration.ofMinutes(1));
        assertThat(registrationLease(removes)).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void registrationsLiveAsLongAsElectionsWhereObserversJudgeOrASessionKeepsThem() {
        assertThat(registrationLease(traits(Expiry.OBSERVER_JUDGES))).isEqualTo(LEASE);
        for (Expiry expiry : Expiry.values()) {
            assertThat(registrationLease(StoreTraits.of("store", expiry, LeaseScope.SESSION)))
                    .isEqualTo(LEASE);
        }
    }

    @Test
    void whatIsFreeAfterALeaseIsFreeAfterItsOwn() {
        given.put(Setting.REGISTRATION_LEASE, Duration.ofSeconds(40));

        assertThat(settings()
                        .machines(traits(Expiry.STORE_REMOVES), false, ID)
                        .registrations()
                        .freedNanos())
                .isEqualTo(Duration.ofSeconds(50).toNanos());
        assertThat(settings().inForce(traits(Expiry.STORE_REMOVES), false)).containsEntry("registrationLease", "40s");
    }

    @Test
    void aRegistrationLeaseIsRefusedWhereItCannotBe() {
        given.put(Setting.REGISTRATION_LEASE, Duration.ofSeconds(40));
        StoreTraits shorter = traits(Expiry.STORE_REMOVES)
                .withLeaseBounds(Duration.ofSeconds(1), Duration.ofSeconds(20), Duration.ofSeconds(1));

        assertThatThrownBy(() -> settings().requireFit(shorter))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("registrationLease is 40s, but store grants no more than 20s; set registrationLease=20s"
                        + " or less");
        assertThatThrownBy(
                        () -> settings().requireFit(StoreTraits.of("store", Expiry.STORE_REMOVES, LeaseScope.SESSION)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "registrationLease is 40s, but store keeps all records of a client under one lease; leave it"
                                + " out, or set lease");
        given.put(Setting.REGISTRATION_LEASE, Duration.ofSeconds(2));
        assertThatThrownBy(() -> settings().requireFit(traits(Expiry.OBSERVER_JUDGES)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("registrationLease does not fit: three tries to renew")
                .hasMessageContaining("lease 2 s");
    }

    // ---- what fits ----

    @Test
    void aLeaseIsOneThatTheStoreGrants() {
        StoreTraits exact = traits(Expiry.STORE_REMOVES).withLeaseBounds(LEASE, LEASE, Duration.ofSeconds(1));
        settings().requireFit(exact);
        StoreTraits longer = traits(Expiry.STORE_REMOVES)
                .withLeaseBounds(LEASE.plusMillis(1), LEASE.plusMillis(1), Duration.ofMillis(1));
        StoreTraits shorter = traits(Expiry.STORE_REMOVES)
                .withLeaseBounds(Duration.ofSeconds(1), LEASE.minusMillis(1), Duration.ofMillis(1));

        assertThatThrownBy(() -> settings().requireFit(longer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lease is 10s, but store grants no less than 10001ms; set lease=10001ms or more");
        assertThatThrownBy(() -> settings().requireFit(shorter))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lease is 10s, but store grants no more than 9999ms; set lease=9999ms or less");
    }

    @Test
    void aStoreMayKeepHalfOfALeaseBackAndNoMore() {
        settings().requireFit(traits(Expiry.STORE_REMOVES).withReserve(Duration.ofSeconds(5)));

        assertThatThrownBy(
                        () -> settings().requireFit(traits(Expiry.STORE_REMOVES).withReserve(Duration.ofMillis(5_001))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keeps 5001ms of it back, which is more than half");
    }

    @Test
    void aStoreGuaranteesWhatIsRequired() {
        given.put(Setting.REQUIRED_GUARANTEE, Guarantee.FENCED);
        settings().requireFit(traits(Expiry.STORE_REMOVES).withGuarantee(Guarantee.FENCED));

        assertThatThrownBy(
                        () -> settings().requireFit(traits(Expiry.STORE_REMOVES).withGuarantee(Guarantee.LEASED)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("requiredGuarantee is fenced, but store guarantees only leased; use another store, or"
                        + " requiredGuarantee=leased");
    }
}
