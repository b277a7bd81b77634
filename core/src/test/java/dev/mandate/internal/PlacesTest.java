package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.Explanation;
import dev.mandate.Leadership;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A client on a store that says who tries first. A step is 0.2 s, the last turn 1.6 s; whoever polls does so every
 * second.
 */
class PlacesTest {
    private static final RecordKey E = RecordKey.election("e");
    private static final Duration SOON = Duration.ofMillis(10);
    private static final Duration LAST = Duration.ofMillis(1_600);

    private final World world = World.withRecords();
    private final OrderedStore store = new OrderedStore(world.store);

    private CompletableFuture<Leadership> campaign(Client client) {
        return client.election("e").campaignAsync("v").toCompletableFuture();
    }

    /** How long it takes from here until it is won. */
    private Duration untilWon(CompletableFuture<Leadership> campaign) {
        long from = world.host.nanos();
        world.passUntil(campaign::isDone);
        return Duration.ofNanos(world.host.nanos() - from);
    }

    private boolean isSeeking() {
        return store.stances.contains("e Seeking");
    }

    // ---- through the loop ----

    @Test
    void whoeverIsToldNothingTriesLast() {
        CompletableFuture<Leadership> campaign = campaign(world.client("a", store));
        world.passUntil(this::isSeeking);

        assertThat(untilWon(campaign)).isBetween(LAST.minusMillis(1), LAST.plus(SOON));
    }

    @Test
    void aPlaceThatIsToldAtOnceIsTakenAtOnce() {
        store.onStands = (key, stance) -> {
            if (stance == Stance.Seeking.INSTANCE) {
                store.placed("e", 0);
            }
        };
        CompletableFuture<Leadership> campaign = campaign(world.client("a", store));
        world.passUntil(this::isSeeking);

        assertThat(untilWon(campaign)).isLessThan(SOON);
    }

    @Test
    void aPlaceThatIsToldLaterWakesTheLoop() {
        CompletableFuture<Leadership> campaign = campaign(world.client("a", store));
        world.passUntil(this::isSeeking);
        world.pass(Duration.ofMillis(300));
        assertThat(campaign).isNotDone();

        store.placed("e", 2);
        world.pass(Duration.ofMillis(399));
        assertThat(campaign).isNotDone();

        assertThat(untilWon(campaign)).isLessThan(SOON);
    }

    @Test
    void aPlaceThatIsToldWhileTheClockCannotBeReadIsNotLost() {
        CompletableFuture<Leadership> campaign = campaign(world.client("a", store));
        world.passUntil(this::isSeeking);
        AtomicInteger left = world.failToReadTheClock("Places", 1);

        store.placed("e", 0);

        assertThat(untilWon(campaign)).isLessThan(SOON);
        assertThat(left).hasValue(0);
    }

    @Test
    void aRequestToLeaveThatComesWhileTheClockCannotBeReadIsNotLost() {
        Leadership leadership = world.win(world.client("a", store).election("e"));
        AtomicInteger left = world.failToReadTheClock("Places", 1);

        store.askToLeave("e", leadership.fencingToken().value());
        world.pass(SOON);

        assertThat(leadership.isValid()).isFalse();
        assertThat(left).hasValue(0);
    }

    @Test
    void theNextInTheOrderTakesOverOnceTheFirstStopsAtAll() {
        OrderedStore second = new OrderedStore(world.store.another());
        store.onStands = (key, stance) -> store.placed("e", 0);
        second.onStands = (key, stance) -> second.placed("e", store.stances.contains("e Absent") ? 0 : 1);
        CompletableFuture<Leadership> theirs = campaign(world.client("b", second));
        CompletableFuture<Leadership> ours = campaign(world.client("a", store));
        world.passUntil(() -> ours.isDone() || theirs.isDone());
        assertThat(ours).isDone();

        ours.join().close();

        assertThat(untilWon(theirs)).isLessThan(SOON);
        assertThat(theirs.join().fencingToken().value())
                .isGreaterThan(ours.join().fencingToken().value());
    }

    @Test
    void itSaysHowItStands() {
        store.onStands = (key, stance) -> store.placed("e", 0);
        Client client = world.client("a", store);
        Leadership leadership = world.win(client.election("e"));
        long term = leadership.fencingToken().value();

        client.close();

        assertThat(store.stances).endsWith("e Seeking", "e Leading[term=" + term + "]", "e Absent");
    }

    @Test
    void whoeverIsAskedToLeaveEndsItsTermAsEvicted() {
        Leadership leadership = world.win(world.client("a", store).election("e"));
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        long term = leadership.fencingToken().value();

        store.askToLeave("e", term + 1);
        store.askToLeave("other", term);
        world.pass(Duration.ofSeconds(1));
        assertThat(leadership.isValid()).isTrue();

        store.askToLeave("e", term);
        world.pass(SOON);

        assertThat(lost).containsExactly(EndReason.EVICTED);
        assertThat(leadership.isValid()).isFalse();
        assertThat(world.isVacant("e")).as("before its work has stopped").isFalse();
        leadership.close();
        world.pass(SOON);
        assertThat(world.isVacant("e")).isTrue();
        assertThat(world.logged(line -> line.contains("reason='evicted'"))).hasSize(1);
    }

