package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Order;
import dev.mandate.console.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Time from a resignation to the next leader among many candidates in this process, each with its own client and
 * connections: by order of arrival, then by race. Also the store requests of a hand-over, and while idle. The floor is
 * a {@link HandOverByHand}.
 */
final class ArrivalFigure implements Measurement {
    private static final int WARM_UP = 20;
    private static final int REQUESTS_MOST = 6;

    private final int candidates;
    private final int rounds;
    private final @Nullable Duration during;

    /** @param during how long to stay idle; null for one lease */
    ArrivalFigure(int candidates, int rounds, @Nullable Duration during) {
        this.candidates = candidates;
        this.rounds = rounds;
        this.during = during;
    }

    @Override
    public String name() {
        return "handover";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        List<Figure> figures = new ArrayList<>();
        for (Order order : List.of(Order.ARRIVAL, Order.RACE)) {
            figures.addAll(measure(target, order, progress));
        }
        return figures;
    }

    private List<Figure> measure(Target target, Order order, Consumer<String> progress) throws InterruptedException {
        String word = word(order);
        String name = target.election(word);
        List<CountingStore> stores = new ArrayList<>();
        List<ElectionClient> clients = new ArrayList<>();
        progress.accept(word + ": opening " + candidates + " clients");
        for (int i = 0; i < candidates; i++) {
            CountingStore store = CountingStore.of(target.store(i));
            stores.add(store);
            clients.add(target.client(store)
                    .candidate("candidate-" + i)
                    .order(order)
                    .coolDown(Duration.ZERO)
                    .connect());
        }
        Samples ours = new Samples(rounds);
        Samples floor = new Samples(rounds);
        try (ElectionClient looker = target.client("looker").connect();
                Candidates all = new Candidates(name, clients, order == Order.ARRIVAL ? looker.election(name) : null)) {
            for (int i = 0; i < WARM_UP; i++) {
                all.handOver();
            }
            all.awaitFollowers();
            Thread.sleep(target.explanation().lease().toMillis());
            Duration time = during != null ? during : target.explanation().lease();
            progress.accept(word + ": waiting for " + Durations.words(time));
            Requests before = CountingStore.sum(stores);
            Thread.sleep(time.toMillis());
            Requests idle = CountingStore.sum(stores).since(before);

            progress.accept(word + ": " + rounds + " hand-overs, and as many made by hand");
            Asked asked = new Asked();
            try (HandOverByHand hands = warm(target)) {
                for (int i = 0; i < rounds; i++) {
                    ours.add(asked.during(all, stores));
                    floor.add(hands.handOver());
                }
            }
            return figures(word, ours, floor, asked, idle, time.toNanos() / 1e9);
        }
    }

    /** What the hand-overs cost, each counted until all is calm again. */
    private static final class Asked {
        private long requests;
        private long writes;
        private long othersLooks;
        private double seconds;

        /** Makes one hand-over; returns how long it took. */
        long during(Candidates all, List<CountingStore> stores) throws InterruptedException {
            all.awaitFollowers();
            all.rest();
            List<Requests> before = stores.stream().map(CountingStore::count).toList();
            long began = System.nanoTime();
            int former = all.leader();
            long took = all.handOver();
            all.awaitFollowers();
            all.rest();
            Requests total = Requests.NONE;
            Requests concerned = Requests.NONE;
            for (int i = 0; i < stores.size(); i++) {
                Requests since = stores.get(i).count().since(before.get(i));
                total = total.plus(since);
                concerned = i == former || i == all.leader() ? concerned.plus(since) : concerned;
            }
            requests += Requests.ofEvent(total, concerned);
            writes += total.writes();
            othersLooks += total.looks() - concerned.looks();
            seconds += (System.nanoTime() - began) / 1e9;
            return took;
        }
    }

    /** Opened only when needed, because nobody renews what it holds. */
    private static HandOverByHand warm(Target target) throws InterruptedException {
        HandOverByHand hands = new HandOverByHand(target);
        for (int i = 0; i < WARM_UP; i++) {
            hands.handOver();
        }
        return hands;
    }

    /** The order as users write it. */
    static String word(Order order) {
        return order.name().toLowerCase(Locale.ROOT);
    }

    private List<Figure> figures(String word, Samples ours, Samples floor, Asked asked, Requests idle, double seconds) {
        // The former and the next leader poll meanwhile, too.
        double polls = 2.0 * idle.looks() / candidates * asked.seconds / seconds;
        Figure requests = Figure.of(word + ": requests", Math.max(0, asked.requests - polls) / rounds, "a hand-over")
                .noting(String.format(
                        Locale.ROOT,
                        "%.1f writes, the rest looks of the former and the next leader; the others look %.0f times a"
                                + " second, %.0f while nothing happens",
                        (double) asked.writes / rounds,
                        asked.othersLooks / asked.seconds,
                        idle.looks() / seconds));
        return List.of(
                Figure.of(word + ": hand-over p50", ours.millis(0.5), "ms")
                        .beside(floor.millis(0.5))
                        .noting(rounds + " resignations, " + candidates + " candidates"),
                Figure.of(word + ": hand-over p99", ours.millis(0.99), "ms").beside(floor.millis(0.99)),
                word.equals(word(Order.ARRIVAL)) ? requests.within(REQUESTS_MOST) : requests,
                Figure.of(word + ": idle requests", idle.all() / seconds, "per s")
                        .noting(String.format(
                                Locale.ROOT,
                                "all candidates together: %.1f reads, %.1f listings, %.1f renewals",
                                idle.reads() / seconds,
                                idle.listings() / seconds,
                                idle.renewals() / seconds)),
                Figure.of(word + ": idle hints", idle.hints() / seconds, "per s")
                        .noting("told by watches while nothing happens"));
    }
}
