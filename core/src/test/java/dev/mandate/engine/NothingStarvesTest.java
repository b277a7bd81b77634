package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.OverrunPolicy;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Duties that compete for the one request in flight, and what none of them may do to another. */
class NothingStarvesTest {

    /**
     * A refusal that says nothing asks for a look; a write that falls due meanwhile waits for it, however slow the
     * answer.
     */
    @Test
    void theLookAfterASilentRefusalIsNotAbandonedForAnotherTry() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                .store(ModelOptions.DEFAULT.withRefusalShows(false))
                .leading();
        rig.pass(Duration.ofMillis(3_334));
        ElectionAction.Update landed = rig.only(ElectionAction.Update.class);
        rig.land(landed);
        rig.lose(landed);
        rig.pass(Duration.ofMillis(1_250));
        rig.answer(ElectionAction.Update.class);
        ElectionAction.Read look = rig.only(ElectionAction.Read.class);

        rig.pass(Duration.ofMillis(900));
        assertThat(rig.all(ElectionAction.Update.class)).isEmpty();
        rig.answer(look);

        rig.answer(ElectionAction.Update.class);
        assertThat(rig.lastTerm().cell().window().sentNanos()).isEqualTo(rig.nanos);
    }

    /** The same of a release: else the record would stand, and its session be renewed, for ever. */
    @Test
    void aSilentlyRefusedReleaseLooksAndThenReleases() {
        Rig rig = Rig.on(StoreKind.JUDGES_SESSION)
                .store(ModelOptions.DEFAULT.withRefusalShows(false))
                .leading();
        rig.askToLeave();
        rig.resign();
        rig.workStopped();
        rig.answer(ElectionAction.Release.class);
        ElectionAction.Read look = rig.only(ElectionAction.Read.class);

        rig.pass(Duration.ofMillis(900));
        assertThat(rig.all(ElectionAction.Release.class)).isEmpty();
        rig.answer(look);
        rig.answer(ElectionAction.Release.class);

        assertThat(rig.isVacant()).isTrue();
    }

    /** While work is covered the basis may move, and the cover must follow it. */
    @Test
    void theCoverOfHeldWorkFollowsAMovedBasis() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                .store(ModelOptions.DEFAULT.withRefusalShows(false))
                .overrun(OverrunPolicy.HOLD)
                .leading();
        rig.resign();
        rig.askToLeave();

        rig.passServed(Duration.ofMinutes(1));

        assertThat(rig.storedHeld().isAttempt(rig.lastTerm().attempt())).isTrue();
        rig.workStopped();
        rig.passServed(Duration.ofSeconds(1));
        assertThat(rig.isVacant()).isTrue();
    }

    /**
     * A record whose lease is its own is over when the newest renewal that may have landed is, not the newest that was
     * answered.
     */
    @Test
    void aRecordIsNotGivenUpWhileALandedRenewalKeepsIt() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        long acquired = rig.nanos;
        rig.pass(Duration.ofMillis(6_000));
        rig.all(ElectionAction.Update.class).forEach(renewal -> {
            rig.land(renewal);
            rig.lose(renewal);
        });
        rig.withdraw();
        rig.workStopped();
        rig.loseAll();

        rig.passUntil(acquired + Duration.ofMillis(10_500).toNanos());

        assertThat(rig.storedHeld().isAttempt(rig.lastTerm().attempt())).isTrue();
        assertThat(rig.said(ElectionAction.Withdrawn.class)).isEmpty();
    }

    /**
     * "At least three complete tries fit before the drain budget begins": a proclaim that is never answered costs none
     * of them.
     */
    @Test
    void aProclaimCostsNoTryToRenew() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.pass(Duration.ofMillis(3_000));
        rig.proclaim(1, "moved");

        rig.pass(Duration.ofMillis(4_400));

        assertThat(rig.said(ElectionAction.Update.class))
                .filteredOn(update -> update.intent() == Intent.RENEW)
                .hasSizeGreaterThanOrEqualTo(3);
    }

    /** A candidacy that follows a withdrawn one begins when that is over, and with its own value. */
    @Test
    void aNewCandidacyWaitsUntilTheOldOneIsWithdrawn() {
        Rig rig = Rig.leading(StoreKind.JUDGES_SESSION);
        rig.withdraw();
        rig.campaign("another value");
        assertThat(rig.said(ElectionAction.Withdrawn.class)).isEmpty();

        rig.workStopped();
        rig.passServed(Duration.ofSeconds(5));

        assertThat(rig.said(ElectionAction.Withdrawn.class)).hasSize(1);
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.held().record().value()).isEqualTo("another value");
    }

    /** A read that was asked for before a hint came may have looked too early. */
    @Test
    void aHintDuringAReadIsFollowedByAnotherRead() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        Observation.Held before = rig.storedHeld();
        rig.pass(Duration.ofSeconds(2));
        rig.loseAll();
        LeaderRecord foreign = before.record().withValue("not what it was");
        rig.hint(Observation.held(before.key(), before.basis(), before.liveness(), 1, foreign.askedToLeave()));
        ElectionAction.Read early = rig.only(ElectionAction.Read.class);
        Answer sawNothing = rig.land(early);
        rig.askToLeave();
        rig.hint(rig.storedHeld());
        rig.deliver(early, sawNothing);

        rig.passServed(Duration.ofMillis(300));

        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
    }

    /** A record that cannot be released is not kept alive for ever by a session that can be renewed. */
    @Test
    void aRecordThatCannotBeReleasedEndsItsSession() {
        Rig rig = Rig.leading(StoreKind.JUDGES_SESSION);
        rig.resign();
        rig.workStopped();
        for (int i = 0; i < 100 && rig.said(SessionAction.End.class).isEmpty(); i++) {
            rig.all(ElectionAction.Release.class).forEach(rig::fail);
            rig.all(ElectionAction.Read.class).forEach(rig::fail);
            rig.all(SessionAction.Renew.class).forEach(rig::answer);
            rig.pass(Duration.ofMillis(250));
        }

        rig.answer(SessionAction.End.class);

        assertThat(rig.isVacant()).isTrue();
    }

    /** What is thrown half way through a step of one election leaves the totals right that all depend on. */
    @Test
    void whatIsThrownInAStepOfOneElectionCostsNobodyTheSession() {
        AtomicBoolean armed = new AtomicBoolean(true);
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION)
                .entropy(new SteadyEntropy() {
                    @Override
                    public long nextLong() {
                        if (armed.getAndSet(false)) {
                            throw new InternalError("simulated: one allocation failed");
                        }
                        return super.nextLong();
                    }
                })
                .idle();
        rig.campaign("value");
        SessionAction.Open open = rig.only(SessionAction.Open.class);
        rig.answer(open);
        assertThatThrownBy(() -> rig.answer(ElectionAction.Read.class)).isInstanceOf(InternalError.class);
        rig.passServed(Duration.ofSeconds(1));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);

        SessionLease session = rig.last(ElectionAction.Acquire.class).session();
        assertThat(session).isNotNull();
        session.cell().latch();
        rig.on(new SessionEvent.Latched(session));

        assertThat(rig.last(SessionAction.Open.class)).isNotEqualTo(open);
    }

    /** Nor do the others keep work that nobody told to stop, while the session ends that covers it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void whatIsThrownInAStepOfOneElectionEndsNoSessionUnderTheWorkOfAnother(int draw) {
        AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        Rig rig = Rig.on(StoreKind.JUDGES_SESSION)
                .entropy(new SteadyEntropy() {
                    @Override
                    public long jittered(long nanos) {
                        if (left.decrementAndGet() == 0) {
                            throw new InternalError("simulated: one allocation failed");
                        }
                        return nanos;
                    }
                })
                .leading();
        RecordKey other = RecordKey.election("others");
        rig.take(rig.machine.on(other, new ElectionEvent.Campaign("value"), rig.now()));
        rig.serve();
        SessionLease session = rig.last(ElectionAction.Acquire.class).session();
        assertThat(session).isNotNull();
        session.cell().latch();
        left.set(draw);
        assertThatThrownBy(() -> rig.on(new SessionEvent.Latched(session))).isInstanceOf(InternalError.class);

        rig.tick();

        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        assertThat(rig.machine.role(other)).isInstanceOf(Role.Stopping.class);
        assertThat(rig.said(SessionAction.End.class)).as("while work runs").isEmpty();
        rig.on(new ElectionEvent.WorkStopped(
                rig.said(ElectionAction.Begin.class).get(0).term().number()));
        rig.take(rig.machine.on(
                other, new ElectionEvent.WorkStopped(rig.lastTerm().number()), rig.now()));
        assertThat(rig.said(SessionAction.End.class)).as("after it").hasSize(1);
    }

    /** A listing that never ends is given up, and costs no term: what it did not show is read key by key. */
    @Test
    void aListingWithoutEndEndsNoTerm() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.log.clear();

        for (int millis = 0; millis < 200_000; millis += 100) {
            rig.pass(Rig.MILLI.multipliedBy(100));
            while (!rig.waiting.isEmpty()) {
                Action request = rig.waiting.get(0);
                if (request instanceof SweepAction sweep) {
                    rig.lose(sweep);
                    Cursor next = new Cursor("page " + sweep.request());
                    rig.take(rig.machine.onSweep(sweep.request(), new Page<>(List.of(), next), rig.now()));
                } else {
                    rig.answer(request);
                }
            }
        }

        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Read.class)).hasSizeBetween(5, 8);
        assertThat(rig.said(SweepAction.class)).hasSizeBetween(60_000, 80_000);
    }
}
