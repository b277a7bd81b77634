package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.StoreSetupException;
import dev.mandate.engine.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** One election as one client sees it: what it says of itself, and what becomes of it at each turn of its candidacy. */
class ElectionTest {
    private final World world = World.withSessions();
    private final Client client = world.client("a");
    private final ClientElection election = (ClientElection) client.election("e");

    // ---- what it says of itself ----

    @Test
    void itsStandingIsSaidInWordsFromTheCampaignToTheEnd() {
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(election.status().reason()).isEqualTo("does not campaign");

        Leadership leadership = world.win(election);
        CandidacyStatus leading = election.status();
        assertThat(leading.state()).isEqualTo(CandidacyStatus.State.LEADING);
        assertThat(leading.reason())
                .matches("leads with term " + leadership.fencingToken().value() + ", \\d{4} ms left unless renewed");
        assertThat(leading.fencingToken()).contains(leadership.fencingToken());

        leadership.close();
        world.pass(Duration.ofMillis(10));
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(election.status().reason()).isEqualTo("does not campaign; the last term ended: resigned");
        assertThat(election.status().fencingToken()).isEmpty();
    }

    @Test
    void whoFollowsSaysWhom() {
        Election rival = world.client("b", world.store.another()).election("e");
        Leadership leadership = world.win(rival);
        election.campaignAsync("v");
        assertThat(election.status().reason()).doesNotContain("follows b");
        world.pass(Duration.ofSeconds(1));

        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.FOLLOWING);
        assertThat(election.status().reason()).isEqualTo("follows b");
        leadership.close();
        world.passUntil(() -> election.status().isLeader());
    }

    @Test
    void beforeAnythingIsKnownItSaysSo() {
        world.store.hangs = true;
        election.campaignAsync("v");
        world.pass(Duration.ofMillis(10));

        assertThat(election.status().reason()).isEqualTo("the store has not shown the election yet");
    }

    /** The term is over, and its work has not stopped yet. */
    @Test
    void aTermThatIsOverIsBeingStopped() {
        Leadership leadership = world.win(election);
        world.host.stall("mandate-loop");
        world.host.suspend(Duration.ofHours(1));
        assertThat(leadership.isValid()).isFalse();

        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.STOPPING);
        assertThat(election.status().reason()).contains("its work is being stopped", "the lease ran out");
        assertThat(election.status().fencingToken()).isEmpty();
    }

    @Test
    void aFaultOfTheStoreIsShownWhileItLastsAndLoggedOnce() {
        Leadership holder = world.win(world.client("b", world.store.another()).election("e"));
        election.campaignAsync("v");
        world.pass(Duration.ofSeconds(1));
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.FOLLOWING);

        world.store.failure = new StoreSetupException("no right to read; grant SELECT");
        world.passUntil(() -> election.status().state() == CandidacyStatus.State.FAULTY);
        assertThat(election.status().reason())
                .isEqualTo("the store refuses, and will until this is fixed: no right to read; grant SELECT");
        assertThat(world.logged(line -> line.contains("election=e: no right to read")))
                .isNotEmpty();

        world.store.failure = null;
        world.passUntil(() -> election.status().state() == CandidacyStatus.State.FOLLOWING);
        assertThat(election.status().reason()).isEqualTo("follows b");
        assertThat(holder.isValid()).isTrue();
    }

    /** Sessions are refused, and no request of an election is sent without one. */
    @Test
    void aFaultOfTheSessionIsEverybodysFault() {
        assertThat(client.context().faults().first()).isNull();
        client.listingFault("no right to list");
        assertThat(client.context().faults().first()).isEqualTo("no right to list");
        client.sessionFault("no right to open sessions");
        assertThat(client.context().faults().first()).isEqualTo("no right to open sessions");
        client.sessionFault(null);
        assertThat(client.context().faults().first()).isEqualTo("no right to list");
    }

    /** Only whoever waits for the store is kept from something. */
    @Test
    void aCommonFaultShowsInElectionsThatAreFollowed() {
        world.win(world.client("b", world.store.another()).election("e"));
        election.campaignAsync("v");
        world.pass(Duration.ofSeconds(1));

        client.sessionFault("no right to open sessions");

        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.FAULTY);
        assertThat(election.status().reason())
                .isEqualTo("the store refuses, and will until this is fixed: no right to open sessions");
        assertThat(client.election("idle").status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        client.sessionFault(null);
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.FOLLOWING);
    }

    // ---- candidacies ----

    @Test
    void aWinGoesToTheCandidacyThatStands() {
        CompletableFuture<Leadership> stage = election.campaignAsync("v").toCompletableFuture();
        OwnCandidacy own = election.candidacy();
        world.passUntil(stage::isDone);

        WonLeadership won = (WonLeadership) stage.join();
        assertThat(won).isSameAs(election.leadership());
        assertThat(won.candidacy()).isSameAs(own).isSameAs(election.candidacy());
        won.close();
        assertThat(election.candidacy()).isNull();
        assertThat(own.over()).isDone();
    }

    /** Whoever waits in campaign(atMost) is not told of a win that came in the last moment as if it had lost. */
    @Test
    void whoIsElectedInTimeGetsTheLeadership() throws Exception {
        Optional<Leadership> won = election.campaign("v", Duration.ofSeconds(30));

        assertThat(won).get().matches(Leadership::isValid);
    }

    @Test
    void aSecondCandidacyIsRefusedAndTheFirstStays() {
        election.campaignAsync("v");
        OwnCandidacy own = election.candidacy();

        assertThatThrownBy(() -> election.campaignAsync("w"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "this client already campaigns in election 'e'; close that candidacy, or the leadership it won,"
                                + " and wait until it is over");

        assertThat(election.candidacy()).isSameAs(own);
    }

    @Test
    void theOwnTermVouchesForNothingButItself() {
        Leadership leadership = world.win(election);
        View own = election.known();

        assertThat(election.isOwn(own)).isTrue();
        assertThat(election.isOwn(View.VACANT)).isFalse();
        leadership.close();
        world.win(election);

        assertThat(election.isOwn(own)).isFalse();
        assertThat(election.isOwn(election.known())).isTrue();
    }

    /** Too many commands wait, say: whoever could not stand does not stand, and may try again. */
    @Test
    void aCampaignThatTheLoopRefusesLeavesNothingBehind() {
        world.host.stall("mandate-loop");
        for (int i = 0; i < 1 << 18; i++) {
            client.loop().command(now -> {});
        }

        assertThatThrownBy(() -> election.campaignAsync("v")).hasMessageContaining("its loop is not keeping up");
        assertThat(election.candidacy()).isNull();
        assertThatThrownBy(() -> election.observe(view -> {})).hasMessageContaining("its loop is not keeping up");
        assertThat(election.leader().observers()).isEmpty();
        world.host.resume();
        world.host.settle();

        assertThat(world.win(election).isValid()).isTrue();
    }

    @Test
    void aClientThatIsClosedTakesNothingMore() {
        Observing observing = election.observe(view -> {});
        client.close();

        for (Runnable each : List.<Runnable>of(
                () -> election.campaignAsync("v"),
                () -> election.runWhileLeader("v", l -> {}),
                () -> election.observe(view -> {}),
                election::evict,
                election::evictByForce)) {
            assertThatThrownBy(each::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("this client (a) is closed; open another one");
        }
        assertThat(election.candidacy()).isNull();
        observing.close();
    }

    /** A task closes its client, whose loop has yet to give back what it holds. */
    @Test
    void aClientThatIsBeingClosedTakesNothingMore() {
        List<Throwable> refused = new ArrayList<>();
        election.runWhileLeader("v", leadership -> {
            client.close();
            for (Runnable each : List.<Runnable>of(
                    () -> client.election("f").campaignAsync("v"),
                    () -> client.election("f").observe(view -> {}))) {
                try {
                    each.run();
                } catch (IllegalStateException e) {
                    refused.add(e);
                }
            }
        });
        world.passUntil(() -> world.store.closed == 1);

        assertThat(refused).hasSize(2).allMatch(e -> e.getMessage().contains("is closed"));
    }

    @Test
    void whoCampaignsWhileTheClientIsClosedIsToldSo() {
        world.win(world.client("b", world.store.another()).election("e"));
        world.host.at(world.host.nanos() + 1_000_000_000, client::close);

        assertThatThrownBy(() -> election.campaign("v", Duration.ofMinutes(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    /** The win and the interrupt come at once: nobody is there to lead, so nobody does. */
    @Test
    void aWinOfWhoeverIsInterruptedIsGivenBack() {
        Leadership rival = world.win(world.client("b", world.store.another()).election("e"));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread user = new Thread(() -> {
            try {
                election.campaign("v");
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        user.start();
        world.await(() -> user.getState() == Thread.State.WAITING);

        synchronized (world.host) {
            user.interrupt();
            world.await(() -> user.getState() == Thread.State.BLOCKED);
            rival.close();
            world.passUntil(() -> election.leadership() != null);
        }
        world.passUntilReally(() -> thrown.get() != null);

        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(election.leadership().reason()).isEqualTo(EndReason.RESIGNED);
        world.passUntil(() -> world.isVacant("e"), Duration.ofSeconds(1));
    }

    /** The loop has ended and nobody has said so yet. */
    @Test
    void aClientWhoseLoopHasEndedTakesNothingMore() {
        client.loop().abandon();

        assertThatThrownBy(() -> election.campaignAsync("v")).hasMessageContaining("is closed");
        assertThat(election.candidacy()).isNull();
        assertThatThrownBy(() -> election.observe(view -> {})).hasMessageContaining("is closed");
        assertThat(election.leader().observers()).isEmpty();
    }

    // ---- terms that cannot begin ----

    /** Its record is given back, whoever was told, and the candidacy is as it was before the win. */
    @Test
    void aTermThatCouldNotBeginIsGivenBackAndSaidSo() {
        AtomicBoolean armed = new AtomicBoolean(true);
        world.host.onRead = () -> {
            boolean begins = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("guard")));
            if (begins && armed.getAndSet(false)) {
                throw new IllegalStateException("simulated: the clock failed");
            }
        };
        AtomicInteger runs = new AtomicInteger();
        election.runWhileLeader("v", leadership -> runs.incrementAndGet());
        world.passUntil(() -> !armed.get());
        world.host.settle();
        WonLeadership won = election.leadership();

        assertThat(won.reason()).isEqualTo(EndReason.FAILED);
        assertThat(won.isValid()).isFalse();
        assertThat(won.hasStopped()).isTrue();
        assertThat(runs).hasValue(0);
        assertThat(world.logged(line -> line.contains("a term could not begin election=e candidate=a term="
                                + won.term().number())
                        && line.contains("the clock failed")))
                .hasSize(1);
        world.passUntil(() -> world.isVacant("e"), Duration.ofMillis(100));
        world.passUntil(() -> runs.get() == 1);
    }

    /** There is not even an object for it. */
    @Test
    void aTermOfWhichNothingBeganIsGivenBackToo() {
        AtomicBoolean armed = new AtomicBoolean(true);
        world.host.onNanos = () -> {
            boolean begins = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("begun")));
            if (begins && armed.getAndSet(false)) {
                throw new IllegalStateException("simulated: the clock failed");
            }
        };
        AtomicInteger runs = new AtomicInteger();
        election.runWhileLeader("v", leadership -> runs.incrementAndGet());
        world.passUntil(() -> !armed.get());
        assertThat(election.leadership()).isNull();

        world.passUntil(() -> world.isVacant("e"), Duration.ofMillis(100));
        world.passUntil(() -> runs.get() == 1);
    }

    @Test
    void aHandleWhoseTermCouldNotBeginIsNeverHandedOut() {
        AtomicBoolean armed = new AtomicBoolean(true);
        world.host.onRead = () -> {
            boolean begins = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("guard")));
            if (begins && armed.getAndSet(false)) {
                throw new IllegalStateException("simulated: the clock failed");
            }
        };
        List<Leadership> told = new ArrayList<>();
        election.campaignAsync("v").thenAccept(told::add);
        world.passUntil(() -> !armed.get());

        world.passUntil(() -> world.isVacant("e"), Duration.ofMillis(100));

        assertThat(told).noneMatch(Leadership::isValid);
    }

    // ---- ends ----

    @Test
    void anErrorOfTheJvmEndsTheTermAndItsRecordIsReleased() {
        Leadership leadership = world.win(election);
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);

        client.loop().post(now -> election.mend(true, now));
        world.host.settle();

        assertThat(lost).containsExactly(EndReason.FAILED);
        leadership.close();
        assertThat(world.isVacant("e")).isTrue();
        // Nothing is left to fail.
        client.loop().post(now -> election.mend(true, now));
        world.host.settle();
    }

    /**
     * Nothing is certain any more, but that its work may still run: its record is kept as long as any other overrun's,
     * and no longer.
     */
    @Test
    void aFailedTermIsRenewedNoMore() {
        world.win(election);
        client.loop().post(now -> election.mend(true, now));

        world.passUntil(() -> world.isVacant("e"), Duration.ofSeconds(30));
    }

    @Test
    void whenATermHasEndedNothingIsWatchedAnyMore() {
        world.win(election).close();
        world.pass(Duration.ofSeconds(10));

        assertThat(client.watchdog().step()).isEqualTo(Long.MAX_VALUE);
    }

    /** Whoever sees it first says so, and nobody says it twice. */
    @Test
    void anOverrunIsReportedThoughTheWatchdogStandsStill() {
        Leadership leadership = world.win(election);
        world.host.stall("mandate-watchdog");
        world.store.delete("e");
        world.passUntil(() -> !leadership.isValid());
        world.pass(Duration.ofSeconds(2));

        assertThat(world.logged(line -> line.contains("OVERRUN: a Leadership was not closed")))
                .hasSize(1);
        world.host.resume();
        world.pass(Duration.ofSeconds(20));
        assertThat(world.logged(line -> line.contains("OVERRUN"))).hasSize(1);
    }

    @Test
    void whatIsFailedBeforeAnyTermIsNothing() {
        client.loop().post(now -> election.mend(true, now));
        client.loop().post(now -> election.over());
        world.host.settle();

        assertThat(world.logged(line -> true)).isEmpty();
    }

    @Test
    void closingEndsBeliefAtOnceAndTellsNoListenerAnyMore() {
        Leadership leadership = world.win(election);
        List<LeaderView> told = new ArrayList<>();
        election.observe(told::add);
        world.pass(Duration.ofSeconds(1));
        int before = told.size();

        election.closing();

        assertThat(leadership.isValid()).isFalse();
        assertThat(((WonLeadership) leadership).reason()).isEqualTo(EndReason.WITHDRAWN);
        world.store.delete("e");
        world.pass(Duration.ofSeconds(5));
        assertThat(told).hasSize(before);
    }
}
