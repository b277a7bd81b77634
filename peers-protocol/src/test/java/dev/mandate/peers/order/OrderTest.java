package dev.mandate.peers.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What holds for every order. */
class OrderTest {
    private static final OrderTiming TIMING = new OrderTiming(1_000);

    @Test
    void inARaceEverybodyIsFirstAndNobodySaysAWord() {
        Race race = new Race();

        assertThat(race.step(new OrderEvent.StanceChanged(Group.KEY, Stance.Seeking.INSTANCE), 5))
                .containsExactly(new OrderAction.Placed(Group.KEY, 0));
        assertThat(race.step(new OrderEvent.StanceChanged(Group.KEY, new Stance.Leading(3)), 5))
                .isEmpty();
        assertThat(race.step(new OrderEvent.Received(1, new OrderMessage.Election(Group.KEY, 1)), 5))
                .isEmpty();
        assertThat(race.step(OrderEvent.Tick.INSTANCE, 5)).isEmpty();
        assertThat(race.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void refusesGroupsThatAreNone() {
        assertThatThrownBy(() -> new Bully(0, 65, TIMING, new Seed(1), false))
                .hasMessage("the group has 65 members; it must have 1 to 64");
        assertThatThrownBy(() -> new Ring(0, 0, TIMING, new Seed(1)))
                .hasMessage("the group has 0 members; it must have 1 to 64");
        assertThatThrownBy(() -> new Ring(3, 3, TIMING, new Seed(1))).hasMessage("self is member 3; it must be 0 to 2");
        assertThatThrownBy(() -> new Bully(-1, 3, TIMING, new Seed(1), false)).hasMessageStartingWith("self is member");
    }

    @Test
    void whatComesFromNoPeerIsDropped() {
        for (Order order : orders()) {
            for (int from : List.of(-1, 1, 4, 64, Integer.MAX_VALUE)) {
                assertThat(order.step(new OrderEvent.Received(from, new OrderMessage.Election(Group.KEY, 1)), 0))
                        .isEmpty();
                assertThat(order.step(
                                new OrderEvent.Received(from, new OrderMessage.Token(Group.KEY, 1, 0, false, 1)), 0))
                        .isEmpty();
                assertThat(order.step(new OrderEvent.Link(from, false), 0)).isEmpty();
            }
        }
    }

    @Test
    void messagesOfAnotherOrderAreDropped() {
        List<Order> orders = orders();
        Stream.of(
                        new OrderMessage.Token(Group.KEY, 1, 0, false, 1),
                        new OrderMessage.TokenArrived(Group.KEY, 1, 0, false))
                .forEach(message -> assertThat(orders.get(0).step(new OrderEvent.Received(0, message), 0))
                        .isEmpty());
        Stream.of(
                        new OrderMessage.Election(Group.KEY, 1),
                        new OrderMessage.Alive(Group.KEY, 1),
                        new OrderMessage.Coordinator(Group.KEY),
                        new OrderMessage.Preempt(Group.KEY, 1))
                .forEach(message -> assertThat(orders.get(1).step(new OrderEvent.Received(0, message), 0))
                        .isEmpty());
    }

    /**
     * Peers may say anything about any election: nothing is thrown, and what is remembered is bounded and forgotten.
     */
    @Test
    void whateverPeersSayIsBoundedAndForgotten() {
        for (Order order : orders()) {
            Seed seed = new Seed(3);
            long now = 0;
            for (int i = 0; i < 100_000; i++) {
                RecordKey key = RecordKey.election("e" + seed.upTo(40_000));
                now += seed.upTo(2);
                order.step(new OrderEvent.Received(seed.upTo(4), anything(seed, key)), now);
                if (seed.chance(0.01)) {
                    order.step(new OrderEvent.StanceChanged(key, anyStance(seed)), now);
                }
                if (seed.chance(0.01)) {
                    order.step(new OrderEvent.Link(seed.upTo(4), seed.chance(0.7)), now);
                }
                if (order.wakeAtNanos() <= now) {
                    order.step(OrderEvent.Tick.INSTANCE, now);
                }
                assertThat(order.wakeAtNanos()).isGreaterThan(now);
            }
            assertThat(((DecidingOrder<?>) order).remembered()).isBetween(500, DecidingOrder.RELAYED_MAX + 1_000);

            while (order.wakeAtNanos() < Long.MAX_VALUE) {
                now = order.wakeAtNanos();
                order.step(OrderEvent.Tick.INSTANCE, now);
            }
            assertThat(((DecidingOrder<?>) order).decided()).isZero();
        }
    }

    private static OrderMessage anything(Seed seed, RecordKey key) {
        long round = seed.upTo(3);
        return switch (seed.upTo(7)) {
            case 0 -> new OrderMessage.Election(key, round);
            case 1 -> new OrderMessage.Alive(key, round);
            case 2 -> new OrderMessage.Pass(key, round);
            case 3 -> new OrderMessage.Coordinator(key);
            case 4 -> new OrderMessage.Preempt(key, seed.nextLong());
            case 5 -> new OrderMessage.Token(key, round, seed.upTo(66) - 1, seed.chance(0.5), seed.upTo(20));
            default -> new OrderMessage.TokenArrived(key, round, seed.upTo(66) - 1, seed.chance(0.5));
        };
    }

    private static Stance anyStance(Seed seed) {
        return switch (seed.upTo(5)) {
            case 0 -> Stance.Absent.INSTANCE;
            case 1 -> new Stance.Following(seed.nextLong());
            case 2 -> new Stance.Settling(seed.nextLong());
            case 3 -> new Stance.Leading(seed.nextLong());
            default -> Stance.Seeking.INSTANCE;
        };
    }

    @Test
    void aClockThatGoesBackStandsStill() {
        for (Order order : orders()) {
            order.step(OrderEvent.Tick.INSTANCE, 10_000);
            order.step(new OrderEvent.StanceChanged(Group.KEY, Stance.Seeking.INSTANCE), 3_000);

            assertThat(order.wakeAtNanos()).isGreaterThan(10_000);
        }
    }

    private static List<Order> orders() {
        return List.of(new Bully(1, 4, TIMING, new Seed(1), true), new Ring(1, 4, TIMING, new Seed(1)));
    }
}
