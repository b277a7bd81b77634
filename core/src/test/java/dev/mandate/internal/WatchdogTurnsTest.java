package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.SessionLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What one turn of the watchdog does, and when it wants the next one. The client's own watchdog and its loop stand
 * still.
 */
class WatchdogTurnsTest {
    private static final long SCAN = 20_000_000;

    private final World world = World.withRecords();
    private final Client client = world.client("a");
    private final List<WonLeadership> guarded = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Watchdog watchdog = new Watchdog(world.host, new Watchdog.Listener() {
        @Override
        public void latched(SessionLease session) {
            told.add("session");
        }

        @Override
        public void latched(WonLeadership term) {
            told.add(term.election());
            if (term.election().equals("throws")) {
                throw new InternalError("simulated: no memory to tell it");
            }
        }

        @Override
        public void clocksMoved() {
            told.add("clocks");
        }
    });

    private WonLeadership x;
    private WonLeadership y;

    @BeforeEach
    void win() {
        x = (WonLeadership) world.win(client.election("x"));
        world.pass(Duration.ofMillis(700));
        y = (WonLeadership) world.win(client.election("y"));
        world.host.stall("mandate-");
        watchdog.lookNow();
        assertThat(watchdog.step()).isEqualTo(Long.MAX_VALUE);
    }

    private void guard(WonLeadership won) {
        watchdog.guard(won, null);
        guarded.add(won);
    }

    private long nanos() {
        return world.host.nanos();
    }

    private void passTo(long atNanos) {
        world.pass(Duration.ofNanos(atNanos - nanos()));
    }

    private long stop(WonLeadership won) {
        return won.term().cell().window().stopAtNanos(world.host.now());
    }

    private static boolean isOver(WonLeadership won, World world) {
        return won.term().cell().window().isStopPassed(world.host.now());
    }

    /** Takes turns whenever they are wanted until {@code atNanos}; how many. */
    private int turnsUntil(long atNanos) {
        int turns = 0;
        while (true) {
            turns++;
            long next = watchdog.step();
            guarded.removeIf(won -> won.reason() != null);
            assertThat(guarded).noneMatch(won -> isOver(won, world));
            assertThat(next).isGreaterThan(nanos());
            if (next > atNanos) {
                passTo(atNanos);
                return turns;
            }
            passTo(next);
        }
    }

    @Test
    void whileNothingIsHeldItSleeps() {
        assertThat(watchdog.step()).isEqualTo(Long.MAX_VALUE);
        world.host.suspend(Duration.ofHours(1));

        assertThat(watchdog.step()).isEqualTo(Long.MAX_VALUE);
        assertThat(told).isEmpty();
        assertThat(watchdog.isCurrent()).isFalse();
    }

    @Test
    void whileATermIsHeldItLooksAtTheClocksFourTimesASecond() {
        guard(x);

        assertThat(watchdog.step()).isEqualTo(nanos() + Watchdog.LOOK_NANOS);
        world.pass(Duration.ofMillis(3));
        assertThat(watchdog.step()).isEqualTo(nanos() + Watchdog.LOOK_NANOS);
        int turns = turnsUntil(nanos() + 5_000_000_000L);

        // Those of the clocks, and a few at the quarters in which a stop was to pass.
        assertThat(turns).isBetween(20, 25);
        assertThat(x.reason()).isNull();
    }

