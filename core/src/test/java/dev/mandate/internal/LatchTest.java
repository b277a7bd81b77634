package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.LeaderLatch;
import dev.mandate.Leadership;
import dev.mandate.OverrunPolicy;
import dev.mandate.engine.LeaseTiming;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Campaigning without a task: the clock answers, and the record stands for the drain budget after a term. */
class LatchTest {
    private static final Duration DRAIN =
            Duration.ofNanos(LeaseTiming.of(World.LEASE).drainTimeoutNanos());
    private static final Duration ANSWERS =
            Duration.ofNanos(4 * LeaseTiming.of(World.LEASE).requestTimeoutNanos());

    private final World world = World.withSessions();

    private LeaderLatch won(Client client) {
        LeaderLatch latch = client.election("e").latch("v");
        assertThat(latch.isLeader()).isFalse();
        assertThat(latch.leadership()).isEmpty();
        world.passUntil(latch::isLeader);
        return latch;
    }

    private void requireHeldFor(Duration howLong) {
        long until = world.host.nanos() + howLong.toNanos();
        while (world.host.nanos() < until) {
            assertThat(world.isVacant("e")).isFalse();
            world.pass(Duration.ofMillis(1));
        }
    }

    @Test
    void itLeadsUntilItIsClosed() {
        LeaderLatch latch = won(world.client("a"));
        Leadership leadership = latch.leadership().orElseThrow();

        for (int i = 0; i < 60; i++) {
            world.pass(Duration.ofSeconds(1));
            assertThat(latch.isLeader()).isTrue();
        }

        assertThat(latch.leadership()).containsSame(leadership);
        assertThat(latch.status().fencingToken()).contains(leadership.fencingToken());
    }

    /** Neither the loop nor the watchdog says so. */
    @Test
    void theClockEndsItAndNobodyElseIsNeeded() {
        LeaderLatch latch = won(world.client("a"));
        world.host.stall("mandate-");

        world.pass(Duration.ofSeconds(10));

        assertThat(latch.isLeader()).isFalse();
        assertThat(latch.leadership()).isEmpty();
    }

    @Test
    void aSleepingMachineEndsIt() {
        LeaderLatch latch = won(world.client("a"));
        world.host.stall("mandate-");

        world.host.suspend(Duration.ofHours(1));

        assertThat(latch.isLeader()).isFalse();
    }

    @Test
    void afterALossItCampaignsAgain() {
        LeaderLatch latch = won(world.client("a"));
        Leadership first = latch.leadership().orElseThrow();

        world.store.hangs = true;
        world.pass(World.LEASE);
        assertThat(latch.isLeader()).isFalse();
        world.store.hangs = false;
        world.passUntil(latch::isLeader);

        assertThat(first.isValid()).isFalse();
        assertThat(latch.leadership().orElseThrow().fencingToken().value())
                .isGreaterThan(first.fencingToken().value());
    }

    /**
     * Code that asked just before the end may still be at work: it has its budget, and no overrun is anybody's fault.
     */
    @ParameterizedTest
    @EnumSource(OverrunPolicy.class)
    void theRecordStandsForTheDrainBudgetAfterAnEviction(OverrunPolicy policy) {
        world.set(Setting.ON_OVERRUN, policy);
        LeaderLatch latch = won(world.client("a"));
        Client rival = world.client("b", world.store.another());
        rival.election("e").evict();
        world.passUntil(() -> !latch.isLeader());
        LeaderLatch next = rival.election("e").latch("v");

        requireHeldFor(DRAIN.minusMillis(1));
        world.passUntil(next::isLeader, Duration.ofSeconds(1));

        world.pass(World.LEASE.multipliedBy(3));
        assertThat(latch.isLeader()).isFalse();
        assertThat(latch.status().state()).isEqualTo(CandidacyStatus.State.FOLLOWING);
        assertThat(world.host.halts).isEmpty();
        assertThat(world.logged(line -> line.contains("OVERRUN") || line.contains("HALT")))
                .isEmpty();
    }

    /** A loop that hangs cannot count the budget; that is no reason to halt a process whose work nobody knows. */
    @Test
    void aLoopThatHangsHaltsNothing() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        LeaderLatch latch = won(world.client("a"));
        world.host.stall("mandate-loop");

        world.pass(World.LEASE.multipliedBy(3));

