package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Observation;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rule 1: count from send. With a lease of 10 s the deadline is 10 s / 1.1 − 0.1 s = 8.990 s after the send, and the
 * stop 10 s / 6 before that: 7.324 s after the send.
 */
class Rule01CountFromSendTest {
    private static final Duration LATE = Duration.ofMillis(900);
    private static final Duration JUST_BEFORE_STOP = Duration.ofMillis(7_323);
    private static final Duration JUST_AFTER_STOP = Duration.ofMillis(7_325);

    /** "The deadline = time the request was <em>sent</em> + L/q − deadlineMargin [...]. Never from the reply." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void deadlineCountsFromTheSendNotTheReply(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.answer(ElectionAction.Read.class);
        // What carries the lease: the session, or the record.
        Action carrier =
                kind.sharesSession() ? rig.only(SessionAction.Open.class) : rig.only(ElectionAction.Acquire.class);
        long sent = rig.nanos;
        Answer answer = rig.land(carrier);
        rig.pass(LATE);
        rig.deliver(carrier, answer);
        rig.all(ElectionAction.Acquire.class).forEach(rig::answer);
        rig.loseAll();

        assertThat(rig.isValid()).isTrue();
        rig.passUntil(sent + JUST_BEFORE_STOP.toNanos());
        assertThat(rig.isValid()).isTrue();
        rig.passUntil(sent + JUST_AFTER_STOP.toNanos());
        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /** The same of every renewal: it is believed from its own send, however late it was confirmed. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aRenewalCountsFromItsSendToo(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofMillis(3_334));
        Action renewal = renewal(rig);
        long sent = rig.nanos - 666_667;

        Answer answer = rig.land(renewal);
        rig.pass(LATE);
        rig.deliver(renewal, answer);

        rig.passUntil(sent + JUST_BEFORE_STOP.toNanos());
        assertThat(rig.isValid()).isTrue();
        rig.passUntil(sent + JUST_AFTER_STOP.toNanos());
        assertThat(rig.isValid()).isFalse();
    }

    /** "[...] never moved by an older reply that arrives late." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void olderReplyArrivingLateMovesNothing(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofMillis(3_334));
        Action first = renewal(rig);
        Answer late = rig.land(first);
        rig.lose(first);
        rig.pass(Duration.ofMillis(1_250));
        Action second = renewal(rig);
        long sent = rig.nanos;

        // While a newer one is under way the older reply is nobody's answer.
        LeaseWindow before = rig.lastTerm().cell().window();
        rig.take(late.deliver(rig.machine, rig.now()));
        assertThat(rig.lastTerm().cell().window()).isEqualTo(before);

        if (kind.sharesSession()) {
            rig.answer(second);
        } else {
            // The first renewal landed, so that the second is refused, and the third is written.
            rig.answer(second);
            rig.pass(Duration.ofMillis(250));
            sent = rig.nanos;
            rig.answer(renewal(rig));
        }
        LeaseWindow after = rig.lastTerm().cell().window();
        assertThat(after.sentNanos()).isBetween(sent - 1_000_000, sent);
        rig.take(late.deliver(rig.machine, rig.now()));
        assertThat(rig.lastTerm().cell().window()).isEqualTo(after);
    }

    /** "[...] and only by an answer that carries a <em>grant</em> (a proclaim renews nothing on most stores)." */
    @Test
    void onlyAGrantMovesTheDeadline() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        LeaseWindow before = rig.lastTerm().cell().window();
        rig.pass(Duration.ofSeconds(1));

        rig.proclaim(7, "moved");
        rig.answer(ElectionAction.Update.class);

