package dev.mandate.peers.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * How many messages the orders send where nothing is lost, for groups of 3 to 16. Confirmations of the ring's hops are
 * not counted.
 */
class MessageTableTest {
    private static final int LEAST = 3;
    private static final int MOST = 16;
    /** Up to here over all orders of the members along the ring, beyond over so many drawn at random. */
    private static final int ENUMERATED = 8;

    private static final int SAMPLES = 1_000;

    private static final Map<Integer, Sum> ALL_ORDERS = new ConcurrentHashMap<>();

    private static final OrderTiming TIMING = new OrderTiming(1_000_000);

    @Test
    void bullySendsAsManyMessagesAsTheFormulaSaysWhoeverNotices() {
        for (int n = LEAST; n <= MOST; n++) {
            // Whoever else notices: from the lowest that does, everybody takes part.
            for (int lowest = 0; lowest < n - 1; lowest++) {
                int taking = n - 1 - lowest;
                int expected = taking * taking + n - 2;
                int first = lowest;
                int last = n - 2;
                assertThat(bully(n, List.of(first)))
                        .as("n=%d, only %d", n, first)
                        .isEqualTo(expected);
                assertThat(bully(n, IntStream.rangeClosed(first, last).boxed().toList()))
                        .as("n=%d, %d and all above", n, first)
                        .isEqualTo(expected);
                assertThat(bully(n, List.of(last, first)))
                        .as("n=%d, %d and the highest", n, first)
                        .isEqualTo(expected);
            }
            assertThat(bully(n, List.of(n - 2))).isEqualTo(n - 1);
            assertThat(bully(n, IntStream.range(0, n - 1).boxed().toList())).isEqualTo((n - 1) * (n - 1) + n - 2);
        }
    }

    @Test
    void bullySendsNoOtherNumberWhateverSubsetNotices() {
        for (int n = LEAST; n <= 8; n++) {
            for (int subset = 1; subset < 1 << (n - 1); subset++) {
                int noticing = subset;
                int taking = n - 1 - Integer.numberOfTrailingZeros(subset);
                List<Integer> members = IntStream.range(0, n - 1)
                        .filter(i -> (noticing & 1 << i) != 0)
                        .boxed()
                        .toList();

                assertThat(bully(n, members)).isEqualTo(taking * taking + n - 2);
            }
        }
    }

    @Test
    void oneStarterOfARingSends2nMessagesWhereverItIs() {
        Seed seed = new Seed(1);
        for (int n = LEAST; n <= MOST; n++) {
            for (int starter = 0; starter < n; starter++) {
                assertThat(ring(shuffled(n, seed), List.of(starter), null)).isEqualTo(2 * n);
            }
        }
    }

    @Test
    void allStartersOfARingSendFrom3nMinus1ToHalfOfNTimesNPlus1PlusN() {
        for (int n = LEAST; n <= MOST; n++) {
            int members = n;
            int[] ascending = IntStream.range(0, n).toArray();
            int[] descending = IntStream.range(0, n).map(i -> members - 1 - i).toArray();

            assertThat(ring(ascending, null)).isEqualTo(3 * n - 1);
            assertThat(ring(descending, null)).isEqualTo(n * (n + 1) / 2 + n);
        }
    }

    @Test
    void allStartersOfARingSendNTimesHarmonicNumberPlusNOnAverageOverAllOrders() {
        for (int n = LEAST; n <= ENUMERATED; n++) {
            Sum sum = overAllOrders(n);

            // n! times the mean, which is a whole number: no rounding can hide a message.
            long factorial = IntStream.rangeClosed(1, n).reduce(1, (a, b) -> a * b);
            long size = n;
            long exact = IntStream.rangeClosed(1, n)
                            .mapToLong(i -> size * factorial / i)
                            .sum()
                    + size * factorial;
            assertThat(sum.count).isEqualTo(factorial);
            assertThat(sum.total).as("n=%d", n).isEqualTo(exact);
            assertThat(sum.least).isEqualTo(3 * n - 1);
            assertThat(sum.most).isEqualTo(n * (n + 1) / 2 + n);
        }
    }

    @Test
    void theMeanHoldsForLargerRingsToo() {
        Seed seed = new Seed(2);
        for (int n = ENUMERATED + 1; n <= MOST; n++) {
            Sum sum = sampled(n, seed);

            assertThat(sum.mean()).as("n=%d", n).isCloseTo(mean(n), within(mean(n) / 50));
            assertThat(sum.least).isGreaterThanOrEqualTo(3 * n - 1);
            assertThat(sum.most).isLessThanOrEqualTo(n * (n + 1) / 2 + n);
        }
    }

