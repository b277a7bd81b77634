package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 8: one request in flight per election. */
class Rule08OneRequestTest {

    /** "<em>One request in flight per election</em>": nothing else is asked while an answer is awaited. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void oneRequestIsInFlight(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.proclaim(1, "one");
        rig.proclaim(2, "two");
        rig.workStopped();
        rig.gap();
        rig.observe(true);
        rig.hint(Observation.vacant(Rig.KEY, rig.storedHeld().basis()));

        assertThat(rig.all(ElectionAction.Request.class)).hasSize(1);
        assertThat(rig.only(ElectionAction.Update.class).record().value()).isEqualTo("one");
        rig.answer(ElectionAction.Update.class);
        assertThat(rig.all(ElectionAction.Request.class)).hasSize(1);
        assertThat(rig.all(ElectionAction.Release.class)).hasSize(1);
    }

    /** "[...] each with its own deadline": one second after it was handed out its answer is no longer awaited. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void anAnswerIsAwaitedForItsTimeOut(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.observe(true);
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        assertThat(read.timeoutNanos()).isEqualTo(1_000_000_000L);
        Answer answer = rig.land(read);

        rig.pass(Duration.ofSeconds(1));
        rig.take(answer.deliver(rig.machine, rig.now()));
        assertThat(rig.said(ElectionAction.Observed.class)).isEmpty();

        // The next one is asked after the spacing of retries, and is awaited.
        rig.lose(read);
        rig.pass(Duration.ofMillis(250));
        rig.answer(ElectionAction.Read.class);
        assertThat(rig.said(ElectionAction.Observed.class)).hasSize(1);
    }

    /** "[...] answers to anything but the pending request are dropped." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void answersToOtherRequestsAreDropped(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.proclaim(1, "moved");
        ElectionAction.Update proclaim = rig.only(ElectionAction.Update.class);
        Observation vacant = Observation.vacant(Rig.KEY, rig.storedHeld().basis());

        rig.on(new ElectionEvent.ReadAnswered(proclaim.request() + 77, vacant));
        rig.on(new ElectionEvent.WriteAnswered(proclaim.request() - 1, WriteOutcome.refused(vacant)));
        rig.on(new ElectionEvent.Unanswered(proclaim.request() + 1));
        rig.on(new ElectionEvent.Faulted(proclaim.request() + 1, "nobody asked"));

        assertThat(rig.isValid()).isTrue();
        assertThat(rig.said(ElectionAction.Fault.class)).isEmpty();
        rig.answer(proclaim);
        assertThat(rig.last(ElectionAction.Proclaimed.class).written()).isTrue();
    }

    /** "A due renewal [...] abandons a pending read; a poll never delays it." */
    @Test
    void aDueRenewalAbandonsAPendingRead() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.pass(Duration.ofMillis(3_300));
        rig.hint(Observation.vacant(Rig.KEY, rig.storedHeld().basis()));
        ElectionAction.Read read = rig.only(ElectionAction.Read.class);
        Answer answer = rig.land(read);

        rig.pass(Duration.ofMillis(34));
        assertThat(rig.only(ElectionAction.Update.class).intent()).isEqualTo(Intent.RENEW);
        rig.answer(ElectionAction.Update.class);
        // What the read showed is older than what is known by now.
        Observation.Held newer = rig.held();
        rig.take(answer.deliver(rig.machine, rig.now()));

