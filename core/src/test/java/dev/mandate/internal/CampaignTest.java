package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.LeadershipLostException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Campaigning for one term, and what its leadership can do. */
class CampaignTest {
    private final World world = World.withSessions();

    private boolean isVacant(String election) {
        return world.store.shown(election) instanceof Observation.Vacant;
    }

    private String published(String election) {
        return world.store.shown(election) instanceof Observation.Held held
                ? held.record().value()
                : "";
    }

    @Test
    void campaignBlocksUntilElectedAndCloseUntilReleased() throws Exception {
        Election election = world.client("a").election("e");

        Leadership leadership = election.campaign("here");
        assertThat(leadership.isValid()).isTrue();
        assertThat(leadership.election()).isEqualTo("e");
        assertThat(leadership.fencingToken().value()).isPositive();
        assertThat(published("e")).isEqualTo("here");
        leadership.close();

        assertThat(isVacant("e")).isTrue();
        assertThat(leadership.isValid()).isFalse();
        leadership.close();
        leadership.resign();
    }

    @Test
    void theSecondCampaignGetsALargerToken() throws Exception {
        Election election = world.client("a").election("e");
        Leadership first = election.campaign("v");
        first.close();

        Leadership second = election.campaign("v");

        assertThat(second.fencingToken().value())
                .isGreaterThan(first.fencingToken().value());
        assertThat(first.isValid()).isFalse();
    }

    @Test
    void whoIsNotElectedInTimeHoldsNothing() throws Exception {
        Leadership holder = world.win(world.client("a").election("e"));
        Election election = world.client("b", world.store.another()).election("e");
        long from = world.host.nanos();

        Optional<Leadership> none = election.campaign("v", Duration.ofSeconds(3));

        assertThat(none).isEmpty();
        assertThat(Duration.ofNanos(world.host.nanos() - from)).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        holder.close();
        world.pass(Duration.ofMinutes(1));
        assertThat(isVacant("e")).isTrue();
    }

    /** The answer to the acquire comes when its caller has given up: what was won must be given back. */
    @Test
    void aWinThatComesAfterGivingUpIsReleased() throws Exception {
        Election election = world.client("a").election("e");
        world.store.latency = Duration.ofMillis(400);

        assertThat(election.campaign("v", Duration.ofMillis(700))).isEmpty();

        world.pass(Duration.ofSeconds(30));
        assertThat(isVacant("e")).isTrue();
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(world.store.requests.get("acquire")).isPositive();
    }

    /**
     * The win is on its way to the loop when the caller gives up: the loop takes the win first, and nobody is there to
     * lead.
     */
    @Test
    void aWinThatTheLoopTakesAfterItsCallerGaveUpIsReleased() {
        Election election = world.client("a").election("e");
        CompletableFuture<Leadership> stage = election.campaignAsync("v").toCompletableFuture();
        world.passUntil(() -> !isVacant("e"));
        world.host.stall("mandate-loop");
        world.pass(Duration.ofMillis(10));
        assertThat(stage).isNotDone();

        stage.cancel(true);
        world.host.resume();
        world.pass(Duration.ofSeconds(1));

        assertThat(isVacant("e")).isTrue();
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    /** Whatever completes the future, its candidacy ends; once it is won, the term is its holder's. */
    @Test
    void aFutureThatIsCancelledBeforeTheWinWithdrawsAndAfterItDoesNothing() {
        Leadership rival = world.win(world.client("b", world.store.another()).election("e"));
        Election election = world.client("a").election("e");
        for (Consumer<CompletableFuture<Leadership>> how : List.<Consumer<CompletableFuture<Leadership>>>of(
                future -> future.cancel(false),
                future -> future.completeExceptionally(new TimeoutException()),
                future -> future.orTimeout(1, TimeUnit.MILLISECONDS))) {
            CompletableFuture<Leadership> future = election.campaignAsync("v");
            world.pass(Duration.ofSeconds(1));
            how.accept(future);
            world.await(future::isDone);
            world.passUntil(() -> election.status().state() == CandidacyStatus.State.NOT_CAMPAIGNING);
        }
        rival.close();
        world.pass(Duration.ofSeconds(10));
        assertThat(isVacant("e")).isTrue();

        CompletableFuture<Leadership> won = election.campaignAsync("v");
        world.passUntil(won::isDone);
        assertThat(won.cancel(true)).isFalse();
        world.pass(Duration.ofSeconds(30));

        assertThat(won.join().isValid()).isTrue();
    }

    @Test
    void anInterruptedCampaignHoldsNothing() throws Exception {
        Leadership holder = world.win(world.client("a").election("e"));
        Election election = world.client("b", world.store.another()).election("e");
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

        user.interrupt();
        world.passUntil(() -> thrown.get() != null || !user.isAlive() || pauses());

        assertThat(thrown.get()).isInstanceOf(InterruptedException.class).hasMessageContaining("'e'");
        holder.close();
        world.pass(Duration.ofMinutes(1));
        assertThat(isVacant("e")).isTrue();
    }

    private static boolean pauses() {
        Thread.yield();
        return false;
    }

    @Test
    void aClientStandsAtMostOncePerElection() {
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));

