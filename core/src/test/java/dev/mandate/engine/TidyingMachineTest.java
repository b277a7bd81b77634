package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.TidyingMachine.Erase;
import dev.mandate.engine.TidyingMachine.ListPage;
import dev.mandate.engine.TidyingMachine.Release;
import dev.mandate.engine.TidyingMachine.Request;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.internal.memory.ModelStore;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a registrant removes of its service, how often, and what it lets be. */
class TidyingMachineTest {
    private static final RecordKey SERVICE = RecordKey.registrations("web");
    private static final Id SELF = new Id(1, 1);
    private static final Id OTHER = new Id(2, 2);
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final long ROUND = TidyingMachine.ROUND_NANOS;

    private ModelStore model = model(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD);
    private long nanos = 7_000_000_000L;
    private TidyingMachine machine = machine(Expiry.OBSERVER_JUDGES);
    private final List<Request> asked = new ArrayList<>();
    private int pageItems = 50;
    /** Since when this client has kept a record of its own. */
    private long kept = nanos;

    private static ModelStore model(Expiry expiry, LeaseScope scope) {
        return new ModelStore(StoreTraits.of("model", expiry, scope), ModelOptions.DEFAULT);
    }

    private TidyingMachine machine(Expiry expiry) {
        return new TidyingMachine(expiry, SELF, new SteadyEntropy(), now());
    }

    private Now now() {
        return new Now(nanos, nanos, nanos / 1_000_000);
    }

    private static RecordKey key(int id) {
        return RecordKey.registration("web", String.format("%04d", id));
    }

    private Observation.Held register(RecordKey key, Id incarnation, Duration lease) {
        LeaderRecord record = LeaderRecord.proposal("c", incarnation, new Id(3, nanos), "v", lease, 0);
        WriteOutcome outcome = model.acquire(key, model.read(key, nanos), record, 0, nanos, nanos / 1_000_000);
        return (Observation.Held) ((WriteOutcome.Written) outcome).now();
    }

    private void vacant(RecordKey key) {
        model.release(register(key, OTHER, LEASE), nanos);
    }

    private void renew(RecordKey key) {
        Observation.Held held = (Observation.Held) model.read(key, nanos);
        model.update(held, held.record().withTerm(held.term()), Intent.RENEW, nanos);
    }