        assertThat(rig.held()).isSameAs(newer);
    }

    /** "A due [...] release abandons a pending read." */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aDueReleaseAbandonsAPendingRead(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.pass(Duration.ofMillis(500));
        rig.hint(Observation.vacant(Rig.KEY, rig.storedHeld().basis()));
        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);

        rig.workStopped();

        assertThat(rig.all(ElectionAction.Release.class)).hasSize(1);
    }

    /**
     * The end of a term abandons a pending read, too; the next one keeps the distance of retries from it, however short
     * the poll is: a store that does not answer is not asked the same again at once.
     */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void aReadThatTheEndOfATermAbandonsIsNotRepeatedAtOnce(StoreKind kind) {
        Rig rig = Rig.on(kind)
                .timing(LeaseTiming.of(Rig.L, 1.1)
                        .pollInterval(Duration.ofMillis(10))
                        .retryInterval(Duration.ofMillis(250))
                        .requestTimeout(Duration.ofSeconds(1))
                        .build())
                .leading();
        rig.pass(Duration.ofMillis(500));
        rig.hint(Observation.vacant(Rig.KEY, rig.storedHeld().basis()));
        rig.lose(rig.only(ElectionAction.Read.class));
        rig.pass(Duration.ofMillis(100));

        rig.resign();
        rig.pass(Duration.ofMillis(149));

        assertThat(rig.role()).isInstanceOf(Role.Stopping.class);
        assertThat(rig.all(ElectionAction.Read.class)).isEmpty();
        rig.pass(Rig.MILLI);
        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
    }

    /** A vacancy that a hint shows while a read is pending is taken at once, too. */
    @Test
    void anAcquireAbandonsAPendingRead() {
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).idle();
        rig.rivalTakes(Rig.L);
        rig.campaign("value");
        rig.serve();
        rig.pass(Duration.ofMillis(1_250));
        assertThat(rig.all(ElectionAction.Read.class)).hasSize(1);
        rig.rivalReleases();

        rig.hint(rig.stored());

        assertThat(rig.all(ElectionAction.Acquire.class)).hasSize(1);
    }

    /** "At least three complete tries fit before the drain budget begins" (section 4, of LeaseTiming). */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void threeTriesToRenewFit(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.log.clear();

        rig.pass(Duration.ofMillis(6_833));

        assertThat(rig.isValid()).isTrue();
        if (kind.sharesSession()) {
            assertThat(rig.said(SessionAction.Renew.class)).hasSize(3);
        } else {
            assertThat(rig.said(ElectionAction.Update.class)).hasSize(3);
        }
    }

    /** They fit into a shorter lease than was asked for, too. */
    @Test
    void threeTriesToRenewFitIntoAShorterGrant() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).idle();
        rig.campaign("value");
        SessionAction.Open open = rig.only(SessionAction.Open.class);
        rig.lose(open);
        rig.on(new SessionEvent.Opened(open.request(), new TestServer.TestSession(1, Duration.ofSeconds(2))));
        SessionLease session = null;

        rig.pass(Duration.ofMillis(1_366));

        assertThat(rig.said(SessionAction.Renew.class)).hasSize(3);
        assertThat(rig.said(SessionAction.End.class)).isEmpty();
        assertThat(session).isNull();
    }

    /** "[...] bounded work per lease": against a store that never answers. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void workPerLeaseIsBoundedWhenNobodyAnswers(StoreKind kind) {
        Rig rig = Rig.on(kind).idle();
        rig.campaign("value");

        rig.pass(Duration.ofMinutes(10));

        assertThat(rig.log.size()).isLessThan(60 * 20);
    }

    /** The same against a store that fails every call at once. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void workPerLeaseIsBoundedWhenEveryCallFailsAtOnce(StoreKind kind) {
        Rig rig = Rig.leading(kind);
        rig.log.clear();

        for (int i = 0; i < 60_000; i++) {
            rig.pass(Rig.MILLI);
            while (!rig.waiting.isEmpty()) {
                rig.fail(rig.waiting.get(0));
            }
        }

        // In each of six leases, no more than is usual and as much again.
        assertThat(rig.log.stream().filter(Rig::isRequest).count())
                .isLessThan(6L * 2 * rig.timing.requestsPerLease(1, kind.sharesSession()));
    }

    /**
     * A key that is refused, and gives no answer, in turn is asked for ever less often: one does not make up for the
     * other.
     */
    @Test
    void refusalsAndDoubtsInTurnAreSpacedEverMore() {
        LeaseTiming timing = LeaseTiming.of(Rig.L, 1.1)
                .pollInterval(Duration.ofSeconds(6))
                .splay(Duration.ZERO)
                .build();
        Rig rig = Rig.on(StoreKind.REMOVES_RECORD).timing(timing).idle();
        rig.campaign("value");

        for (int i = 0; i < 4 * 200; i++) {
            for (ElectionAction.Acquire acquire : rig.all(ElectionAction.Acquire.class)) {
                if (rig.said(ElectionAction.Acquire.class).size() % 2 == 0) {
                    rig.answer(acquire, WriteOutcome.refused(rig.stored()));
                } else {
                    rig.fail(acquire);
                }
            }
            rig.all(ElectionAction.Read.class).forEach(rig::answer);
            rig.pass(Duration.ofMillis(50));
        }

        assertThat(rig.said(ElectionAction.Acquire.class).size()
                        + rig.said(ElectionAction.Read.class).size())
                .isLessThan(4 * timing.requestsPerLease(1, false));
    }

    /** A refusal of a proclaim is tried again, five times at most; then it is answered with no. */
    @Test
    void aProclaimIsTriedFiveTimes() {
        Rig rig = Rig.on(StoreKind.REMOVES_SESSION).leading();
        rig.proclaim(1, "moved");

        for (int i = 0; i < 5; i++) {
            assertThat(rig.said(ElectionAction.Proclaimed.class)).isEmpty();
            rig.fail(rig.only(ElectionAction.Update.class));
            // Ever longer pauses: 250 ms, 500 ms, 1 s, and then a poll.
            rig.pass(Duration.ofMillis(Math.min(250L << i, 1_250)));
        }

        assertThat(rig.said(ElectionAction.Update.class)).hasSize(5);
        assertThat(rig.last(ElectionAction.Proclaimed.class).written()).isFalse();
        assertThat(rig.isValid()).isTrue();
    }

    /** Proclaims that are overtaken are answered together with the newest; too many are refused. */
    @Test
    void proclaimsThatAreOvertakenAreAnsweredWithTheNewest() {
        Rig rig = Rig.leading(StoreKind.REMOVES_SESSION);
        for (int i = 1; i <= 66; i++) {
            rig.proclaim(i, "v" + i);
        }
        assertThat(rig.said(ElectionAction.Proclaimed.class))
                .extracting(ElectionAction.Proclaimed::command)
                .containsExactly(65L, 66L);

        rig.serve();

        assertThat(rig.storedHeld().record().value()).isEqualTo("v64");
        assertThat(rig.said(ElectionAction.Update.class)).hasSize(2);
        assertThat(rig.said(ElectionAction.Proclaimed.class).stream()
                        .filter(ElectionAction.Proclaimed::written)
                        .count())
                .isEqualTo(64);
    }

    /** The end of the term answers what was not yet proclaimed, and a command for another term is answered at once. */
    @Test
    void theEndOfTheTermAnswersWhatWasNotProclaimed() {
        Rig rig = Rig.leading(StoreKind.REMOVES_RECORD);
        rig.on(new ElectionEvent.Proclaim(1, rig.lastTerm().number() + 1, "other"));
        assertThat(rig.last(ElectionAction.Proclaimed.class))
                .isEqualTo(new ElectionAction.Proclaimed(Rig.KEY, 1, false));
        rig.proclaim(2, "moved");

        rig.resign();

        assertThat(rig.last(ElectionAction.Proclaimed.class))
                .isEqualTo(new ElectionAction.Proclaimed(Rig.KEY, 2, false));
        rig.on(new ElectionEvent.Proclaim(3, rig.lastTerm().number(), "late"));
        assertThat(rig.last(ElectionAction.Proclaimed.class))
                .isEqualTo(new ElectionAction.Proclaimed(Rig.KEY, 3, false));
    }
}
