package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rule 7: what leaders look at together, and for how long they have sight. Leaders on session stores are polled every
 * 30 s, and sight lasts 61 s.
 */
class Rule07SightTest {
    /**
     * "[...] leaders on session stores are polled together (one paged {@code list} per client every {@code
     * recordCheckInterval} [...])."
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void leadersOnSessionStoresArePolledTogether(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        List<RecordKey> keys = IntStream.range(0, 50)
                .mapToObj(i -> RecordKey.election("e" + i))
                .toList();
        keys.forEach(k -> rig.take(rig.machine.on(k, new ElectionEvent.Campaign("value"), rig.now())));
        rig.serve();
        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(50);
        rig.log.clear();

        rig.passServed(Duration.ofMinutes(5));

        assertThat(rig.said(SweepAction.class)).hasSize(10);
        assertThat(rig.said(ElectionAction.Request.class)).isEmpty();
        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
    }

    /** What any page of this listing shows is listed; what only a former listing showed is read. */
    @Test
    void whatNoPageOfThisListingShowsIsRead() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).idle();
        List<RecordKey> keys = List.of(RecordKey.election("a"), RecordKey.election("b"));
        keys.forEach(k -> rig.take(rig.machine.on(k, new ElectionEvent.Campaign("value"), rig.now())));
        rig.serve();
        rig.server.pageItems = 1;
        rig.log.clear();

        rig.gap();
        rig.serve();
        assertThat(rig.said(SweepAction.class)).hasSize(2);
        assertThat(rig.said(ElectionAction.Read.class)).isEmpty();

        rig.pass(Duration.ofSeconds(1));
        rig.gap();
        Observation shown = rig.server.model.read(keys.get(1), rig.nanos);
        rig.take(rig.machine.onSweep(
                rig.newest(SweepAction.class).request(), new Page<>(List.of(shown), null), rig.now()));

        assertThat(rig.only(ElectionAction.Read.class).key()).isEqualTo(keys.get(0));
    }

    /** "[...] and after every Gap." Even when a listing was under way: it may have been asked for too early. */
    @Test
    void heldElectionsAreListedAfterEveryGap() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.log.clear();
        rig.gap();
        SweepAction first = rig.only(SweepAction.class);
        Answer tooEarly = rig.land(first);
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.pass(Duration.ofMillis(500));
        rig.gap();

        rig.deliver(first, tooEarly);
        assertThat(rig.isValid()).isTrue();
        rig.serve();

        assertThat(rig.said(SweepAction.class)).hasSize(2);
        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
    }

    /** A read that a later listing overtook is old news: observers go back to nothing. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void aReadThatALaterListingOvertookIsOldNews(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofSeconds(1));
        rig.hint(Observation.vacant(Rig.KEY, rig.stored().basis()));
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        Answer early = rig.land(read);
        rig.update(rig.storedHeld().record().withValue("newer"), Intent.PROCLAIM);
        rig.pass(Duration.ofMillis(100));
        rig.gap();
        rig.answer(SweepAction.class);
        assertThat(rig.held().record().value()).isEqualTo("newer");

        rig.deliver(read, early);

        assertThat(rig.held().record().value()).isEqualTo("newer");
        assertThat(rig.isValid()).isTrue();
    }

    /** If it shows another record, it is not known which of the two looked first: it is asked again. */
    @Test
    void anOvertakenReadThatShowsALossIsAskedAgain() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.pass(Duration.ofSeconds(1));
        rig.hint(Observation.vacant(Rig.KEY, rig.stored().basis()));
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        rig.pass(Duration.ofMillis(100));
        rig.gap();
        rig.answer(SweepAction.class);
        rig.server.model.delete(Rig.KEY, rig.nanos);

        rig.answer(read);
        assertThat(rig.isValid()).isTrue();
        rig.pass(Duration.ofMillis(250));
        rig.answer(ElectionAction.Read.class);

        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
    }

    /** What a listing that was asked for after the win shows is a look like any other. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void aListingThatShowsAnotherAttemptEndsTheTerm(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.passServed(Duration.ofSeconds(1));
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.rivalTakes(Rig.L);

        rig.gap();
        rig.serve();

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.DISPLACED);
    }

    /** A listing that was asked for before the win was confirmed proves nothing about it. */
    @Test
    void aListingAskedForBeforeTheWinProvesNothing() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.gap();
        SweepAction sweep = rig.only(SweepAction.class);
        Answer vacant = rig.land(sweep);
        RecordKey other = RecordKey.election("other");
        rig.loseAll();
        rig.take(rig.machine.on(other, new ElectionEvent.Campaign("value"), rig.now()));
        rig.pass(Duration.ofMillis(100));
        rig.all(ElectionAction.Read.class).forEach(rig::answer);
        rig.all(ElectionAction.Acquire.class).forEach(rig::answer);
        assertThat(rig.machine.role(other)).isInstanceOf(Role.Leading.class);

        rig.deliver(sweep, vacant);

        assertThat(rig.machine.role(other)).isInstanceOf(Role.Leading.class);
        rig.serve();
        assertThat(rig.machine.role(other)).isInstanceOf(Role.Leading.class);
    }

    /**
     * One that was asked for before a proclaim was confirmed may show the value and the basis before it: it proves that
     * the record stood.
     */
    @Test
    void aListingAskedForBeforeAProclaimTakesNothingBack() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        passAnsweringSessionsOnly(rig, Duration.ofSeconds(29));
        rig.gap();
        SweepAction sweep = rig.only(SweepAction.class);
        Answer listed = rig.land(sweep);
        rig.observe(true);
        rig.proclaim(1, "moved");
        rig.pass(Duration.ofMillis(100));
        rig.answer(ElectionAction.Update.class);
        Observation.Held moved = rig.held();
        rig.log.clear();

        rig.deliver(sweep, listed);

        assertThat(rig.held()).isSameAs(moved);
        assertThat(rig.said(ElectionAction.Observed.class)).isEmpty();
        rig.proclaim(2, "again");
        rig.answer(ElectionAction.Update.class);
        assertThat(rig.last(ElectionAction.Proclaimed.class).written()).isTrue();
    }

    /** A key that a complete listing leaves out is read: not every store lists what is vacant. */
    @Test
    void aKeyThatAListingLeavesOutIsRead() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION)
                .store(ModelOptions.DEFAULT.withListsVacant(false))
                .leading();
        rig.passServed(Duration.ofSeconds(1));
        rig.server.model.delete(Rig.KEY, rig.nanos);

        rig.gap();
        rig.answer(SweepAction.class);

        assertThat(rig.isValid()).isTrue();
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
    }

    /**
     * A page that is never answered is given up after a request time-out, by whatever clock runs the machine, and asked
     * for again.
     */
    @Test
    void aPageThatIsNeverAnsweredIsAskedForAgain() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        rig.gap();
        SweepAction sweep = rig.only(SweepAction.class);
        Answer late = rig.land(sweep);
        rig.lose(sweep);

        rig.pass(Duration.ofMillis(1_249));
        assertThat(rig.all(SweepAction.class)).isEmpty();
        rig.pass(Duration.ofMillis(1));

        SweepAction second = rig.only(SweepAction.class);
        assertThat(second.request()).isNotEqualTo(sweep.request());
        rig.server.model.delete(Rig.KEY, rig.nanos);
        rig.take(late.deliver(rig.machine, rig.now()));
        assertThat(rig.isValid()).isTrue();
        rig.answer(second);
        rig.serve();
        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
    }

    /**
     * The process stood still when the answer to a page came, or did not come: nothing but the own clock says that it
     * is over.
     */
    @Test
    void aPageIsGivenUpEvenIfNobodySaysThatItFailed() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        passAnsweringSessionsOnly(rig, Duration.ofSeconds(30));
        rig.lose(rig.only(SweepAction.class));
        rig.pause(Duration.ofSeconds(2));

        rig.tick();
        rig.passServed(Duration.ofSeconds(58));

        assertThat(rig.isValid()).isTrue();
    }

    /**
     * A page that always fails is asked for ever less often; then all from the first one on, once in a record check
     * interval.
     */
    @Test
    void aPageThatAlwaysFailsCostsLittleAndStarvesNobody() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).idle();
        rig.server.pageItems = 10;
        List<RecordKey> keys = IntStream.range(10, 40)
                .mapToObj(i -> RecordKey.election("e" + i))
                .toList();
        keys.forEach(k -> rig.take(rig.machine.on(k, new ElectionEvent.Campaign("value"), rig.now())));
        rig.serve();
        assertThat(rig.said(ElectionAction.Begin.class)).hasSize(30);
        rig.log.clear();

        passFailingPages(rig, Duration.ofMinutes(10), sweep -> !sweep.from().equals(Cursor.START));

        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
        // A few more tries at first; from then on the first page and the second one once in a record check interval.
        assertThat(rig.said(SweepAction.class)).hasSizeBetween(40, 50);
        // The twenty that are not listed are read, each once in a record check interval; those that are listed are not.
        assertThat(rig.said(ElectionAction.Read.class)).hasSizeBetween(18 * 20, 21 * 20);
    }

    /**
     * Where listing is not permitted, everybody is told at once, and what is held is read key by key: no term ends of
     * it.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void whereListingIsRefusedWhatIsHeldIsReadKeyByKey(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        passAnsweringSessionsOnly(rig, Duration.ofSeconds(30));
        rig.log.clear();
        rig.fault(rig.only(SweepAction.class), "no right to list");

        assertThat(rig.last(SweepFault.class).message()).isEqualTo("no right to list");
        passFaultingPages(rig, Duration.ofMinutes(10));

        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
        assertThat(rig.said(SweepFault.class)).hasSize(1);
        assertThat(rig.said(SweepAction.class)).hasSize(20);
        assertThat(rig.said(ElectionAction.Read.class)).hasSizeBetween(19, 22);
        rig.passServed(Duration.ofSeconds(31));
        assertThat(rig.last(SweepFault.class).message()).isNull();
    }

    /** Whoever cannot see its record stands back for a while: others may see theirs. */
    @Test
    void anUnseenTermIsFollowedByACoolDown() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        passAnsweringSessionsOnly(rig, Duration.ofSeconds(61));
        assertThat(rig.lossReason()).isEqualTo(EndReason.UNSEEN);

        rig.workStopped();
        rig.answer(rig.newest(ElectionAction.Release.class));

        assertThat(rig.status()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
        rig.loseAll();
        rig.passServed(Duration.ofMillis(2_499));
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        rig.passServed(Duration.ofMillis(1));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /**
     * "A session's renewal proves the session, not the record: [...] a term whose attempt no read has shown within
     * {@code sight} = 2 × recordCheckInterval + requestTimeout ends."
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void sightRuleEndsAnUnseenTerm(StoreKind kind) {
        Rig rig = Rig.leading(kind);

        passAnsweringSessionsOnly(rig, Duration.ofMillis(60_999));
        assertThat(rig.isValid()).isTrue();
        passAnsweringSessionsOnly(rig, Duration.ofMillis(1));

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.UNSEEN);
    }

    /** Sight counts from when the look that showed the attempt was asked for. */
    @Test
    void sightCountsFromWhenTheLookWasAskedFor() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        passAnsweringSessionsOnly(rig, Duration.ofSeconds(30));
        SweepAction sweep = rig.only(SweepAction.class);
        Answer answer = rig.land(sweep);
        passAnsweringSessionsOnly(rig, Duration.ofMillis(900));
        rig.deliver(sweep, answer);

        passAnsweringSessionsOnly(rig, Duration.ofMillis(60_099));
        assertThat(rig.isValid()).isTrue();
        passAnsweringSessionsOnly(rig, Duration.ofMillis(1));

        assertThat(rig.isValid()).isFalse();
    }

    /** However long nothing could be seen: a lease before sight ends is early enough to see again. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 7})
    void whoeverSeesAgainALeaseBeforeSightEndsLeadsOn(long leaseSeconds) {
        LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(leaseSeconds));
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).timing(timing).leading();
        long leaseNanos = timing.leaseNanos();

        passAnsweringSessionsOnly(rig, Duration.ofNanos(timing.sightNanos() - leaseNanos));
        rig.passServed(Duration.ofNanos(2 * leaseNanos));

        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
    }

    /** The same of a win that settles. */
    @Test
    void sightEndsASettlingWinToo() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION)
                .settle(dev.mandate.Settle.ALWAYS)
                .settleTime(Duration.ofMinutes(10))
                .idle();
        rig.server.model.overwriteForeign(Rig.KEY, "stranger", Duration.ofSeconds(5), rig.nanos);
        rig.campaign("value");
        rig.passServed(Duration.ofSeconds(7));
        assertThat(rig.role()).isInstanceOf(Role.Settling.class);

        passAnsweringSessionsOnly(rig, Duration.ofSeconds(62));

        assertThat(rig.role()).isNotInstanceOf(Role.Settling.class);
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
    }

    /** A listing while a write of ours is under way extends sight by what it shows, and ends nothing. */
    @Test
    void aListingDuringAWriteProvesSightAlone() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        passAnsweringSessionsOnly(rig, Duration.ofSeconds(29));
        rig.proclaim(1, "moved");
        ElectionAction.Update proclaim = rig.only(ElectionAction.Update.class);
        Observation.Held held = rig.held();
        passAnsweringSessionsOnly(rig, Duration.ofMillis(500));
        rig.gap();
        passAnsweringSessionsOnly(rig, Duration.ofMillis(1));
        SweepAction sweep = rig.newest(SweepAction.class);

        rig.take(rig.machine.onSweep(
                sweep.request(), new Page<>(List.of(Observation.vacant(Rig.KEY, held.basis())), null), rig.now()));
        assertThat(rig.isValid()).isTrue();
        assertThat(rig.held()).isSameAs(held);
        assertThat(proclaim.basis()).isSameAs(held);
    }

    /** "Where the record itself is renewed, the renewal is the poll": no other look, and no listing. */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_RECORD", "JUDGES_RECORD"})
    void whereTheRecordIsRenewedTheRenewalIsThePoll(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.log.clear();

        rig.passServed(Duration.ofMinutes(5));

        assertThat(rig.said(SweepAction.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Read.class)).isEmpty();
        assertThat(rig.said(ElectionAction.Update.class)).hasSize(90);
        assertThat(rig.isValid()).isTrue();
    }

    private static void passFaultingPages(Rig rig, Duration duration) {
        for (long until = rig.nanos + duration.toNanos(); rig.nanos < until; ) {
            rig.pass(Duration.ofMillis(10));
            while (!rig.waiting.isEmpty()) {
                Action request = rig.waiting.get(0);
                if (request instanceof SweepAction) {
                    rig.fault(request, "no right to list");
                } else {
                    rig.answer(request);
                }
            }
        }
    }

    private static void passFailingPages(Rig rig, Duration duration, Predicate<SweepAction> fails) {
        for (long until = rig.nanos + duration.toNanos(); rig.nanos < until; ) {
            rig.pass(Duration.ofMillis(10));
            while (!rig.waiting.isEmpty()) {
                Action request = rig.waiting.get(0);
                if (request instanceof SweepAction sweep && fails.test(sweep)) {
                    rig.fail(request);
                } else {
                    rig.answer(request);
                }
            }
        }
    }

    private static void passAnsweringSessionsOnly(Rig rig, Duration duration) {
        long until = rig.nanos + duration.toNanos();
        while (rig.nanos < until) {
            rig.pass(Duration.ofNanos(Math.min(until - rig.nanos, 1_000_000)));
            rig.all(SessionAction.Renew.class).forEach(rig::answer);
        }
    }
}