        assertThat(rig.last(ElectionAction.Proclaimed.class).written()).isTrue();
        assertThat(rig.lastTerm().cell().window()).isEqualTo(before);
    }

    /** "[...] on most stores": where a proclaim cannot but renew, its answer carries the grant, and it counts. */
    @Test
    void aProclaimThatCarriesAGrantMovesTheDeadline() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD)
                .store(ModelOptions.DEFAULT.withUpdatesRenew(true))
                .leading();
        rig.pass(Duration.ofSeconds(1));

        rig.proclaim(7, "moved");
        rig.answer(ElectionAction.Update.class);

        assertThat(rig.lastTerm().cell().window().sentNanos()).isEqualTo(rig.nanos);
    }

    /** Where the store may grant less than was asked, an acquire whose answer was lost counts on no more than that. */
    @Test
    void anAcquireThatWasNotAnsweredCountsOnTheLeastThatTheStoreGrants() {
        Rig rig =
                Rig.on(StoreKind.REMOVES_RECORD).reserve(Duration.ofSeconds(2)).idle();
        rig.campaign("value");
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        long sent = rig.nanos;
        rig.land(acquire);
        rig.lose(acquire);
        rig.pass(Duration.ofSeconds(1));
        rig.answer(ElectionAction.Read.class);

        assertThat(rig.isValid()).isTrue();
        long most = (long) ((rig.timing.leaseNanos() - 2_000_000_000L) / rig.timing.maxClockRatio());
        assertThat(rig.lastTerm().cell().window().endAtNanos()).isLessThanOrEqualTo(sent + most);
    }

    /** A renewal that was written without a grant prolonged nothing, and is asked again soon. */
    @Test
    void aRenewalWithoutAGrantIsNoRenewal() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        LeaseWindow before = rig.lastTerm().cell().window();
        rig.pass(Duration.ofMillis(3_334));

        ElectionAction.Update renewal = rig.only(ElectionAction.Update.class);
        rig.answer(renewal, WriteOutcome.written(rig.stored()));

        assertThat(rig.lastTerm().cell().window()).isEqualTo(before);
        rig.pass(Duration.ofMillis(250));
        assertThat(rig.all(ElectionAction.Update.class)).hasSize(1);
    }

    /**
     * "L is the lease in the record (or granted by the store, if shorter)": here the store granted half of what was
     * asked.
     */
    @ParameterizedTest
    @EnumSource(
            value = StoreKind.class,
            names = {"REMOVES_SESSION", "JUDGES_SESSION"})
    void aShorterGrantOfASessionIsBelievedForLess(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofMillis(3_334));
        SessionAction.Renew renewal = rig.only(SessionAction.Renew.class);
        rig.lose(renewal);

        rig.on(new SessionEvent.Renewed(renewal.request(), SessionRenewal.renewed(Duration.ofSeconds(5))));

        LeaseWindow window = rig.lastTerm().cell().window();
        assertThat(Duration.ofNanos(window.stopNanos())).isBetween(Duration.ofMillis(3_662), Duration.ofMillis(3_663));
        assertThat(Duration.ofNanos(window.endNanos())).isBetween(Duration.ofMillis(4_495), Duration.ofMillis(4_496));
    }

    /** The same where each record has its own lease; and never for longer than was asked. */
    @Test
    void aShorterGrantOfARecordIsBelievedForLessAndALongerOneNotForMore() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.pass(Duration.ofMillis(3_334));
        ElectionAction.Update renewal = rig.only(ElectionAction.Update.class);

        rig.answer(renewal, WriteOutcome.renewed(rig.stored(), Duration.ofSeconds(5)));
        assertThat(rig.lastTerm().cell().window().stopNanos()).isBetween(3_662_000_000L, 3_663_000_000L);

        // The next renewal is due after a third of what was granted.
        rig.pass(Duration.ofMillis(1_667));
        renewal = rig.only(ElectionAction.Update.class);
        rig.answer(renewal, WriteOutcome.renewed(rig.stored(), Duration.ofSeconds(60)));
        assertThat(rig.lastTerm().cell().window().stopNanos()).isBetween(7_324_000_000L, 7_325_000_000L);
    }

    /**
     * "{@code isValid()}, {@code remaining()}, the watchdog and rule 5 use stopAt; draining begins there; an overrun is
     * judged at the deadline."
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void drainingBeginsAtTheStopAndAnOverrunIsJudgedAtTheDeadline(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        long sent = rig.lastTerm().cell().window().sentNanos();

        rig.passUntil(sent + JUST_BEFORE_STOP.toNanos());
        assertThat(rig.said(ElectionAction.End.class)).isEmpty();
        assertThat(rig.lastTerm().remainingNanos(rig.now())).isBetween(1L, 2_000_000L);
        rig.passUntil(sent + JUST_AFTER_STOP.toNanos());
        assertThat(rig.said(ElectionAction.End.class)).hasSize(1);
        assertThat(rig.lastTerm().remainingNanos(rig.now())).isZero();

        rig.passUntil(sent + 8_990_000_000L);
        assertThat(rig.said(ElectionAction.Overrun.class)).isEmpty();
        rig.passUntil(sent + 8_991_000_000L);
        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /**
     * The deadline is the earlier of both clocks: what the wall clock has already used up is missing from the time to
     * drain.
     */
    @Test
    void theDeadlineOfAnOverrunIsThatOfTheClockThatIsAhead() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);

        rig.stepWall(Duration.ofMillis(8_500));
        assertThat(rig.isValid()).isFalse();
        rig.on(new ElectionEvent.TermLatched(rig.lastTerm().number()));
        assertThat(rig.lossReason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        rig.pass(Duration.ofMillis(485));
        assertThat(rig.said(ElectionAction.Overrun.class)).isEmpty();
        rig.pass(Duration.ofMillis(10));

        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /**
     * "Where the loss is already proven, work is interrupted at once, and what still runs after the drain budget is an
     * overrun."
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void whereTheLossIsProvenTheWorkHasItsDrainBudget(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.passServed(Duration.ofSeconds(20));
        rig.server.model.delete(Rig.KEY, rig.nanos);

        rig.gap();
        rig.serve();

        assertThat(rig.isValid()).isFalse();
        assertThat(rig.lossReason()).isEqualTo(EndReason.VANISHED);
        rig.pass(Duration.ofMillis(1_666));
        assertThat(rig.said(ElectionAction.Overrun.class)).isEmpty();
        rig.pass(Duration.ofMillis(1));
        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /** The drain budget of a shorter grant is shorter, too: nothing of ours runs unreported after its deadline. */
    @Test
    void theDrainBudgetShrinksWithTheGrant() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.pass(Duration.ofMillis(3_334));
        long sent = rig.nanos - 666_667;
        rig.answer(rig.only(ElectionAction.Update.class), WriteOutcome.renewed(rig.stored(), Duration.ofSeconds(5)));
        rig.passUntil(sent + 3_660_000_000L);

        rig.resign();
        rig.loseAll();
        rig.passUntil(sent + 4_495_000_000L);

        assertThat(rig.said(ElectionAction.Overrun.class)).hasSize(1);
    }

    /** What stands in a record about time is for people only. */
    @Test
    void theSinceOfARecordDecidesNothing() {
        Rig rig = Rig.on(StoreKind.JUDGES_RECORD).idle();
        rig.wallMillis += Duration.ofDays(4_000).toMillis();
        rig.rivalTakes(Rig.L);
        rig.wallMillis -= Duration.ofDays(4_000).toMillis();
        rig.campaign("value");
        rig.serve();
        assertThat(rig.stored()).isInstanceOf(Observation.Held.class);

        rig.passServed(Duration.ofMillis(10_001));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    private static Action renewal(Rig rig) {
        return rig.kind.sharesSession() ? rig.only(SessionAction.Renew.class) : rig.only(ElectionAction.Update.class);
    }
}
