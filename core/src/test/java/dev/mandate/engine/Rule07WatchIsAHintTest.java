package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.LossReason;
import dev.mandate.Standing;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 7: a watch is a hint. The poll is every 1.25 s, that of leaders on session stores every 30 s, and sight lasts 61 s. */
class Rule07WatchIsAHintTest {

    /** "A watch is a hint": what it shows ends no term; it makes the machine look. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void hintNeverProves(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.passServed(Duration.ofSeconds(1));
        Observation.Held mine = rig.storedHeld();

        rig.hint(Observation.vacant(Rig.KEY, mine.basis()));
        rig.hint(Observation.foreign(Rig.KEY, mine.basis(), mine.liveness(), 99, "stranger", null));

        assertThat(rig.isValid()).isTrue();
        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
        rig.serve();
        assertThat(rig.isValid()).isTrue();
    }

    /** Neither does it make a term: the record a doubtful acquire left has to be read. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aHintNeverMakesATerm(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        rig.land(acquire);
        rig.lose(acquire);

        rig.hint(rig.stored());
        assertThat(rig.role()).isInstanceOf(Role.Acquiring.class);
        rig.pass(Duration.ofSeconds(1));
        rig.lose(rig.only(ElectionAction.Read.class));
        rig.hint(rig.stored());

        assertThat(rig.role()).isInstanceOf(Role.Doubting.class);
        assertThat(rig.said(ElectionAction.Begin.class)).isEmpty();
    }

    /** "It may carry what it saw, so that a vacant election is taken with one write and no read." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aVacancyThatAHintShowsIsTakenWithOneWriteAndNoRead(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        rig.passServed(Duration.ofSeconds(3));
        rig.rivalReleases();
        rig.log.clear();

        rig.hint(rig.stored());

        assertThat(rig.log).hasAtLeastOneElementOfType(ElectionAction.Acquire.class);
        rig.serve();
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
        assertThat(rig.said(ElectionAction.Read.class)).isEmpty();
    }

    /** A look made before the win says nothing of it: the first hint after it need not keep its distance from that look. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aHintRightAfterTheWinIsFollowedAtOnce(StoreKind kind) {
        Rig rig = Rig.leading(kind);

        rig.hint(Observation.vacant(Rig.KEY, rig.storedHeld().basis()));

        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
    }

    /** What was written is gone before the answer comes: the hint of it is looked into as soon as that answer is here. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aHintDuringTheAcquireIsFollowedOnceItIsAnswered(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        Answer written = rig.land(acquire);

        rig.hint(Observation.vacant(Rig.KEY, rig.storedHeld().basis()));
        assertThat(rig.role()).isInstanceOf(Role.Acquiring.class);
        rig.deliver(acquire, written);

        assertThat(rig.isValid()).isTrue();
        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
    }

    /** The usual hint is that of the own write: it makes nobody read. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theHintOfTheOwnWriteIsNoNews(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");
        rig.all(SessionAction.Open.class).forEach(rig::answer);
        rig.answer(ElectionAction.Read.class);
        ElectionAction.Acquire acquire = rig.only(ElectionAction.Acquire.class);
        Answer written = rig.land(acquire);

        rig.hint(rig.stored());
        rig.deliver(acquire, written);
        rig.hint(rig.stored());

        assertThat(rig.isValid()).isTrue();
        assertThat(rig.all(ElectionAction.Read.class)).isEmpty();
    }

    /** "<em>Every write is conditional on its basis</em>": acquire, renewal, proclaim, release and the removal of a stray. */
    @Test
    void everyWriteIsConditionalOnWhatWasSeenLast() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).following();
        ElectionAction.Acquire acquire = rig.last(ElectionAction.Acquire.class);
        assertThat(acquire.basis()).isInstanceOf(Observation.Vacant.class);
        List<Observation.Held> stood = new ArrayList<>();

        stood.add(rig.storedHeld());
        rig.proclaim(1, "two");
        rig.serve();
        stood.add(rig.storedHeld());
        rig.passServed(Duration.ofMillis(3_334));
        stood.add(rig.storedHeld());
        rig.workStopped();
        rig.serve();

        List<ElectionAction.Update> updates = rig.said(ElectionAction.Update.class);
        assertThat(updates).hasSize(2);
        assertThat(updates.get(0).basis().basis()).isEqualTo(stood.get(0).basis());
        assertThat(updates.get(1).basis().basis()).isEqualTo(stood.get(1).basis());
        assertThat(rig.last(ElectionAction.Release.class).basis().basis())
                .isEqualTo(stood.get(2).basis());
    }

    /** "A jittered poll backs the watch": a lost hint costs a poll, no more. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void theFollowerPollsWithoutAnyHint(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        rig.rivalReleases();

        rig.passServed(Duration.ofMillis(1_249));
        assertThat(rig.said(ElectionAction.Acquire.class)).isEmpty();
        rig.passServed(Duration.ofMillis(1));

        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /** "A <em>jittered</em> poll": between 80 % and 120 % of the setting, and not the same every time. */
    @Test
    void thePollIsJittered() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).entropy(new SeededEntropy(7)).idle();
        rig.observe(true);
        List<Long> polls = new ArrayList<>();
        rig.passServed(Duration.ofMillis(200));
        for (int i = 0; i < 50; i++) {
            long before = rig.nanos;
            int reads = rig.said(ElectionAction.Read.class).size();
            while (rig.said(ElectionAction.Read.class).size() == reads) {
                rig.passServed(Rig.MILLI);
            }
            polls.add((rig.nanos - before) / 1_000_000);
        }
        // The first one was under way already.
        polls.remove(0);

        assertThat(polls).allMatch(p -> p >= 999 && p <= 1_501);
        assertThat(polls.stream().distinct().count()).isGreaterThan(10);
    }

    /** A flood of hints makes no flood of requests: reads are spaced like retries, 0.25 s. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aFloodOfHintsIsNoFloodOfReads(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        Observation.Held mine = rig.storedHeld();
        rig.log.clear();

        for (int i = 0; i < 1_000; i++) {
            rig.hint(Observation.vacant(Rig.KEY, mine.basis()));
            rig.gap();
            rig.passServed(Rig.MILLI);
        }

        assertThat(rig.said(ElectionAction.Read.class)).hasSizeBetween(4, 5);
        assertThat(rig.said(SweepAction.class)).hasSize(kind.sharesSession() ? 5 : 0);
    }

    /** What a hint shows of an older term than the newest known is ignored: a view never goes back. */
    @Test
    void aHintOfAnOlderTermIsIgnored() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        rig.observe(true);
        rig.rivalTakes(Rig.L);
        Observation old = rig.stored();
        rig.serve();
        rig.rivalReleases();
        rig.rivalTakes(Rig.L);
        rig.passServed(Duration.ofMillis(1_250));
        Observation.Held newest = rig.storedHeld();
        assertThat(rig.last(ElectionAction.Observed.class).view().held()).isSameAs(newest);
        int told = rig.said(ElectionAction.Observed.class).size();

        rig.hint(old);

        assertThat(rig.said(ElectionAction.Observed.class)).hasSize(told);
    }

    /** A vacancy that a hint shows may be an older one: it is looked at before observers are told. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aVacancyThatAHintShowsIsToldOnceALookHasShownIt(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.observe(true);
        rig.serve();
        Observation older = rig.stored();
        rig.rivalTakes(Rig.L);
        rig.passServed(Duration.ofSeconds(2));

        rig.hint(older);
        assertThat(told(rig)).isEqualTo(View.State.LED);
        rig.passServed(Duration.ofMillis(250));
        assertThat(told(rig)).isEqualTo(View.State.LED);
        rig.rivalReleases();
        rig.hint(rig.stored());
        rig.passServed(Duration.ofMillis(250));

        assertThat(told(rig)).isEqualTo(View.State.VACANT);
    }

    /** Where a vacancy is known, any term that a hint shows may be from before it, also one that was never seen. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aTermThatAHintShowsAfterAVacancyIsToldOnceALookHasShownIt(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        Observation older = rig.stored();
        rig.rivalReleases();
        rig.observe(true);
        rig.passServed(Duration.ofMillis(300));
        assertThat(told(rig)).isEqualTo(View.State.VACANT);

        rig.hint(older);
        rig.passServed(Duration.ofMillis(300));

        assertThat(rig.said(ElectionAction.Observed.class))
                .noneMatch(o -> o.view().state() == View.State.LED);
    }

    /** The same of another value, and of the leave flag, under the term that is known. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anotherRecordOfTheSameTermIsToldOnceALookHasShownIt(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.observe(true);
        rig.rivalTakes(Rig.L);
        Observation older = rig.stored();
        rig.update(rig.storedHeld().record().withValue("newer"), Intent.PROCLAIM);
        rig.passServed(Duration.ofMillis(300));
        assertThat(toldValue(rig)).isEqualTo("newer");

        rig.hint(older);
        assertThat(toldValue(rig)).isEqualTo("newer");
        rig.passServed(Duration.ofMillis(300));
        rig.update(rig.storedHeld().record().withValue("newest"), Intent.PROCLAIM);
        rig.hint(rig.stored());
        rig.passServed(Duration.ofMillis(300));

        assertThat(toldValue(rig)).isEqualTo("newest");
        assertThat(rig.said(ElectionAction.Observed.class).stream()
                        .filter(o -> o.view().held() != null)
                        .map(o -> o.view().held().record().value()))
                .doesNotContain("rival");
    }

    /** A read that was under way when a hint showed a later term is not told, whatever it shows of that term or a vacancy. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aReadThatAHintHasOvertakenIsNotTold(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.rivalTakes(Rig.L);
        rig.observe(true);
        rig.passServed(Duration.ofMillis(300));
        rig.rivalReleases();
        rig.gap();
        rig.pass(Duration.ofMillis(250));
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        Answer vacant = rig.land(read);
        rig.rivalTakes(Rig.L);

        rig.hint(rig.stored());
        rig.deliver(read, vacant);
        assertThat(rig.said(ElectionAction.Observed.class))
                .noneMatch(o -> o.view().state() == View.State.VACANT);
        rig.passServed(Duration.ofMillis(300));

        assertThat(told(rig)).isEqualTo(View.State.LED);
    }

    private static View.State told(Rig rig) {
        return rig.last(ElectionAction.Observed.class).view().state();
    }

    private static String toldValue(Rig rig) {
        return rig.last(ElectionAction.Observed.class).view().held().record().value();
    }

    /** A hint about an election nobody named makes nothing. */
    @Test
    void aHintAboutAnUnknownElectionIsIgnored() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        RecordKey unknown = RecordKey.election("unknown");

        List<Action> actions =
                rig.machine.on(unknown, new ElectionEvent.Hinted(rig.server.model.read(unknown, rig.nanos)), rig.now());

        assertThat(actions).isEmpty();
        assertThat(rig.machine.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** "[...] leaders on session stores are polled together (one paged {@code list} per client every {@code leaderPoll} [...])." */
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
        assertThat(rig.lossReason()).isEqualTo(LossReason.VANISHED);
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
        assertThat(rig.lossReason()).isEqualTo(LossReason.DISPLACED);
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

    /** One that was asked for before a proclaim was confirmed may show the value and the basis before it: it proves that the record stood. */
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
        assertThat(rig.lossReason()).isEqualTo(LossReason.VANISHED);
    }

    /** A page that is never answered is given up after an answer time-out, by whatever clock runs the machine, and asked for again. */
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
        assertThat(rig.lossReason()).isEqualTo(LossReason.VANISHED);
    }

    /** The process stood still when the answer to a page came, or did not come: nothing but the own clock says that it is over. */
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

    /** A page that always fails is asked for ever less often; then all from the first one on, once in a leader poll. */
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
        // A few more tries at first; from then on the first page and the second one once in a leader poll.
        assertThat(rig.said(SweepAction.class)).hasSizeBetween(40, 50);
        // The twenty that are not listed are read, each once in a leader poll; those that are listed are not.
        assertThat(rig.said(ElectionAction.Read.class)).hasSizeBetween(18 * 20, 21 * 20);
    }

    /** Where listing is not permitted, everybody is told at once, and what is held is read key by key: no term ends of it. */
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
        assertThat(rig.lossReason()).isEqualTo(LossReason.UNSEEN);

        rig.workStopped();
        rig.answer(rig.newest(ElectionAction.Release.class));

        assertThat(rig.standing()).isEqualTo(Standing.State.COOLING_DOWN);
        rig.loseAll();
        rig.passServed(Duration.ofMillis(2_499));
        assertThat(rig.role()).isInstanceOf(Role.Following.class);
        rig.passServed(Duration.ofMillis(1));
        assertThat(rig.role()).isInstanceOf(Role.Leading.class);
    }

    /**
     * "A session's renewal proves the session, not the record: [...] a term whose attempt no read has shown within {@code sight} = 2 × leaderPoll +
     * answer time-out ends."
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
        assertThat(rig.lossReason()).isEqualTo(LossReason.UNSEEN);
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

    /** The same of a win that settles. */
    @Test
    void sightEndsASettlingWinToo() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION)
                .settle(dev.mandate.Settle.ALWAYS)
                .settleForeign(Duration.ofMinutes(10))
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