    /** No turn finds a term beyond its stop, and it takes few. */
    @Test
    void eachTermEndsAtItsOwnStop() {
        guard(y);
        guard(x);
        long stopX = stop(x);
        long stopY = stop(y);
        assertThat(stopX).isLessThan(stopY);

        turnsUntil(stopX + 2_000_000);
        assertThat(x.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        assertThat(y.reason()).isNull();
        assertThat(told).containsExactly("x");
        turnsUntil(stopY + 2_000_000);

        assertThat(y.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        assertThat(told).containsExactly("x", "y");
        assertThat(watchdog.step()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whenTheStopIsNearItSleepsUntilThen() {
        guard(x);
        turnsUntil(stop(x) - 100_000_000);

        assertThat(watchdog.step()).isEqualTo(stop(x));
    }

    @Test
    void aTermThatIsGuardedInItsLastQuarterEndsInTimeToo() {
        passTo(stop(x) - 50_000_000);
        guard(x);

        assertThat(watchdog.step()).isEqualTo(stop(x));
        turnsUntil(stop(x) + 2_000_000);

        assertThat(x.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    @Test
    void aTermThatIsOverWhenItIsGuardedEndsInTheNextTurn() {
        world.pass(World.LEASE);
        guard(x);

        watchdog.step();

        assertThat(x.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /** Its latch was told before anybody listened. */
    @Test
    void aTermWhoseCellIsLatchedWhenItIsGuardedEndsInTheNextTurn() {
        x.term().cell().latch();
        guard(x);

        passTo(watchdog.step());
        watchdog.step();

        assertThat(x.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        assertThat(told).containsExactly("x");
    }

    @Test
    void aTermThatWasRenewedGoesOnUntilItsNewStop() {
        guard(x);
        turnsUntil(stop(x) - 1_000_000_000);
        LeaseWindow later = LeaseTiming.of(World.LEASE).window(world.host.now(), World.LEASE.toNanos());
        assertThat(x.term().cell().extend(later)).isTrue();
        long stop = stop(x);

        turnsUntil(stop - 1_000_000);
        assertThat(x.reason()).isNull();
        turnsUntil(stop + 2_000_000);

        assertThat(x.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /** Less was granted than before: it is told of that, and looks again. */
    @Test
    void aTermWhoseStopComesSoonerEndsSooner() {
        guard(x);
        watchdog.step();
        LeaseWindow shorter = LeaseTiming.of(World.LEASE).window(world.host.now(), World.LEASE.toNanos() / 4);
        x.term().cell().extend(shorter);
        long stop = stop(x);
        assertThat(stop).isLessThan(nanos() + 2_000_000_000L);

        turnsUntil(stop + 2_000_000);

        assertThat(x.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    @Test
    void whatWasReleasedIsNotEnded() {
        guard(x);
        guard(y);
        watchdog.release(x);
        watchdog.release(x);
        guarded.remove(x);

        assertThat(watchdog.step()).isEqualTo(nanos() + Watchdog.LOOK_NANOS);
        turnsUntil(stop(y) + 2_000_000);

        assertThat(x.reason()).isNull();
        assertThat(told).containsExactly("y");
        assertThat(watchdog.step()).isEqualTo(Long.MAX_VALUE);
        // It was forgotten with its end.
        watchdog.release(y);
        assertThat(watchdog.step()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatWasNeverGuardedIsNotReleased() {
        guard(x);
        watchdog.release(y);

        assertThat(watchdog.step()).isEqualTo(nanos() + Watchdog.LOOK_NANOS);
    }

    // ---- cells that somebody else ends ----

    @Test
    void aCellThatWasLatchedIsFoundAtOnceAndTheNextOneTwentyMillisecondsLater() {
        guard(x);
        guard(y);
        world.pass(Duration.ofMillis(20));
        x.term().cell().latch();
        watchdog.step();
        assertThat(told).containsExactly("x");

        world.pass(Duration.ofMillis(1));
        y.term().cell().latch();
        long from = nanos();
        assertThat(watchdog.step()).isEqualTo(from - 1_000_000 + SCAN);
        assertThat(told).containsExactly("x");
        passTo(from - 1_000_000 + SCAN - 1);
        watchdog.step();
        assertThat(told).containsExactly("x");
        world.pass(Duration.ofNanos(1));
        watchdog.step();

        assertThat(told).containsExactly("x", "y");
    }

    @Test
    void whatGoesWrongInTellingOneKeepsNoOtherFromBeingTold() {
        world.host.resume();
        WonLeadership odd = (WonLeadership) world.win(client.election("throws"));
        world.host.stall("mandate-");
        for (WonLeadership won : List.of(odd, x, y)) {
            guard(won);
        }
        world.pass(World.LEASE);
        watchdog.step();

        assertThat(told).containsExactlyInAnyOrder("throws", "x", "y");
        assertThat(List.of(odd, x, y)).allMatch(won -> won.reason() == EndReason.LEASE_RAN_OUT);
    }

    // ---- clocks ----

    @Test
    void clocksThatRanApartAreToldOnce() {
        guard(x);
        watchdog.step();
        world.host.stepWall(Duration.ofMillis(-4));
        watchdog.step();
        assertThat(told).isEmpty();

        world.host.stepWall(Duration.ofMillis(-4));
        watchdog.step();
        watchdog.step();

        assertThat(told).containsExactly("clocks");
        assertThat(x.reason()).isNull();
    }

    @Test
    void aSuspensionThatTheWallClockHidesIsToldToo() {
        guard(x);
        watchdog.step();
        world.host.suspend(Duration.ofMillis(40));
        world.host.stepWall(Duration.ofMillis(-40));

        watchdog.step();

        assertThat(told).containsExactly("clocks");
    }

    /** What was scheduled by the one is due by the other. */
    @Test
    void afterASuspensionTermsEndAtTheStopThatIsLeftOfThem() {
        guard(x);
        watchdog.step();
        long before = stop(x);
        world.host.suspend(Duration.ofSeconds(5));
        watchdog.step();
        long stop = stop(x);
        assertThat(stop).isBetween(before - 5_100_000_000L, before - 4_900_000_000L);

        // It shows in steps of ten milliseconds.
        turnsUntil(stop + 25_000_000);

        assertThat(x.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    @Test
    void whatTheClocksDidBeforeATermBeganCountsForNothing() {
        world.host.suspend(Duration.ofHours(1));
        world.host.stepWall(Duration.ofHours(-1));
        guard(y);
        watchdog.step();

        assertThat(told).doesNotContain("clocks");
    }

    // ---- overruns ----

    @Test
    void workThatStillRunsAtItsDeadlineIsReportedThen() {
        long at = nanos() + 30_000_000;
        watchdog.overdueAt(y, at + 5_000_000);
        watchdog.overdueAt(x, at);
        assertThat(watchdog.step()).isEqualTo(at);
        passTo(at - 1);
        watchdog.step();
        assertThat(overruns()).isEmpty();

        world.pass(Duration.ofNanos(1));
        assertThat(watchdog.step()).isEqualTo(at + 5_000_000);
        assertThat(overruns()).singleElement().asString().contains("election=x");
        passTo(at + 5_000_000);

        assertThat(watchdog.step()).isEqualTo(Long.MAX_VALUE);
        assertThat(overruns()).hasSize(2);
    }

    private List<String> overruns() {
        world.host.settle();
        return world.logged(line -> line.contains("OVERRUN"));
    }

    @Test
    void aWatchdogThatWasStoppedDoesNothingMore() {
        guard(x);
        watchdog.stop();
        world.pass(World.LEASE);

        assertThat(watchdog.step()).isEqualTo(Host.Step.DONE);
        assertThat(told).isEmpty();
    }

    // ---- waking ----

    @Test
    void itIsWokenForWhatComesBeforeItWouldWake() {
        watchdog.startOn("other-watchdog");
        world.host.settle();
        guard(x);
        world.pass(Duration.ofSeconds(10));
        assertThat(x.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);

        watchdog.overdueAt(y, nanos() + 5_000_000);
        world.pass(Duration.ofMillis(5));
        assertThat(overruns()).anyMatch(line -> line.contains("election=y"));

        watchdog.stop();
        world.host.settle();
        assertThat(watchdog.drive().ended()).isDone();
    }
}