    @Test
    void theOrderIsOpenedWhenFirstNeededAndClosedWithTheClient() {
        Client client = world.client("a", store);
        world.pass(Duration.ofMinutes(1));
        assertThat(store.opened).isZero();
        world.win(client.election("e"));
        client.election("f").campaignAsync("v");
        world.pass(Duration.ofSeconds(1));

        client.close();

        assertThat(store.opened).isOne();
        assertThat(store.closed).isOne();
        assertThat(store.wasOpen).as("closed before the store").isTrue();
    }

    // ---- an order that fails ----

    @Test
    void anOrderThatThrowsIsARace() {
        store.onStands = (key, stance) -> {
            throw new IllegalStateException("no order today");
        };
        CompletableFuture<Leadership> campaign = campaign(world.client("a", store));
        world.passUntil(this::isSeeking);

        assertThat(untilWon(campaign)).isLessThan(LAST.plus(SOON));
        assertThat(world.logged(line -> line.contains("no order today"))).isNotEmpty();
    }

    @Test
    void anOrderThatCannotBeOpenedIsARaceAndIsOpenedByTheNextCampaign() {
        store.failure = new IllegalStateException("no order yet");
        Client client = world.client("a", store);
        world.win(client.election("e"));
        assertThat(store.opened).isZero();
        assertThat(world.logged(line -> line.contains("no order yet"))).hasSize(1);

        store.failure = null;
        client.election("f").campaignAsync("v");
        client.election("g").campaignAsync("v");
        world.pass(SOON);

        assertThat(store.opened).isOne();
    }

    // ---- what people are told ----

    @Test
    void theOrderIsExplained() {
        Explanation ordered = world.client("a", store).explain();
        Explanation race = world.client("b", world.store.another()).explain();

        assertThat(ordered.first()).isEqualTo("the eldest");
        assertThat(ordered.turnAtMost()).isEqualTo(LAST);
        assertThat(ordered.failoverAtMost()).isEqualTo(race.failoverAtMost().plus(LAST));
        assertThat(ordered.recoveryAtMost()).isEqualTo(race.recoveryAtMost().plus(LAST));
        assertThat(ordered.inWords()).contains("the eldest tries first; others wait at most 1.60 s,");
        assertThat(race.first()).isEmpty();
        assertThat(race.turnAtMost()).isZero();
        assertThat(race.inWords()).doesNotContain("tries first");
        assertThat(ordered.failoverAtMost())
                .isEqualTo(
                        LeaseTiming.of(World.LEASE).bounds(store.traits(), true).failover());
    }

    // ---- by itself ----

    private final List<String> told = new ArrayList<>();
    private final Places places = new Places(
            store,
            key -> !key.name().equals("stranger"),
            () -> told.add("wake"),
            new Journal(System.getLogger("test"), "a", piece -> {}));

    private void deliver() {
        told.clear();
        Places.Listener listener = new Places.Listener() {
            @Override
            public void placed(RecordKey key, int place, Now now) {
                assertThat(now.monotonicNanos()).isEqualTo(world.host.nanos());
                told.add(key.name() + " placed " + place);
            }

            @Override
            public void askedToLeave(RecordKey key, long term, Now now) {
                assertThat(now.monotonicNanos()).isEqualTo(world.host.nanos());
                told.add(key.name() + " asked to leave " + term);
            }
        };
        places.deliver(listener, world.host::now);
    }

    @Test
    void ofEachElectionTheNewestIsKeptAndOnlyOfThoseThatAreFollowed() {
        places.open(world.host.now());
        for (int place = 9; place >= 0; place--) {
            places.placed(E, place);
            places.placed(RecordKey.election("f"), place + 1);
            places.placed(RecordKey.election("stranger"), place);
            places.askedToLeave(E, 10 - place);
            places.askedToLeave(RecordKey.election("stranger"), 1);
        }
        assertThat(told).hasSize(30).containsOnly("wake");

        deliver();
        assertThat(told).containsExactly("e asked to leave 10", "e placed 0", "f placed 1");
        deliver();
        assertThat(told).isEmpty();
    }

    @Test
    void afterItsEndItIsNotOpenedAgain() {
        places.open(world.host.now());
        places.close();
        places.close();
        places.open(world.host.now());

        assertThat(store.opened).isOne();
        assertThat(store.closed).isOne();
    }

    @Test
    void aStoreWithoutAnOrderIsToldNothing() {
        Places none = new Places(null, key -> true, () -> {}, new Journal(System.getLogger("test"), "a", piece -> {}));
        none.open(world.host.now());
        none.stands(E, Stance.Seeking.INSTANCE, world.host.now());
        none.close();

        assertThat(store.stances).isEmpty();
    }
}
