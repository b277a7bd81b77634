package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.LossReason;
import dev.mandate.Standing;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing is bounded, idempotent, possible from anywhere at any time, and leaves nothing behind. */
class CloseTest {
    /** The drain budget and four answer time-outs, for L = 10 s. */
    private static final LeaseTiming TIMING = LeaseTiming.of(World.LEASE);

    private static final Duration BOUND = Duration.ofNanos(TIMING.drainNanos() + 4 * TIMING.answerNanos());

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
        List<LossReason> lost = new ArrayList<>();
        Candidacy candidacy = client.election("task").runWhileLeader("v", leadership -> {
            leadership.lost().thenAccept(lost::add);
        });
        world.passUntil(() -> candidacy.standing().state() == Standing.State.NOT_STANDING && !lost.isEmpty());
        Leadership leadership = world.win(client.election("own"));
        leadership.lost().thenAccept(why -> {
            lost.add(why);
            leadership.close();
        });
        long from = world.host.nanos();

        client.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(Duration.ofMillis(100));
        assertThat(leadership.isValid()).isFalse();
        assertThat(lost).containsExactly(LossReason.COMPLETED, LossReason.WITHDRAWN);
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
        assertThatCode(client.election("e")::standing).doesNotThrowAnyException();
        assertThatThrownBy(client.election("e")::leader)
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
        assertThat(candidacy.standing().state()).isNotEqualTo(Standing.State.LEADING);
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

    // ---- in real time: threads, and a store that breaks its contract ----

    /** A thread that has done its last deed takes a moment to be gone. */
    private static void awaitNoThreadOf(String candidate) {
        long until = System.nanoTime() + 30_000_000_000L;
        while (!threadsOf(candidate).isEmpty()) {
            assertThat(System.nanoTime())
                    .as("threads left: " + threadsOf(candidate))
                    .isLessThan(until);
            Thread.onSpinWait();
        }
    }

    private static List<String> threadsOf(String candidate) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("mandate-") && name.contains(candidate))
                .toList();
    }

    @Test
    void noThreadOutlivesTheClient() throws Exception {
        ElectionClient client = ElectionClient.connect("memory:?lease=1s&candidate=leaver");
        CountDownLatch begun = new CountDownLatch(1);
        client.election("task").runWhileLeader("v", leadership -> {
            begun.countDown();
            new CountDownLatch(1).await();
        });
        client.election("seen").observe(view -> {});
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(threadsOf("leaver")).contains("mandate-loop-leaver", "mandate-watchdog-leaver");

        client.close();

        awaitNoThreadOf("leaver");
    }

    @Test
    void manyThreadsMayCloseAtOnce() throws Exception {
        for (int round = 0; round < 20; round++) {
            ElectionClient client = ElectionClient.connect("memory:?lease=1s&candidate=crowd");
            Leadership leadership = client.election("e").campaign("v");
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                boolean byLeadership = i % 2 == 0;
                all.add(CompletableFuture.runAsync(byLeadership ? leadership::close : client::close));
            }

            for (CompletableFuture<Void> each : all) {
                each.get(30, TimeUnit.SECONDS);
            }

            assertThat(leadership.isValid()).isFalse();
            awaitNoThreadOf("crowd");
        }
    }

    /** A method that must not block does, for ever, in the loop: belief ends in time all the same, and close comes back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closeComesBackThoughTheStoreBlocksTheLoop(boolean interrupted) throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        List<Thread> inside = java.util.Collections.synchronizedList(new ArrayList<>());
        BlockingStore blocking = new BlockingStore(() -> {
            inside.add(Thread.currentThread());
            stuck.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted in the store", e);
            }
        });
        ElectionClient client = ElectionClient.on(blocking)
                .lease(Duration.ofSeconds(1))
                .candidate("blocked")
                .connect();
        Leadership leadership = client.election("e").campaign("v");
        CompletableFuture<LossReason> lost = leadership.lost().toCompletableFuture();
        blocking.blocks = true;

        assertThat(stuck.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.LEASE_RAN_OUT);
        assertThat(leadership.isValid()).isFalse();
        CompletableFuture.runAsync(() -> {
                    if (interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    client.close();
                    assertThat(Thread.interrupted()).isEqualTo(interrupted);
                })
                .get(60, TimeUnit.SECONDS);

        inside.get(0).join(30_000);
        awaitNoThreadOf("blocked");
        assertThat(blocking.closed).isPositive();
    }
}
