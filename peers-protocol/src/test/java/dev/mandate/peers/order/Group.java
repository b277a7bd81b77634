package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Members of a group, each with its order, and a network between them that does what it is told. */
final class Group {
    static final RecordKey KEY = RecordKey.election("jobs");

    /** When a message arrives, in nanoseconds from now, once for each copy. */
    @FunctionalInterface
    interface Network {
        List<Long> delays(int from, int to, OrderMessage message);
    }

    /** What an order told, besides messages. */
    record Said(int member, long atNanos, OrderAction action) {}

    private record Delivery(long atNanos, long serial, int to, OrderEvent event) {}

    private final IntFunction<Order> maker;
    private final @Nullable Order[] orders;
    private final PriorityQueue<Delivery> deliveries =
            new PriorityQueue<>(Comparator.comparingLong(Delivery::atNanos).thenComparingLong(Delivery::serial));
    private final long[] suspendedUntilNanos;
    private long serial;

    Network network = (from, to, message) -> List.of(1L);
    long nowNanos;
    /** How many messages were sent, but for the ring's confirmations of hops. */
    int sent;

    int confirmations;
    final List<Said> said = new ArrayList<>();
    final List<OrderMessage> messages = new ArrayList<>();

    Group(int members, IntFunction<Order> maker) {
        this.maker = maker;
        this.orders = new @Nullable Order[members];
        this.suspendedUntilNanos = new long[members];
        for (int member = 0; member < members; member++) {
            orders[member] = maker.apply(member);
        }
    }

    int members() {
        return orders.length;
    }

    boolean lives(int member) {
        return orders[member] != null;
    }

    @Nullable
    Order order(int member) {
        return orders[member];
    }

    void crash(int member) {
        orders[member] = null;
    }

    void restart(int member) {
        orders[member] = maker.apply(member);
    }

    void stands(int member, Stance stance) {
        on(member, new OrderEvent.StanceChanged(KEY, stance));
    }

    void seeks(int member) {
        stands(member, Stance.Seeking.INSTANCE);
    }

    /** That member neither hears nor does anything for so long; then it hears all that has come. */
    void suspend(int member, long nanos) {
        suspendedUntilNanos[member] = nowNanos + nanos;
    }

    boolean isSuspended(int member) {
        return nowNanos < suspendedUntilNanos[member];
    }

    /** All members that live stand, and follow nobody in particular. */
    void allStand() {
        for (int member = 0; member < orders.length; member++) {
            stands(member, new Stance.Following(0));
        }
    }

    void later(long nanos, int member, OrderEvent event) {
        deliveries.add(new Delivery(nowNanos + nanos, serial++, member, event));
    }

    void on(int member, OrderEvent event) {
        Order order = orders[member];
        if (order == null) {
            return;
        }
        for (OrderAction action : order.step(event, nowNanos)) {
            if (action instanceof OrderAction.Send send) {
                count(send.message());
                for (long delay : network.delays(member, send.to(), send.message())) {
                    later(delay, send.to(), new OrderEvent.Received(member, send.message()));
                }
            } else {
                said.add(new Said(member, nowNanos, action));
            }
        }
    }

    private void count(OrderMessage message) {
        if (message instanceof OrderMessage.TokenArrived) {
            confirmations++;
        } else {
            sent++;
            messages.add(message);
        }
    }

    /** Until nothing more happens. */
    void run() {
        runUntil(Long.MAX_VALUE);
    }

    /** Up to that time, which it is then, unless that is never. */
    void runUntil(long untilNanos) {
        for (long next = nextNanos(); next <= untilNanos && next < Long.MAX_VALUE; next = nextNanos()) {
            nowNanos = Math.max(nowNanos, next);
            Delivery delivery = deliveries.peek();
            if (delivery != null && delivery.atNanos <= nowNanos) {
                deliveries.poll();
                if (isSuspended(delivery.to)) {
                    later(suspendedUntilNanos[delivery.to] - nowNanos, delivery.to, delivery.event);
                } else {
                    on(delivery.to, delivery.event);
                }
                continue;
            }
            for (int member = 0; member < orders.length; member++) {
                Order order = orders[member];
                if (order != null && wakeAtNanos(member) <= nowNanos) {
                    on(member, OrderEvent.Tick.INSTANCE);
                }
            }
        }
        nowNanos = untilNanos < Long.MAX_VALUE ? Math.max(nowNanos, untilNanos) : nowNanos;
    }

    private long nextNanos() {
        long next = deliveries.isEmpty() ? Long.MAX_VALUE : deliveries.peek().atNanos;
        for (int member = 0; member < orders.length; member++) {
            next = Math.min(next, wakeAtNanos(member));
        }
        return next;
    }

    private long wakeAtNanos(int member) {
        Order order = orders[member];
        long wake = order == null ? Long.MAX_VALUE : order.wakeAtNanos();
        return wake == Long.MAX_VALUE ? wake : Math.max(wake, suspendedUntilNanos[member]);
    }

    /** The place each member was told last; those that were told none are left out. */
    Map<Integer, Integer> places() {
        return places(KEY);
    }

    Map<Integer, Integer> places(RecordKey key) {
        Map<Integer, Integer> places = new HashMap<>();
        for (Said each : said) {
            if (each.action instanceof OrderAction.Placed placed && placed.key().equals(key)) {
                places.put(each.member, placed.place());
            }
        }
        return places;
    }
}