    @Test
    void howLongMessagesTakeChangesNothingAsLongAsNoneOvertakesAnother() {
        Seed seed = new Seed(3);
        for (int i = 0; i < 1_000; i++) {
            int[] order = shuffled(LEAST + seed.upTo(MOST - LEAST + 1), seed);

            assertThat(ring(order, seed)).isEqualTo(ring(order, null));
        }
    }

    @Test
    void printsTheTable() {
        Seed seed = new Seed(4);
        StringBuilder table = new StringBuilder("messages where nothing is lost\n"
                + "  n   bully: best   worst   ring: one starter   all: best   mean   worst   formula of the mean\n");
        for (int n = LEAST; n <= MOST; n++) {
            int members = n;
            Sum sum = n <= ENUMERATED ? overAllOrders(n) : sampled(n, seed);
            table.append(String.format(
                    Locale.ROOT,
                    "%3d   %11d   %5d   %17d   %9d   %4.1f   %5d   %19.1f%n",
                    n,
                    bully(n, List.of(n - 2)),
                    bully(n, List.of(0)),
                    ring(IntStream.range(0, n).toArray(), List.of(0), null),
                    ring(IntStream.range(0, n).toArray(), null),
                    sum.mean(),
                    ring(IntStream.range(0, n).map(i -> members - 1 - i).toArray(), null),
                    mean(n)));
        }
        System.out.println(table);
        assertThat(table.toString().lines()).hasSize(2 + MOST - LEAST + 1);
    }

    // ---- runs ----

    /** The highest is dead, and nobody knows; these notice that the leader is gone. */
    private static int bully(int n, List<Integer> noticing) {
        Group group = new Group(n, self -> new Bully(self, n, TIMING, new Seed(self), false));
        group.crash(n - 1);
        group.allStand();
        noticing.forEach(group::seeks);
        group.run();
        noticing.forEach(member -> assertThat(group.places()).containsEntry(member, n - 2 - member));
        return group.sent;
    }

    private static int ring(int[] order, @Nullable Seed delays) {
        return ring(order, IntStream.range(0, order.length).boxed().toList(), delays);
    }

    /**
     * The members along the ring in that order, of which these start; links without delays, or with some that keep
     * messages in turn.
     */
    private static int ring(int[] order, List<Integer> starters, @Nullable Seed delays) {
        int n = order.length;
        Group group = new Group(n, self -> new Ring(self, order, TIMING, new Seed(self)));
        if (delays != null) {
            long[][] lastNanos = new long[n][n];
            group.network = (from, to, message) -> {
                long at = Math.max(lastNanos[from][to], group.nowNanos) + 1 + delays.upTo(1_000);
                lastNanos[from][to] = at;
                return List.of(at - group.nowNanos);
            };
        }
        group.allStand();
        starters.forEach(group::seeks);
        group.run();
        starters.forEach(member -> assertThat(group.places()).containsEntry(member, n - 1 - member));
        return group.sent;
    }

    /** All start; counted once for all tests. */
    private static Sum overAllOrders(int n) {
        return ALL_ORDERS.computeIfAbsent(n, members -> {
            Sum sum = new Sum();
            permutations(IntStream.range(0, members).toArray(), 0, order -> sum.add(ring(order, null)));
            return sum;
        });
    }

    private static Sum sampled(int n, Seed seed) {
        Sum sum = new Sum();
        for (int i = 0; i < SAMPLES; i++) {
            sum.add(ring(shuffled(n, seed), null));
        }
        return sum;
    }

    private static double mean(int n) {
        return n * IntStream.rangeClosed(1, n).mapToDouble(i -> 1.0 / i).sum() + n;
    }

    private static int[] shuffled(int n, Seed seed) {
        List<Integer> rest = new ArrayList<>(IntStream.range(0, n).boxed().toList());
        return IntStream.range(0, n)
                .map(i -> rest.remove(seed.upTo(rest.size())))
                .toArray();
    }

    private static void permutations(int[] order, int from, Consumer<int[]> each) {
        if (from == order.length) {
            each.accept(order);
            return;
        }
        for (int i = from; i < order.length; i++) {
            swap(order, from, i);
            permutations(order, from + 1, each);
            swap(order, from, i);
        }
    }

    private static void swap(int[] order, int a, int b) {
        int kept = order[a];
        order[a] = order[b];
        order[b] = kept;
    }

    private static final class Sum {
        private long total;
        private long count;
        private int least = Integer.MAX_VALUE;
        private int most;

        void add(int messages) {
            total += messages;
            count++;
            least = Math.min(least, messages);
            most = Math.max(most, messages);
        }

        double mean() {
            return (double) total / count;
        }
    }
}
