package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.LeaderLatch;
import dev.mandate.Leadership;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Closing is bounded, idempotent, possible from anywhere at any time, and leaves nothing behind. */
class CloseTest {
    /** The drain budget and four request time-outs, for L = 10 s. */
    private static final LeaseTiming TIMING = LeaseTiming.of(World.LEASE);

    private static final Duration BOUND =
            Duration.ofNanos(TIMING.drainTimeoutNanos() + 4 * TIMING.requestTimeoutNanos());

    static Stream<World> worlds() {
        return Stream.of(World.withSessions(), World.withRecords(), World.judged());
    }

    private static boolean isVacant(World world, String election) {
        return world.store.shown(election) instanceof Observation.Vacant;
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void closingReleasesWhatIsHeldAndEndsTheSession(World world) {
        Client client = world.client("a");
        List<EndReason> lost = new ArrayList<>();
        Candidacy candidacy = client.election("task").runWhileLeader("v", leadership -> {
            leadership.ended().thenAccept(lost::add);
        });
        world.passUntil(() -> candidacy.status().state() == CandidacyStatus.State.NOT_CAMPAIGNING && !lost.isEmpty());
        Leadership leadership = world.win(client.election("own"));
        leadership.ended().thenAccept(why -> {
            lost.add(why);
            leadership.close();
        });
        long from = world.host.nanos();

        client.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(Duration.ofMillis(100));
        assertThat(leadership.isValid()).isFalse();
        assertThat(lost).containsExactly(EndReason.COMPLETED, EndReason.WITHDRAWN);
        assertThat(isVacant(world, "own")).isTrue();
        assertThat(world.store.closed).isEqualTo(1);
        int asked = world.store.requests.values().stream().mapToInt(i -> i).sum();
        world.pass(Duration.ofMinutes(5));
        assertThat(world.store.requests.values().stream().mapToInt(i -> i).sum())
                .isEqualTo(asked);
    }

    /** The leadership is never closed: its work may still run, so its record must stand until the lease runs out. */
    @ParameterizedTest
    @MethodSource("worlds")
    void workThatOutlivesAClosedClientKeepsItsLeaseUntilItExpires(World world) {
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));
        long from = world.host.nanos();