        assertThat(latch.isLeader()).isFalse();
        assertThat(world.host.halts).isEmpty();
        world.host.resume();
        world.passUntil(latch::isLeader);
    }

    @Test
    void whoSaysThatTheWorkHasStoppedReleasesAtOnceAndCampaignsAgain() {
        LeaderLatch latch = won(world.client("a"));
        Leadership first = latch.leadership().orElseThrow();

        first.close();
        assertThat(latch.isLeader()).isFalse();
        world.passUntil(() -> world.isVacant("e"), Duration.ofMillis(100));
        world.pass(Duration.ofMillis(10));
        assertThat(latch.status().state()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
        world.passUntil(latch::isLeader);

        assertThat(latch.leadership().orElseThrow().fencingToken().value())
                .isGreaterThan(first.fencingToken().value());
        first.close();
        assertThat(latch.isLeader()).isTrue();
    }

    @Test
    void closingEndsItAtOnceAndReleasesAfterTheDrainBudget() {
        LeaderLatch latch = won(world.client("a"));
        Leadership leadership = latch.leadership().orElseThrow();
        leadership.ended().thenAccept(why -> assertThat(why).isEqualTo(EndReason.WITHDRAWN));
        long from = world.host.nanos();

        latch.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isBetween(DRAIN, DRAIN.plus(ANSWERS));
        assertThat(latch.isLeader()).isFalse();
        assertThat(leadership.isValid()).isFalse();
        assertThat(world.isVacant("e")).isTrue();
        latch.close();
        world.pass(Duration.ofMinutes(1));
        assertThat(latch.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    @Test
    void closingReleasesAtOnceIfTheWorkHasStopped() {
        LeaderLatch latch = won(world.client("a"));
        long from = world.host.nanos();

        latch.leadership().ifPresent(Leadership::close);
        latch.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(Duration.ofMillis(100));
        assertThat(world.isVacant("e")).isTrue();
    }

    @Test
    void aClosedClientKeepsTheRecordForTheDrainBudget() {
        Client client = world.client("a");
        LeaderLatch latch = won(client);
        long from = world.host.nanos();

        client.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isBetween(DRAIN, DRAIN.plus(ANSWERS));
        assertThat(latch.isLeader()).isFalse();
        assertThat(world.isVacant("e")).isTrue();
    }

    /** No further work begins, and what has begun goes on under a valid term. */
    @Test
    void aPoliteCloseAnswersNoButLeavesTheTermToItsHolder() {
        LeaderLatch latch = won(world.client("a"));
        Leadership leadership = latch.leadership().orElseThrow();
        Thread closer = new Thread(() -> latch.close(Duration.ofHours(1)));
        closer.start();
        world.await(() -> closer.getState() == Thread.State.WAITING);

        for (int i = 0; i < 30; i++) {
            world.pass(Duration.ofSeconds(1));
            assertThat(latch.isLeader()).isFalse();
            assertThat(leadership.isValid()).isTrue();
            assertThat(leadership.isStopRequested()).isTrue();
        }
        leadership.close();
        world.passUntilReally(() -> !closer.isAlive());

        assertThat(world.isVacant("e")).isTrue();
        world.pass(Duration.ofMinutes(1));
        assertThat(latch.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
    }

    @Test
    void aPoliteCloseThatNobodyAnswersIsACloseAfterTheGrace() {
        LeaderLatch latch = won(world.client("a"));
        Leadership leadership = latch.leadership().orElseThrow();
        Duration grace = Duration.ofSeconds(30);
        long from = world.host.nanos();

        latch.close(grace);

        assertThat(Duration.ofNanos(world.host.nanos() - from))
                .isBetween(grace.plus(DRAIN), grace.plus(DRAIN).plus(ANSWERS));
        assertThat(leadership.isValid()).isFalse();
        assertThat(world.isVacant("e")).isTrue();
    }

    @Test
    void aClientStandsOncePerElection() {
        Client client = world.client("a");
        LeaderLatch latch = client.election("e").latch("v");

        assertThatThrownBy(() -> client.election("e").latch("w")).isInstanceOf(IllegalStateException.class);
        latch.close();

        assertThat(client.election("e").latch("w")).isNotSameAs(latch);
        assertThat(latch.isLeader()).isFalse();
        world.passUntil(() -> client.election("e").status().isLeader());
        assertThat(latch.isLeader()).isFalse();
    }
}