    /** A round from its first request to its last, at this instant. */
    private void round() {
        nanos = Math.max(nanos, machine.wakeAtNanos());
        machine.kept(kept);
        for (Request next = machine.proceed(now()); next != null; next = answer(next)) {
            asked.add(next);
            assertThat(machine.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
            assertThat(machine.proceed(now())).isNull();
        }
    }

    private Request answer(Request request) {
        if (request instanceof ListPage list) {
            return machine.listed(model.list(SERVICE, list.from(), pageItems, nanos), now());
        } else if (request instanceof Release release) {
            return machine.wrote(model.release(release.basis(), nanos), now());
        }
        return machine.wrote(model.erase(((Erase) request).basis(), nanos), now());
    }

    private List<RecordKey> left() {
        return model.list(SERVICE, Cursor.START, 10_000, nanos).items().stream()
                .map(Observation::key)
                .toList();
    }

    private <T> int count(Class<T> kind) {
        return (int) asked.stream().filter(kind::isInstance).count();
    }

    @Test
    void theFirstRoundIsWithinTenMinutesAndTheOthersAboutTenMinutesApart() {
        List<Long> firsts = new ArrayList<>();
        for (int seed = 0; seed < 200; seed++) {
            TidyingMachine each = new TidyingMachine(Expiry.OBSERVER_JUDGES, SELF, new SeededEntropy(seed), now());
            firsts.add(each.wakeAtNanos() - nanos);
            nanos = each.wakeAtNanos();
            assertThat(each.proceed(new Now(nanos - 1, nanos - 1, 0))).isNull();
            assertThat(each.proceed(now())).isEqualTo(new ListPage(Cursor.START));
            each.failed();
            assertThat(each.wakeAtNanos() - nanos).isBetween(ROUND * 9 / 10, ROUND);
        }
        assertThat(firsts).allMatch(first -> first >= 0 && first < ROUND);
        assertThat(firsts.stream().mapToLong(each -> each).average().orElseThrow())
                .isBetween(ROUND * 0.4, ROUND * 0.6);
    }

    @Test
    void vacantRecordsAreErasedAtOnce() {
        vacant(key(1));
        vacant(key(2));
        register(key(3), OTHER, LEASE);

        round();

        assertThat(left()).containsExactly(key(3));
        assertThat(count(Erase.class)).isEqualTo(2);
    }

    @Test
    void otherServicesAreNotEvenListed() {
        vacant(RecordKey.registration("webapp", "1"));

        round();

        assertThat(count(Erase.class)).isZero();
    }

    @Test
    void theDeadAreRemovedWhenTheyDidNotChangeForTheirLease() {
        register(key(1), OTHER, LEASE);
        register(key(2), OTHER, LEASE);
        round();
        assertThat(left()).hasSize(2);
        nanos += ROUND / 2;
        renew(key(2));

        round();

        assertThat(left()).containsExactly(key(2));
        assertThat(asked).filteredOn(Release.class::isInstance).hasSize(1);
        round();
        assertThat(left()).isEmpty();
    }

    @Test
    void theLongestLeaseItWasSeenWithCounts() {
        Duration longer = Duration.ofMinutes(15);
        Observation.Held held = register(key(1), OTHER, longer);
        round();
        LeaderRecord shorter = LeaderRecord.proposal("c", OTHER, held.record().attempt(), "v", LEASE, 0)
                .withTerm(held.term());
        model.update((Observation.Held) model.read(key(1), nanos), shorter, Intent.PROCLAIM, nanos);
        long firstSeen = nanos;

        round();
        assertThat(nanos - firstSeen).isLessThan(longer.toNanos());
        assertThat(left()).hasSize(1);
        round();

        assertThat(nanos - firstSeen).isGreaterThan(longer.toNanos());
        assertThat(left()).isEmpty();
    }

    /**
     * The store was away, or all machines were suspended: those who live come back when this client does, or a little
     * later.
     */
    @Test
    void onlyTimeCountsInWhichThisClientKeptARecordItself() {
        register(key(1), OTHER, LEASE);
        round();
        nanos = machine.wakeAtNanos();
        kept = nanos - LEASE.toNanos() + 1;

        round();

        assertThat(left()).hasSize(1);
        round();
        assertThat(left()).isEmpty();
    }

    @Test
    void whoeverHasNoRecordJudgesNobody() {
        register(key(1), OTHER, LEASE);
        vacant(key(2));
        kept = Long.MAX_VALUE;

        round();
        round();
        round();

        assertThat(left()).containsExactly(key(1));
    }

    @Test
    void nobodyIsRemovedAfterThisClientHasLostItsOwnMeanwhile() {
        for (int i = 0; i < 5; i++) {
            register(key(i), OTHER, LEASE);
        }
        round();
        nanos = machine.wakeAtNanos();
        Request next = answer(machine.proceed(now()));
        next = answer(next);
        assertThat(next).isInstanceOf(Erase.class);
        nanos += ROUND / 4;

        machine.kept(nanos);

        assertThat(answer(next)).isNull();
        assertThat(left()).hasSize(4);
    }

    @Test
    void thoseWhoLeftAreForgotten() {
        register(key(1), OTHER, LEASE);
        register(key(2), OTHER, LEASE);
        round();
        assertThat(machine.remembered()).isEqualTo(2);
        model.release((Observation.Held) model.read(key(1), nanos), nanos);

        round();
        round();

        assertThat(left()).isEmpty();
        assertThat(machine.remembered()).isZero();
    }

    @Test
    void itsOwnRecordsAndThoseOfOtherProgramsAreLetBe() {
        register(key(1), SELF, LEASE);
        model.overwriteForeign(key(2), "theirs", LEASE, nanos);

        round();
        round();
        round();

        assertThat(left()).hasSize(2);
    }

    @Test
    void whereTheStoreRemovesNobodyIsReleased() {
        model = model(Expiry.STORE_REMOVES, LeaseScope.SESSION);
        machine = machine(Expiry.STORE_REMOVES);
        long session = model.openSession(Duration.ofDays(1).toNanos(), nanos);
        LeaderRecord record = LeaderRecord.proposal("c", OTHER, new Id(3, nanos), "v", LEASE, 0);
        model.acquire(key(1), model.read(key(1), nanos), record, session, nanos, 0);
        WriteOutcome other = model.acquire(key(2), model.read(key(2), nanos), record, session, nanos, 0);
        model.release((Observation.Held) ((WriteOutcome.Written) other).now(), nanos);

        round();
        round();
        round();

        assertThat(left()).containsExactly(key(1));
        assertThat(count(Release.class)).isZero();
    }

    @Test
    void oneHundredAreRemovedInARound() {
        for (int i = 0; i < 130; i++) {
            vacant(key(i));
        }
        for (int i = 130; i < 260; i++) {
            register(key(i), OTHER, LEASE);
        }
        round();
        assertThat(left()).hasSize(160);
        round();
        // 30 that are vacant. The others it sees for the first or the second time.
        assertThat(left()).hasSizeBetween(60, 130);
        round();
        round();
        round();

        assertThat(left()).isEmpty();
        assertThat(count(Erase.class)).isEqualTo(260);
    }

    @Test
    void whatIsRefusedIsLetBe() {
        register(key(1), OTHER, LEASE);
        vacant(key(2));
        vacant(key(3));
        round();
        vacant(key(2));
        nanos = machine.wakeAtNanos();
        Request next = answer(machine.proceed(now()));
        // What was seen dead renews, and what was vacant is taken, before the writes arrive.
        renew(key(1));
        register(key(2), OTHER, LEASE);
        while (next != null) {
            next = answer(next);
        }

        assertThat(model.read(key(1), nanos)).isInstanceOf(Observation.Held.class);
        assertThat(model.read(key(2), nanos)).isInstanceOf(Observation.Held.class);
    }

    @Test
    void whatFailsEndsTheRound() {
        vacant(key(1));
        vacant(key(2));
        nanos = machine.wakeAtNanos();
        assertThat(answer(machine.proceed(now()))).isInstanceOf(Erase.class);

        machine.failed();

        assertThat(machine.proceed(now())).isNull();
        assertThat(machine.wakeAtNanos()).isGreaterThan(nanos + ROUND / 2);
        round();
        assertThat(left()).isEmpty();
    }

    @Test
    void aListingThatNeverEndsIsGivenUp() {
        nanos = machine.wakeAtNanos();
        machine.proceed(now());
        Cursor same = new Cursor("x");
        Request next = machine.listed(new Page<>(List.of(), same), now());
        assertThat(next).isEqualTo(new ListPage(same));

        assertThat(machine.listed(new Page<>(List.of(), same), now())).isNull();
        assertThat(machine.wakeAtNanos()).isGreaterThan(nanos);
    }

    /** Answers that nobody waits for change nothing. */
    @Test
    void lateAnswersAreDropped() {
        vacant(key(1));
        Page<Observation> page = model.list(SERVICE, Cursor.START, 10, nanos);

        assertThat(machine.listed(page, now())).isNull();
        assertThat(machine.wrote(WriteOutcome.refused(), now())).isNull();
        assertThat(left()).hasSize(1);
    }
}
