package dev.mandate.cli.bench;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.Standing;
import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * From a resignation to the next leader: three candidates with clients of their own, in this process; of a group, all members. The floor is a hand-over made by hand:
 * one releases, the other is told by the store's watch, or where it has none reads without a pause, and acquires.
 */
final class HandOverFigure implements Measurement {
    private static final int WARM_UP = 20;
    private static final int TRIES_MAX = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Between two hand-overs, so that none finds the store still busy with the one before. */
    private static final int PAUSE_MILLIS_MAX = 30;

    @Override
    public String name() {
        return "handover";
    }

    @Override
    public List<Figure> measure(Target target, Consumer<String> progress) throws InterruptedException {
        int rounds = target.samples(200, 20);
        progress.accept("hand-over, " + rounds + " rounds, and as many made by hand");
        Samples ours = new Samples(rounds);
        Samples floor = new Samples(rounds);
        try (Hosted hosted = Hosted.of(target);
                Candidates candidates = new Candidates(target);
                Hands hands = new Hands(target)) {
            // By turns, because a machine is not equally busy all the time, nor a JVM equally warm.
            for (int i = 0; i < WARM_UP + rounds; i++) {
                long took = candidates.handOver();
                long byHand = hands.handOver();
                if (i >= WARM_UP) {
                    ours.add(took);
                    floor.add(byHand);
                }
            }
        }
        return List.of(
                Figure.of("hand-over p50", ours.millis(0.5), "ms")
                        .beside(floor.millis(0.5))
                        .noting(ours.count() + " resignations, " + target.candidates() + " candidates in one process"),
                Figure.of("hand-over p99", ours.millis(0.99), "ms").beside(floor.millis(0.99)));
    }

    private static void pause() throws InterruptedException {
        Thread.sleep(ThreadLocalRandom.current().nextInt(PAUSE_MILLIS_MAX));
    }

    private record Win(ElectionClient client, Leadership leadership, long atNanos) {}

    /** Some of them; who resigned stands again at once, so that there are always as many. */
    private static final class Candidates implements AutoCloseable {
        private final String name;
        private final List<ElectionClient> clients = new ArrayList<>();
        private final LinkedBlockingQueue<Win> wins = new LinkedBlockingQueue<>();
        private Win leader;

        Candidates(Target target) throws InterruptedException {
            name = target.election("handover");
            for (int i = 0; i < target.candidates(); i++) {
                clients.add(target.client("candidate-" + i, i)
                        .coolDown(Duration.ZERO)
                        .connect());
            }
            clients.forEach(client -> stand(client.election(name), client, wins));
            leader = next(wins);
        }

        /** From the resignation of the leader to the win of the next, in nanoseconds. */
        long handOver() throws InterruptedException {
            awaitFollowers(clients, name, leader);
            pause();
            long before = System.nanoTime();
            leader.leadership().resign();
            Win next = next(wins);
            leader.leadership().close();
            stand(leader.client().election(name), leader.client(), wins);
            leader = next;
            return next.atNanos() - before;
        }

        @Override
        public void close() {
            // The others first, or the next one would lead.
            for (ElectionClient client : clients) {
                if (client != leader.client()) {
                    client.close();
                }
            }
            leader.leadership().close();
            leader.client().close();
        }
    }

    private static void stand(Election election, ElectionClient client, LinkedBlockingQueue<Win> wins) {
        election.campaignAsync(client.candidate())
                .thenAccept(leadership -> wins.add(new Win(client, leadership, System.nanoTime())));
    }

    private static Win next(LinkedBlockingQueue<Win> wins) throws InterruptedException {
        Win win = wins.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (win == null) {
            throw new Failure(ExitCode.UNAVAILABLE, "nobody took over within " + PATIENCE.toSeconds() + " s");
        }
        return win;
    }