        assertThatThrownBy(() -> client.election("e").campaign("v"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'e'")
                .hasMessageContaining("campaigns");
        assertThatThrownBy(() -> client.election("e").runWhileLeader("v", l -> {}))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> client.election("e").campaignAsync("v")).isInstanceOf(IllegalStateException.class);
        assertThat(leadership.isValid()).isTrue();

        leadership.close();
        assertThat(world.win(client.election("e")).isValid()).isTrue();
    }

    /** The caller's work may go on until it closes the leadership it lost. */
    @Test
    void aLostTermKeepsItsClientFromStandingUntilItIsClosed() {
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));
        world.store.delete("e");
        world.passUntil(() -> !leadership.isValid());
        world.pass(Duration.ofMinutes(1));

        assertThat(isVacant("e")).isTrue();
        assertThatThrownBy(() -> client.election("e").campaignAsync("v")).isInstanceOf(IllegalStateException.class);
        leadership.close();

        assertThat(world.win(client.election("e")).isValid()).isTrue();
    }

    @Test
    void theCandidacyEndsWithTheTerm() {
        Leadership leadership = world.win(world.client("a").election("e"));
        leadership.close();

        world.pass(Duration.ofMinutes(5));

        assertThat(isVacant("e")).isTrue();
        assertThat(world.store.requests.get("acquire")).isEqualTo(1);
    }

    @Test
    void whoResignedPausesBeforeItCanWinAgain() {
        Client client = world.client("a");
        world.win(client.election("e")).close();
        long from = world.host.nanos();

        world.win(client.election("e"));

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isGreaterThan(Duration.ofSeconds(2));
    }

    @Test
    void theOtherCandidateLeadsWithinMillisecondsOfAResignation() {
        Leadership first = world.win(world.client("a").election("e"));
        CompletableFuture<Leadership> second = world.client("b", world.store.another())
                .election("e")
                .campaignAsync("v")
                .toCompletableFuture();
        world.pass(Duration.ofSeconds(5));
        long from = world.host.nanos();

        first.resign();
        world.passUntil(second::isDone);

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(Duration.ofMillis(10));
    }

    // ---- asynchronously ----

    @Test
    void cancellingWithdraws() {
        Leadership holder = world.win(world.client("a").election("e"));
        Election election = world.client("b", world.store.another()).election("e");
        CompletableFuture<Leadership> stage = election.campaignAsync("v").toCompletableFuture();
        world.pass(Duration.ofSeconds(1));

        stage.cancel(true);
        holder.close();
        world.pass(Duration.ofMinutes(1));

        assertThat(isVacant("e")).isTrue();
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    /** Cancelled between the win and the moment the stage is completed on the executor. */
    @Test
    void aStageThatIsCancelledJustAfterTheWinHoldsNothing() {
        List<Runnable> kept = new ArrayList<>();
        world.executor = kept::add;
        Election election = world.client("a").election("e");
        CompletableFuture<Leadership> stage = election.campaignAsync("v").toCompletableFuture();
        world.passUntil(() -> !kept.isEmpty());
        assertThat(isVacant("e")).isFalse();

        stage.cancel(true);
        List.copyOf(kept).forEach(Runnable::run);
        world.pass(Duration.ofSeconds(1));

        assertThat(isVacant("e")).isTrue();
    }

    @Test
    void aStageIsCompletedOnTheExecutorAndNotOnTheLoop() {
        List<Boolean> onLoop = new ArrayList<>();
        Client client = world.client("a");
        client.election("e")
                .campaignAsync("v")
                .thenAccept(l -> onLoop.add(client.loop().isCurrent()));

        world.passUntil(() -> !onLoop.isEmpty());

        assertThat(onLoop).containsExactly(false);
    }

    @Test
    void aClosedClientFailsTheStagesThatWait() {
        world.win(world.client("a").election("e"));
        Client client = world.client("b", world.store.another());
        CompletableFuture<Leadership> stage =
                client.election("e").campaignAsync("v").toCompletableFuture();
        world.pass(Duration.ofSeconds(1));

        client.close();
        world.host.settle();

        assertThatThrownBy(stage::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> client.election("e").campaign("v"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> client.election("e").observe(view -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> client.leaders("", 1)).isInstanceOf(IllegalStateException.class);
    }

    // ---- proclaiming ----

    @Test
    void aProclaimedValueIsPublishedWhenProclaimReturns() {
        Leadership leadership = world.win(world.client("a").election("e"));

        leadership.proclaim("elsewhere");

        assertThat(published("e")).isEqualTo("elsewhere");
        assertThat(leadership.isValid()).isTrue();
    }

    @Test
    void aProclaimOfATermThatIsOverIsRefused() {
        Leadership leadership = world.win(world.client("a").election("e"));
        leadership.close();

        assertThatThrownBy(() -> leadership.proclaim("elsewhere"))
                .isInstanceOfSatisfying(
                        LeadershipLostException.class,
                        e -> assertThat(e.reason()).isEqualTo(EndReason.RESIGNED));
    }

    @Test
    void aProclaimThatIsNotConfirmedEndsInBoundedTime() {
        Leadership leadership = world.win(world.client("a").election("e"));
        world.store.hangs = true;
        long from = world.host.nanos();

        assertThatThrownBy(() -> leadership.proclaim("elsewhere"))
                .isInstanceOfAny(StoreUnavailableException.class, LeadershipLostException.class);

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(World.LEASE);
    }

    // ---- input ----

    @Test
    void aValueThatIsTooLongIsRefusedBeforeAnyCall() {
        World small = new World(
                VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.SESSION).withValueBytesMax(4));
        Election election = small.client("a").election("e");

        assertThatThrownBy(() -> election.campaignAsync("ääa"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3 characters")
                .hasMessageContaining("4 bytes");
        assertThatThrownBy(() -> election.runWhileLeader("five!", l -> {}))
                .isInstanceOf(IllegalArgumentException.class);
        small.pass(Duration.ofSeconds(1));
        assertThat(small.store.requests).isEmpty();

        Leadership leadership = small.win(small.client("b").election("f"), "ää");
        assertThatThrownBy(() -> leadership.proclaim("five!")).isInstanceOf(IllegalArgumentException.class);
        assertThat(leadership.isValid()).isTrue();
    }

    @Test
    void halfASurrogatePairIsRefused() {
        Election election = world.client("a").election("e");

        assertThatThrownBy(() -> election.campaignAsync("x\ud83d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("position 1");
        assertThat(world.win(election, "\ud83d\ude00").isValid()).isTrue();
    }

    @Test
    void aNameThatIsNoneIsRefused() {
        Client client = world.client("a");

        for (String name : List.of("", "a\u0000b", "x\ud800", "y".repeat(513))) {
            assertThatThrownBy(() -> client.election(name)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(client.election("x")).isSameAs(client.election("x"));
    }

    // ---- trouble ----

    /** Nobody guesses: the acquire landed, its answer was lost, and a read finds it. */
    @Test
    void anAcquireWhoseAnswerIsLostIsFoundByReading() {
        Election election = world.client("a").election("e");
        CompletableFuture<Leadership> stage = election.campaignAsync("v").toCompletableFuture();
        world.store.onCall = () -> world.store.losesAnswers =
                world.store.requests.getOrDefault("acquire", 0) == 1 && !world.store.losesAnswers;
        world.passUntil(() -> !isVacant("e"));
        assertThat(stage).isNotDone();

        world.passUntil(stage::isDone);

        assertThat(stage.join().isValid()).isTrue();
        assertThat(world.store.requests.get("acquire")).isEqualTo(1);
    }

    @Test
    void aPermanentFaultIsShownAtOnceAndGoesWhenItIsRepaired() {
        Client client = world.client("a");
        Election election = client.election("e");
        world.store.failure = new dev.mandate.StoreSetupException("the password is wrong; set another one");
        CompletableFuture<Leadership> stage = election.campaignAsync("v").toCompletableFuture();
        world.pass(Duration.ofSeconds(1));

        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.FAULTY);
        assertThat(election.status().reason()).contains("the password is wrong");
        world.pass(Duration.ofMinutes(10));
        int asked = world.store.requests.values().stream().mapToInt(i -> i).sum();
        assertThat(asked).isLessThan(300);

        world.store.failure = null;
        world.passUntil(stage::isDone);
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.LEADING);
    }

    @Test
    void aStoreWhoseMethodsThrowIsAStoreThatDoesNotAnswer() {
        Leadership leadership = world.win(world.client("a").election("e"));
        world.store.failure = new IllegalStateException("a bug in the store");
        world.store.throwsAtOnce = true;
        world.pass(Duration.ofSeconds(5));
        assertThat(leadership.isValid()).isTrue();

        world.store.failure = null;
        world.pass(Duration.ofMinutes(1));

        assertThat(leadership.isValid()).isTrue();
    }
}
