package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.LeadershipLostException;
import dev.mandate.OverrunPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** "The deadline is enforced even when every call hangs. Loss is pushed and can be asked." */
class WatchdogTest {
    /** L/q − deadlineMargin − drain, for L = 10 s: no term may be believed longer after its last renewal. */
    private static final Duration BELIEVED = Duration.ofMillis(7_325);

    static Stream<World> worlds() {
        return Stream.of(World.withSessions(), World.withRecords(), World.judged());
    }

    /** Keeps, from the win on, what {@code isValid()} said at every millisecond. */
    private static void checkNeverRevives(World world, Leadership leadership, Duration howLong) {
        boolean wasValid = true;
        for (long i = 0; i < howLong.toMillis(); i++) {
            boolean isValid = leadership.isValid();
            assertThat(!wasValid && isValid)
                    .as("valid again at millisecond " + i)
                    .isFalse();
            wasValid = isValid;
            world.pass(Duration.ofMillis(1));
        }
        assertThat(wasValid).isFalse();
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aTermEndsAtItsStopThoughEveryCallHangs(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        world.store.hangs = true;
        long from = world.host.nanos();

        world.passUntil(() -> !lost.isEmpty());

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThanOrEqualTo(BELIEVED);
        assertThat(lost).containsExactly(EndReason.LEASE_RAN_OUT);
        assertThat(leadership.isValid()).isFalse();
        assertThat(leadership.remaining()).isZero();
        assertThatThrownBy(leadership::ensureValid)
                .isInstanceOf(LeadershipLostException.class)
                .hasMessageContaining("the lease ran out");
    }

    /** The loop ends the term, and loses its processor before it has told anybody. */
    @Test
    void aLossIsToldThoughWhoeverEndedTheTermIsHeldUp() {
        World world = World.withRecords().set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        Client client = world.client("a");
        WonLeadership leadership = (WonLeadership) world.win(client.election("e"));
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        AtomicBoolean wasTold = new AtomicBoolean();
        world.store.hangs = true;
        world.host.stall("mandate-watchdog");
        world.host.onRead = () -> {
            if (leadership.reason() != null) {
                world.host.onRead = () -> {};
                client.watchdog().step();
                world.host.settle();
                wasTold.set(!lost.isEmpty());
            }
        };

        world.passUntil(() -> leadership.reason() != null);

        assertThat(wasTold).isTrue();
        assertThat(lost).containsExactly(EndReason.LEASE_RAN_OUT);
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aTermEndsAtItsStopThoughTheLoopStandsStill(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        long from = world.host.nanos();
        world.host.stall("mandate-loop");

        world.passUntil(() -> !lost.isEmpty());

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThanOrEqualTo(BELIEVED);
        assertThat(leadership.isValid()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aTermEndsForWhoeverAsksThoughLoopAndWatchdogStandStill(World world) {
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));
        world.host.stall("mandate-");

        checkNeverRevives(world, leadership, World.LEASE);

        assertThat(client.election("e").status().state()).isNotEqualTo(CandidacyStatus.State.LEADING);
    }

    /** A loop that was held up finds answers to renewals it sent in time. They come too late. */
    @ParameterizedTest
    @MethodSource("worlds")
    void lateRenewalsReviveNothing(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        world.store.latency = Duration.ofMillis(7_600);

        checkNeverRevives(world, leadership, Duration.ofSeconds(30));
    }

    /** A renewal is confirmed in time, but the loop is held up and takes the answer when the term is over. */
    @ParameterizedTest
    @MethodSource("worlds")
    void anAnswerThatTheLoopTakesTooLateRevivesNothing(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        int sent = renewals(world);
        world.passUntil(() -> renewals(world) > sent);
        world.host.stall("mandate-loop");
        world.passUntil(() -> !leadership.isValid());
        world.host.resume();

        for (int i = 0; i < 10_000; i++) {
            world.pass(Duration.ofMillis(1));
            assertThat(leadership.isValid()).isFalse();
        }
    }

    private static int renewals(World world) {
        return world.store.requests.getOrDefault("renew", 0) + world.store.requests.getOrDefault("RENEW", 0);
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void isValidNeverGoesFromFalseToTrueWhileTheStoreComesAndGoes(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        boolean wasValid = true;

        for (int i = 0; i < 60_000; i++) {
            world.store.hangs = i % 9_000 > 1_500;
            world.pass(Duration.ofMillis(1));
            boolean isValid = leadership.isValid();
            assertThat(isValid && !wasValid).isFalse();
            wasValid = isValid;
        }

        assertThat(wasValid).isFalse();
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aSuspendedMachineHasLostWhenItWakes(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        AtomicBoolean lost = new AtomicBoolean();
        leadership.ended().thenAccept(why -> lost.set(true));

        world.host.suspend(Duration.ofHours(1));

        assertThat(leadership.isValid()).isFalse();
        world.pass(Duration.ofMillis(1));
        assertThat(lost).isTrue();
    }

    /** The wall clock is set back while the machine runs, and hides the suspension that follows. */
    @ParameterizedTest
    @MethodSource("worlds")
    void aSuspensionIsNoticedThoughTheWallClockWasSetBackBefore(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        AtomicBoolean lost = new AtomicBoolean();
        leadership.ended().thenAccept(why -> lost.set(true));
        world.pass(Duration.ofSeconds(1));
        world.store.hangs = true;
        world.host.stepWall(Duration.ofSeconds(-60));
        world.pass(Duration.ofSeconds(1));
        assertThat(leadership.isValid()).isTrue();

        world.host.suspend(Duration.ofSeconds(15));

        assertThat(leadership.isValid()).isFalse();
        world.pass(Duration.ofMillis(1));
        assertThat(lost).isTrue();
    }

    /** Nobody asks, and the wall clock says nothing: the watchdog notices by itself. */
    @ParameterizedTest
    @MethodSource("worlds")
    void aSuspensionThatTheWallClockHidesIsNoticedThoughTheLoopStandsStill(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        AtomicBoolean lost = new AtomicBoolean();
        leadership.ended().thenAccept(why -> lost.set(true));
        world.host.stall("mandate-loop");

        world.host.suspend(Duration.ofMinutes(1));
        world.host.stepWall(Duration.ofMinutes(-1));
        world.pass(Duration.ofMillis(250));

        assertThat(lost).isTrue();
    }

    /** Nobody asks: the watchdog looks at the clocks by itself. */
    @ParameterizedTest
    @MethodSource("worlds")
    void aSuspensionIsNoticedThoughTheLoopStandsStill(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        AtomicBoolean lost = new AtomicBoolean();
        leadership.ended().thenAccept(why -> lost.set(true));
        world.host.stall("mandate-loop");

        world.host.suspend(Duration.ofHours(1));
        world.pass(Duration.ofMillis(250));

        assertThat(lost).isTrue();
    }

    static Stream<Arguments> suspensions() {
        return worlds().flatMap(world -> Stream.of(0.3, 0.5, 0.7)
                .flatMap(share -> Stream.of("", "mandate-loop", "mandate-watchdog")
                        .map(stalled -> Arguments.of(again(world), share, stalled))));
    }

    private static World again(World like) {
        return new World(like.store.traits());
    }

    /**
     * When the last confirmed renewal was sent, by the wall clock; the machine has then been suspended for that share
     * of a lease.
     */
    private static long suspendedAfterARenewal(World world, double share) {
        int sent = renewals(world);
        world.passUntil(() -> renewals(world) > sent);
        long sentMillis = world.host.now().wallMillis();
        world.pass(Duration.ofMillis(100));
        world.store.hangs = true;
        world.host.suspend(Duration.ofMillis((long) (share * World.LEASE.toMillis())));
        return sentMillis;
    }

    /** Shorter than the belief: the term goes on for what is left of it on the wall clock, and no longer. */
    @ParameterizedTest
    @MethodSource("suspensions")
    void aTermEndsAtItsStopOnTheWallClockAfterAShortSuspension(World world, double share, String stalled) {
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        long sentMillis = suspendedAfterARenewal(world, share);
        if (!stalled.isEmpty()) {
            world.host.stall(stalled);
        }

        world.passUntil(() -> !lost.isEmpty());

        // Without a watchdog the loop finds out at its next event: the time-out of the renewal that would be due.
        Duration look = stalled.equals("mandate-watchdog") ? World.LEASE : Duration.ofNanos(Watchdog.LOOK_NANOS);
        assertThat(Duration.ofMillis(world.host.now().wallMillis() - sentMillis))
                .isBetween(BELIEVED.minusMillis(25), BELIEVED.plus(look));
        assertThat(lost).containsExactly(EndReason.LEASE_RAN_OUT);
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aTaskIsInterruptedInTimeAfterAShortSuspension(World world) {
        world.host.useRealThreads();
        CountDownLatch entered = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        world.client("a").election("e").runWhileLeader("v", leadership -> {
            entered.countDown();
            try {
                new CompletableFuture<Void>().get();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        });
        world.passUntil(() -> {
            Thread.yield();
            return world.host.running() > 0;
        });
        world.await(() -> entered.getCount() == 0);
        long sentMillis = suspendedAfterARenewal(world, 0.5);

        world.pass(BELIEVED.minusMillis(5_100).plusNanos(Watchdog.LOOK_NANOS));

        world.await(interrupted::get);
        assertThat(Duration.ofMillis(world.host.now().wallMillis() - sentMillis))
                .isLessThanOrEqualTo(BELIEVED.plusNanos(Watchdog.LOOK_NANOS));
    }

    /** The store grants less than before: the stop comes sooner than was thought. */
    @ParameterizedTest
    @MethodSource("worlds")
    void aTermEndsInTimeThoughTheLastGrantWasAShorterOne(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        world.store.grants = Duration.ofSeconds(3);
        Duration before = leadership.remaining();
        world.passUntil(() -> renewals(world) == 1);
        world.pass(world.store.latency);
        assertThat(leadership.remaining()).isLessThan(before);
        world.host.stall("mandate-loop");
        Duration left = leadership.remaining();
        long from = world.host.nanos();

        world.passUntil(() -> !lost.isEmpty());

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThanOrEqualTo(left.plusMillis(1));
    }

    /** The loop ends a session, and is held up before it has told the terms. */
    @Test
    void theTermsOfASessionThatWasEndedAreToldThoughTheLoopStandsStill() {
        World world = World.withSessions();
        Client client = world.client("a");
        List<EndReason> lost = new ArrayList<>();
        List<Leadership> terms = Stream.of("x", "y")
                .map(name -> world.win(client.election(name)))
                .toList();
        terms.forEach(term -> term.ended().thenAccept(lost::add));
        world.host.stall("mandate-loop");

        ((WonLeadership) terms.get(0)).term().cell().latch();
        world.pass(Duration.ofMillis(1));

        assertThat(lost).hasSize(2);
    }

    /**
     * The store says that the session is gone, and the watchdog finds its cell latched before the loop has told its
     * terms.
     */
    @Test
    void theEndOfASessionIsCalledThatThoughTheWatchdogTellsItFirst() {
        World world = World.withSessions();
        Client client = world.client("a");
        List<EndReason> lost = new ArrayList<>();
        for (String name : List.of("x", "y")) {
            world.win(client.election(name)).ended().thenAccept(lost::add);
        }
        world.host.preempts = "mandate-watchdog";
        world.store.endLease("x");

        world.passUntil(() -> lost.size() == 2);

        assertThat(lost).containsOnly(EndReason.SESSION_ENDED);
    }

    /** It has ended the term, and told nobody yet when its work is overdue. */
    @Test
    void anOverrunIsReportedThoughTheLoopIsHeldUpAsItEndsTheTerm() {
        World world = World.withSessions();
        Client client = world.client("a");
        WonLeadership won = (WonLeadership) world.win(client.election("e"));
        List<Boolean> reported = new ArrayList<>();
        world.host.afterRead = name -> {
            if (name.startsWith("mandate-loop") && won.reason() != null && reported.isEmpty()) {
                reported.add(false);
                world.host.preempts = "mandate-watchdog";
                for (int i = 0; i < 3; i++) {
                    world.host.holdUp(Duration.ofSeconds(60));
                    client.watchdog().lookNow();
                }
                reported.set(0, !won.isFirstToReport());
            }
        };

        client.election("e").evict();
        world.passUntil(() -> !reported.isEmpty());

        assertThat(reported).containsExactly(true);
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aWallClockThatIsSetBackChangesNothing(World world) {
        Leadership leadership = world.win(world.client("a").election("e"));

        for (int i = 0; i < 30; i++) {
            world.host.stepWall(Duration.ofMinutes(-7));
            world.pass(Duration.ofSeconds(1));
            assertThat(leadership.isValid()).isTrue();
        }
    }

    /** One session keeps three terms: whoever sees its end first, all three are over. */
    @Test
    void allTermsOfASessionEndTogether() {
        World world = World.withSessions();
        Client client = world.client("a");
        List<Leadership> terms = Stream.of("x", "y", "z")
                .map(name -> world.win(client.election(name)))
                .toList();
        List<EndReason> lost = new ArrayList<>();
        terms.forEach(term -> term.ended().thenAccept(lost::add));
        world.host.stall("mandate-loop");

        world.pass(World.LEASE);

        assertThat(lost).hasSize(3).containsOnly(EndReason.LEASE_RAN_OUT);
        assertThat(terms).noneMatch(Leadership::isValid);
        world.host.resume();
        world.pass(Duration.ofMillis(1));
        assertThat(client.election("x").status().state()).isEqualTo(CandidacyStatus.State.STOPPING);
    }

    @Test
    void aTermThatIsRenewedGoesOnForEver() {
        World world = World.withRecords();
        Leadership leadership = world.win(world.client("a").election("e"));

        for (int i = 0; i < 600; i++) {
            world.pass(Duration.ofSeconds(1));
            assertThat(leadership.isValid()).isTrue();
        }
    }
}