    /** Until every other candidate knows of the leader: only then does it wait for a vacancy. */
    private static void awaitFollowers(List<ElectionClient> clients, String name, Win leader)
            throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (ElectionClient client : clients) {
            while (client != leader.client() && !follows(client.election(name), leader)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new Failure(
                            ExitCode.UNAVAILABLE,
                            client.candidate() + " did not follow the leader within " + PATIENCE.toSeconds() + " s: "
                                    + client.election(name).standing());
                }
                Thread.sleep(1);
            }
        }
    }

    private static boolean follows(Election election, Win leader) {
        return election.standing().state() == Standing.State.FOLLOWING
                && election.leader()
                        .leader()
                        .filter(l -> l.token().equals(leader.leadership().fencingToken()))
                        .isPresent();
    }

    /** Two candidates without an engine. */
    private static final class Hands implements AutoCloseable {
        private Hand holder;
        private Hand other;
        private Observation now;

        Hands(Target target) throws InterruptedException {
            RecordKey key = RecordKey.election(target.election("by-hand"));
            holder = new Hand(target, key, "one", 0);
            other = new Hand(target, key, "two", 1);
            now = holder.acquire(holder.read());
        }

        long handOver() throws InterruptedException {
            pause();
            other.forgetHints();
            long before = System.nanoTime();
            holder.release((Observation.Held) now);
            now = other.acquire(other.awaitVacant());
            long took = System.nanoTime() - before;
            Hand former = holder;
            holder = other;
            other = former;
            return took;
        }

        @Override
        public void close() throws InterruptedException {
            holder.release((Observation.Held) now);
            holder.close();
            other.close();
        }
    }

    /** A candidate without an engine. */
    private static final class Hand implements AutoCloseable {
        private final Target target;
        private final RecordKey key;
        private final String name;
        private final ElectionStore store;
        private final @Nullable StoreSession session;
        private final Subscription watch;
        private final LinkedBlockingQueue<Observation> vacancies = new LinkedBlockingQueue<>();

        Hand(Target target, RecordKey key, String name, int number) throws InterruptedException {
            this.target = target;
            this.key = key;
            this.name = name;
            this.store = target.store(number);
            // Long enough to need no renewal.
            this.session = Target.session(store, Duration.ofMinutes(10));
            this.watch = store.watch(RecordKey.elections(), hint -> {
                if (hint instanceof Hint.Seen seen
                        && seen.observation() instanceof Observation.Vacant vacant
                        && vacant.key().equals(key)) {
                    vacancies.add(vacant);
                }
            });
        }

        Observation read() throws InterruptedException {
            return Target.await("reading", store.read(key, Target.call()));
        }

        void forgetHints() {
            vacancies.clear();
        }

        Observation awaitVacant() throws InterruptedException {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() - deadline < 0) {
                // A watch may miss something; reading then is what a candidate would do, too.
                Observation seen = store.traits().watches() ? vacancies.poll(1, TimeUnit.SECONDS) : null;
                Observation now = seen == null ? read() : seen;
                if (now instanceof Observation.Vacant) {
                    return now;
                }
            }
            throw new Failure(ExitCode.UNAVAILABLE, "a release was not seen within " + PATIENCE.toSeconds() + " s");
        }

        /** A hint may be of an earlier vacancy: a refusal says what stands there now. */
        Observation acquire(Observation first) throws InterruptedException {
            Observation basis = first;
            for (int i = 0; i < TRIES_MAX; i++) {
                WriteOutcome outcome = Target.await(
                        "acquiring", store.acquire(key, basis, target.proposal(name), session, Target.call()));
                if (outcome instanceof WriteOutcome.Written written) {
                    return written.now();
                }
                basis = read();
            }
            throw new Failure(
                    ExitCode.UNEXPECTED, key + " could not be acquired by hand in " + TRIES_MAX + " tries: " + basis);
        }

        void release(Observation.Held held) throws InterruptedException {
            written(Target.await("releasing", store.release(key, held, Target.call())));
        }

        private static Observation written(WriteOutcome outcome) {
            if (outcome instanceof WriteOutcome.Written written) {
                return written.now();
            }
            throw new Failure(ExitCode.UNEXPECTED, "a write made by hand was refused: " + outcome);
        }

        @Override
        public void close() {
            watch.close();
            store.close();
        }
    }
}
