package dev.mandate.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.Eviction;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.LeadershipLostException;
import dev.mandate.Observing;
import dev.mandate.RunOptions;
import dev.mandate.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a program sees of an election. Runs on {@link TestElection} and on a client from {@link
 * dev.mandate.ElectionClient#connect}, so that the double cannot drift from the real one.
 */
abstract class ElectionContract {
    private Subject subject;
    private Election election;

    private final BlockingQueue<Leadership> terms = new LinkedBlockingQueue<>();
    private final List<String> events = new CopyOnWriteArrayList<>();

    /** A subject whose election has no leader yet. */
    abstract Subject subject();

    @BeforeEach
    void open() {
        subject = subject();
        election = subject.election();
    }

    @AfterEach
    void close() {
        subject.close();
    }

    private void work(Leadership leadership) throws InterruptedException {
        terms.add(leadership);
        try {
            new CountDownLatch(1).await();
        } finally {
            events.add("stopped");
        }
    }

    private Leadership begun() {
        subject.until(() -> !terms.isEmpty());
        return terms.remove();
    }

    private Leadership won() {
        CompletableFuture<Leadership> won = election.campaignAsync("here").toCompletableFuture();
        subject.elect();
        subject.until(won::isDone);
        return won.join();
    }

    private static EndReason reason(Leadership leadership) {
        return leadership.ended().toCompletableFuture().getNow(null);
    }

    @Test
    void whoIsElectedLeadsAndIsSeenToLead() {
        Leadership leadership = won();

        assertThat(leadership.election()).isEqualTo(election.name());
        assertThat(leadership.isValid()).isTrue();
        assertThatCode(leadership::ensureValid).doesNotThrowAnyException();
        assertThat(leadership.fencingToken().value()).isPositive();
        assertThat(leadership.remaining()).isBetween(Duration.ofNanos(1), subject.lease());
        assertThat(reason(leadership)).isNull();
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.LEADING);
        assertThat(election.status().fencingToken()).contains(leadership.fencingToken());
        subject.until(() -> election.view().leader().isPresent());
        assertThat(election.view().leader().orElseThrow().value()).isEqualTo("here");
        assertThat(election.view().leader().orElseThrow().token()).isEqualTo(leadership.fencingToken());
    }

    @ParameterizedTest
    @EnumSource(
            value = EndReason.class,
            names = {"EVICTED", "LEASE_RAN_OUT", "DISPLACED", "VANISHED", "SESSION_ENDED"})
    void aLossInterruptsTheTaskAndEndsTheTermForGood(EndReason why) {
        Candidacy candidacy = election.runWhileLeader("here", this::work);
        subject.elect();
        Leadership leadership = begun();
        assertThat(candidacy.status().isLeader()).isTrue();

        subject.lose(leadership, why);
        subject.until(() -> events.contains("stopped") && reason(leadership) != null);

        assertThat(reason(leadership)).isEqualTo(why);
        assertThat(leadership.isValid()).isFalse();
        assertThatThrownBy(leadership::ensureValid)
                .isInstanceOf(LeadershipLostException.class)
                .hasMessageContaining(why.toString());
        assertThat(leadership.remaining()).isZero();
        subject.elect();
        Leadership next = begun();
        assertThat(next.fencingToken().value())
                .isGreaterThan(leadership.fencingToken().value());
        assertThat(next.isValid()).isTrue();
        assertThat(leadership.isValid()).isFalse();
        candidacy.close();
    }

    @Test
    void aTaskRunsOnAThreadOfTheClientAndOneThatReturnsEndsItsCandidacy() {
        AtomicReference<Thread> thread = new AtomicReference<>();
        Candidacy candidacy = election.runWhileLeader("here", leadership -> {
            terms.add(leadership);
            thread.set(Thread.currentThread());
        });
        subject.elect();
        Leadership leadership = begun();

        subject.until(candidacy.done().toCompletableFuture()::isDone);

        assertThat(thread.get()).isNotSameAs(Thread.currentThread());
        subject.until(() -> reason(leadership) != null);
        assertThat(reason(leadership)).isEqualTo(EndReason.COMPLETED);
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    @Test
    void aTaskThatThrowsCampaignsAgainAfterAPause() {
        AtomicBoolean hasThrown = new AtomicBoolean();
        Candidacy candidacy = election.runWhileLeader("here", leadership -> {
            if (!hasThrown.getAndSet(true)) {
                terms.add(leadership);
                throw new IllegalStateException("the first time");
            }
            work(leadership);
        });
        subject.elect();
        Leadership failed = begun();
        subject.until(() -> reason(failed) != null);
        assertThat(reason(failed)).isEqualTo(EndReason.FAILED);
        subject.until(() -> candidacy.status().state() == CandidacyStatus.State.COOLING_DOWN);

        subject.elect();

        assertThat(begun().isValid()).isTrue();
        candidacy.close();
    }

    @Test
    void aTaskThatReportsNoProgressHasStalled() {
        Duration atMost = subject.lease().dividedBy(2);
        Candidacy candidacy =
                election.runWhileLeader("here", RunOptions.DEFAULTS.withProgressTimeout(atMost), this::work);
        subject.elect();
        Leadership leadership = begun();
        for (int i = 0; i < 4; i++) {
            subject.pass(atMost.dividedBy(2));
            leadership.reportProgress();
            assertThat(leadership.isValid()).isTrue();
        }

        subject.until(() -> reason(leadership) != null);

        assertThat(reason(leadership)).isEqualTo(EndReason.STALLED);
        subject.until(() -> events.contains("stopped"));
        candidacy.close();
    }

    @Test
    void aHealthCheckThatSaysNoEndsTheTerm() {
        AtomicBoolean isHealthy = new AtomicBoolean(true);
        Duration every = subject.lease().dividedBy(10);
        Candidacy candidacy = election.runWhileLeader(
                "here", RunOptions.DEFAULTS.withHealthCheck(isHealthy::get, every, subject.lease()), this::work);
        subject.elect();
        Leadership leadership = begun();
        subject.pass(every.multipliedBy(3));
        assertThat(leadership.isValid()).isTrue();

        isHealthy.set(false);
        subject.until(() -> reason(leadership) != null);

        assertThat(reason(leadership)).isEqualTo(EndReason.UNHEALTHY);
        candidacy.close();
    }

    @Test
    void aTermIsRenewedForAsLongAsTheStoreAnswers() {
        Leadership leadership = won();

        subject.pass(subject.lease().multipliedBy(3).dividedBy(2));

        assertThat(leadership.isValid()).isTrue();
        assertThat(leadership.remaining()).isPositive();
    }

    @Test
    void nobodyIsElectedWhileAnotherLeads() throws InterruptedException {
        subject.electOther();

        assertThat(election.campaign("here", subject.lease())).isEmpty();

        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        subject.until(() -> election.view().leader().isPresent());
        assertThat(election.view().leader().orElseThrow().candidate()).isEqualTo("other");
    }

    @Test
    void aClientCampaignsOnceInAnElection() {
        Leadership leadership = won();

        assertThatThrownBy(() -> election.campaignAsync("again")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> election.runWhileLeader("again", this::work))
                .isInstanceOf(IllegalStateException.class);

        leadership.close();
        assertThat(won().fencingToken().value())
                .isGreaterThan(leadership.fencingToken().value());
    }

    @Test
    void whoResignsFreesTheRecord() {
        Leadership leadership = won();

        leadership.close();

        assertThat(leadership.isValid()).isFalse();
        subject.until(() -> reason(leadership) != null);
        assertThat(reason(leadership)).isEqualTo(EndReason.RESIGNED);
        assertThat(election.view()).isInstanceOf(LeaderView.Vacant.class);
    }

    @Test
    void closingACandidacyStopsTheTaskFirst() {
        Candidacy candidacy = election.runWhileLeader("here", this::work);
        subject.elect();
        Leadership leadership = begun();

        candidacy.close();

        assertThat(events).containsExactly("stopped");
        subject.until(candidacy.done().toCompletableFuture()::isDone);
        subject.until(() -> reason(leadership) != null);
        assertThat(reason(leadership)).isEqualTo(EndReason.WITHDRAWN);
        assertThat(election.view()).isInstanceOf(LeaderView.Vacant.class);
    }

    @Test
    void anInterruptedCampaignIsWithdrawn() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread program = new Thread(() -> {
            try {
                election.campaign("here");
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        subject.electOther();
        program.start();
        subject.until(() -> election.status().state() == CandidacyStatus.State.FOLLOWING);

        program.interrupt();
        program.join();

        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        subject.until(() -> election.status().state() == CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    @Test
    void anObserverSeesLeadersVacanciesAndASilentStore() {
        Observing observing =
                election.observe(view -> events.add(view.getClass().getSimpleName()));
        subject.until(() -> events.contains("Vacant"));
        Leadership leadership = won();
        subject.until(() -> last().equals("Led"));
        leadership.close();
        subject.until(() -> last().equals("Vacant"));

        subject.cut();
        subject.until(() -> last().equals("Unknown"));
        assertThat(election.view()).isInstanceOf(LeaderView.Unknown.class);
        subject.heal();
        subject.until(() -> last().equals("Vacant"));
        observing.close();
    }

    private String last() {
        return events.isEmpty() ? "" : events.get(events.size() - 1);
    }

    @Test
    void aProclaimedValueIsPublishedUnlessTheStoreIsSilent() {
        Leadership leadership = won();

        leadership.proclaim("there");

        subject.until(() ->
                election.view().leader().filter(l -> l.value().equals("there")).isPresent());
        subject.cut();
        assertThatThrownBy(() -> leadership.proclaim("nowhere"))
                .isInstanceOfAny(StoreUnavailableException.class, LeadershipLostException.class);
        subject.until(() -> reason(leadership) != null);
        assertThatThrownBy(() -> leadership.proclaim("nowhere")).isInstanceOf(LeadershipLostException.class);
    }

    @Test
    void anEvictionAsksTheLeader() {
        assertThat(election.evict().outcome()).isEqualTo(Eviction.Outcome.VACANT);
        Leadership leadership = won();

        assertThat(election.evict().outcome()).isEqualTo(Eviction.Outcome.ASKED);

        subject.until(() -> reason(leadership) != null);
        assertThat(reason(leadership)).isEqualTo(EndReason.EVICTED);
    }
}