        client.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThanOrEqualTo(BOUND);
        assertThat(leadership.isValid()).isFalse();
        assertThat(isVacant(world, "e")).isFalse();
        assertThat(world.store.closed).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void closingIsBoundedThoughEveryCallHangs(World world) {
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));
        world.store.hangs = true;
        long from = world.host.nanos();

        client.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThanOrEqualTo(BOUND);
        assertThat(leadership.isValid()).isFalse();
        assertThat(world.store.closed).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void closingWhileAnAcquireIsUnderWayLeavesNothingHeld(World world) {
        Client client = world.client("a");
        world.store.latency = Duration.ofMillis(400);
        CompletableFuture<Leadership> stage =
                client.election("e").campaignAsync("v").toCompletableFuture();
        world.passUntil(() -> world.store.requests.getOrDefault("acquire", 0) == 1);

        client.close();
        world.host.settle();

        assertThat(stage).isCompletedExceptionally();
        world.pass(Duration.ofMillis(500));
        assertThat(isVacant(world, "e")).isTrue();
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void closingAtAnyInstantIsBoundedAndEndsEveryBelief(World world) {
        for (int at = 0; at < 400; at += 7) {
            VirtualStore connection = world.store.another();
            connection.latency = Duration.ofMillis(40);
            Client client = world.client("a" + at, connection);
            List<Leadership> won = new ArrayList<>();
            client.election("e").campaignAsync("v").thenAccept(won::add);
            world.pass(Duration.ofMillis(at));
            long from = world.host.nanos();

            client.close();
            world.host.settle();

            assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThanOrEqualTo(BOUND);
            assertThat(won).noneMatch(Leadership::isValid);
            assertThat(connection.closed).isEqualTo(1);
            world.pass(Duration.ofSeconds(20));
        }
    }

    /** No word from the loop is needed. */
    @ParameterizedTest
    @MethodSource("worlds")
    void fromTheFirstInstantOfACloseNothingIsBelieved(World world) throws Exception {
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));
        world.host.stall("mandate-");
        Thread closer = new Thread(client::close);
        closer.start();

        world.await(() -> !leadership.isValid());

        world.host.resume();
        world.passUntil(() -> {
            Thread.yield();
            return !closer.isAlive();
        });
    }

    @Test
    void closingTwiceIsClosingOnce() {
        World world = World.withSessions();
        Client client = world.client("a");
        world.win(client.election("e")).close();

        client.close();
        client.close();

        assertThat(world.store.closed).isEqualTo(1);
        assertThatCode(client.election("e")::status).doesNotThrowAnyException();
        assertThatThrownBy(client.election("e")::view)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void aListenerMayCloseTheClientAndIsNotCalledAgain() {
        World world = World.withSessions();
        Client client = world.client("a");
        Client other = world.client("b", world.store.another());
        AtomicInteger calls = new AtomicInteger();
        client.election("e").observe(view -> {
            if (calls.incrementAndGet() == 2) {
                client.close();
            }
        });
        world.passUntil(() -> calls.get() == 2);

        world.win(other.election("e"));
        world.pass(Duration.ofSeconds(5));

        assertThat(calls).hasValue(2);
        assertThat(world.store.closed).isEqualTo(1);
    }

    @Test
    void aTaskMayCloseTheClientAndItsRecordIsReleasedWhenItReturns() {
        World world = World.withSessions();
        Client client = world.client("a");
        Candidacy candidacy = client.election("e").runWhileLeader("v", leadership -> client.close());

        world.passUntil(() -> world.store.closed == 1);

        assertThat(isVacant(world, "e")).isTrue();
        assertThat(candidacy.status().state()).isNotEqualTo(CandidacyStatus.State.LEADING);
    }

    @Test
    void aTaskMayCloseItsOwnCandidacy() {
        World world = World.withSessions();
        Client client = world.client("a");
        AtomicReference<Candidacy> own = new AtomicReference<>();
        AtomicInteger runs = new AtomicInteger();
        own.set(client.election("e").runWhileLeader("v", leadership -> {
            runs.incrementAndGet();
            own.get().close();
        }));

        world.passUntil(() -> runs.get() == 1);
        world.pass(Duration.ofMinutes(1));

        assertThat(isVacant(world, "e")).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void closingACandidacyStopsTheWorkThenReleases() {
        World world = World.withSessions();
        world.host.useRealThreads();
        CountDownLatch entered = new CountDownLatch(1);
        AtomicReference<Boolean> vacantWhenStopped = new AtomicReference<>();
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", leadership -> {
            entered.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                vacantWhenStopped.set(isVacant(world, "e"));
            }
        });
        world.passUntil(() -> {
            Thread.yield();
            return entered.getCount() == 0;
        });

        candidacy.close();

        world.await(() -> vacantWhenStopped.get() != null);
        assertThat(vacantWhenStopped.get()).isFalse();
        world.await(() -> world.host.running() == 0);
        world.passUntil(() -> isVacant(world, "e"));
        CompletableFuture<Void> done = candidacy.done().toCompletableFuture();
        world.passUntil(() -> {
            Thread.yield();
            return done.isDone();
        });
    }

    // ---- a loop that hangs ----

    /** It is left behind: what was believed is not any more, the store is closed, and whoever waits is told. */
    @Test
    void aClientWhoseLoopHangsIsClosedWithoutIt() {
        World world = World.withSessions();
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));
        CompletableFuture<Leadership> waiting =
                client.election("f").campaignAsync("v").toCompletableFuture();
        world.host.stall("mandate-loop");
        long from = world.host.nanos();

        client.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from))
                .isBetween(BOUND.plusSeconds(5), BOUND.plusSeconds(5).plusNanos(3 * TIMING.requestTimeoutNanos()));
        assertThat(leadership.isValid()).isFalse();
        assertThat(world.store.closed).isEqualTo(1);
        assertThat(world.logged(line -> line.contains("the store blocks the loop; closing without it")))
                .hasSize(1);
        world.host.settle();
        assertThat(waiting).isCompletedExceptionally();
        // When it goes on at last it finds that all is over.
        world.host.resume();
        world.pass(Duration.ofMinutes(1));
        assertThat(world.store.closed).isEqualTo(1);
        assertThat(client.loop().command(now -> {})).isFalse();
    }

    @Test
    void aClientWhoseLoopHangsIsClosedThoughNoThreadCanBeHad() {
        World world = World.withSessions();
        Client client = world.client("a");
        OwnCandidacy candidacy = (OwnCandidacy) client.election("e").latch("v");
        world.host.stall("mandate-loop");
        world.host.refuseThreads(1_000);

        client.close();

        assertThat(candidacy.over()).isDone();
    }

    /** They can't be told later: nobody looks for a thread once the loop has ended. */
    @Test
    void whoHasNoThreadInTheEndIsToldOnTheLoops() {
        World world = World.withSessions();
        Client client = world.client("a");
        LeaderLatch latch = client.election("e").latch("v");
        List<CandidacyStatus.State> told = new ArrayList<>();
        latch.onChange(status -> told.add(status.state()));
        CompletableFuture<Void> done = latch.done().toCompletableFuture();
        world.passUntil(latch::isLeader);
        world.store.hangs = true;
        world.store.onClose = () -> world.host.refuseThreads(1_000);

        client.close();

        assertThat(done).isDone();
        assertThat(told).endsWith(CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    /** The loop had its time, and no more. */
    @Test
    void aLoopThatEndsInTimeIsNotLeftBehind() {
        World world = World.withSessions();
        Client client = world.client("a");
        world.win(client.election("e"));
        world.store.hangs = true;

        client.close();

        assertThat(world.logged(line -> line.contains("the store blocks the loop")))
                .isEmpty();
    }

    @Test
    void whatTheStoreThrowsWhenItIsClosedIsLogged() {
        World world = World.withSessions();
        Client client = world.client("a");
        world.store.onClose = () -> {
            throw new IllegalStateException("no more goodbyes");
        };

        client.close();

        world.host.settle();
        assertThat(world.logged(
                        line -> line.contains("failed to close the store") && line.contains("no more goodbyes")))
                .hasSize(1);
    }

    @Test
    void aLeadershipThatIsClosedByHandWaitsForTheReleaseAndNoLongerThanTheStoreMayTake() {
        World world = World.withSessions();
        Leadership leadership = world.win(world.client("a").election("e"));
        world.store.hangs = true;
        long from = world.host.nanos();

        leadership.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from))
                .isEqualTo(Duration.ofNanos(4 * TIMING.requestTimeoutNanos()));
    }

    /** Its work may still run: it is waited for, for its budget and a few answers. */
    @Test
    void aCandidacyThatIsClosedWaitsForItsTask() {
        World world = World.withSessions();
        world.executor = piece -> new Thread(piece).start();
        Stubborn work = new Stubborn();
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", work::run);
        world.passUntilReally(work.entered::get);
        long from = world.host.nanos();

        candidacy.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isEqualTo(BOUND);
        work.let.countDown();
        world.passUntilReally(() -> candidacy.status().state() == CandidacyStatus.State.NOT_CAMPAIGNING);
    }
}
