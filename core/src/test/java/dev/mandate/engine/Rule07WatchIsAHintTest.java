package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rule 7: a watch is a hint. The poll is every 1.25 s, that of leaders on session stores every 30 s, and sight lasts 61
 * s.
 */
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

    /**
     * A look made before the win says nothing of it: the first hint after it need not keep its distance from that look.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aHintRightAfterTheWinIsFollowedAtOnce(StoreKind kind) {
        Rig rig = Rig.leading(kind);

        rig.hint(Observation.vacant(Rig.KEY, rig.storedHeld().basis()));

        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
    }

    /**
     * What was written is gone before the answer comes: the hint of it is looked into as soon as that answer is here.
     */
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

    /**
     * "<em>Every write is conditional on its basis</em>": acquire, renewal, proclaim, release and the removal of a
     * stray.
     */
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

    /**
     * A read that was under way when a hint showed a later term is not told, whatever it shows of that term or a
     * vacancy.
     */
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
}
