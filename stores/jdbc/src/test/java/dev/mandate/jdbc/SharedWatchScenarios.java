package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** All watches of a store have one connection and one thread. */
abstract class SharedWatchScenarios extends SqlFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Where a store's connections come from, and how many it has. */
    interface Counted {
        DataSource source();

        long connections() throws Exception;
    }

    abstract Counted counted() throws Exception;

    abstract Dialect dialect();

    /** A client whose connections {@link #cut} breaks. */
    abstract StoreClient breakable() throws Exception;

    /** Breaks them, and makes sure that the next ones work. */
    abstract void cut() throws Exception;

    /** A watch, what it told, and on which threads. */
    private static final class Ear implements AutoCloseable {
        final Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        private final Subscription watch;

        Ear(StoreClient client, RecordKey prefix) {
            this.watch = client.store().watch(prefix, hint -> {
                threads.add(Thread.currentThread());
                hints.add(hint);
            });
        }

        boolean tellsOf(Observation.Held held) {
            return seen().anyMatch(seen -> seen.basis().equals(held.basis()));
        }

        Stream<Observation> seen() {
            return hints.stream().filter(Hint.Seen.class::isInstance).map(hint -> ((Hint.Seen) hint).observation());
        }

        void awaitGap() {
            Await.until("news that everything must be looked at", PATIENCE, () -> hints.contains(Hint.Gap.INSTANCE));
        }

        void awaits(Observation.Held held) {
            Await.until("a hint of " + held.key(), PATIENCE, () -> tellsOf(held));
        }

        void awaitsGone(RecordKey key) {
            Await.until(
                    "a hint that " + key + " is gone, or a gap",
                    PATIENCE,
                    () -> hints.contains(Hint.Gap.INSTANCE)
                            || seen().anyMatch(seen -> seen.key().equals(key) && seen instanceof Observation.Vacant));
        }

        @Override
        public void close() {
            watch.close();
        }
    }

    private static RecordKey registration(String... segments) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of(segments));
    }

    StoreClient counting(Counted counted) {
        return adopt(new StoreClient(JdbcElectionStore.open(counted.source(), dialect())));
    }

    private static void awaitConnections(Counted counted, long expected) {
        Await.until(expected + " connections", PATIENCE, () -> {
            try {
                return counted.connections() == expected;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void allWatchesShareOneConnectionAndOneThread() throws Exception {
        StoreClient writer = client();
        Counted counted = counted();
        StoreClient watcher = counting(counted);
        assertThat(counted.connections()).isEqualTo(1);
        try (Ear one = new Ear(watcher, RecordKey.elections())) {
            one.awaitGap();
            assertThat(counted.connections()).isEqualTo(2);
            List<Ear> more = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                more.add(new Ear(watcher, registration("service-" + i)));
                more.get(i).awaits(leadUntilHeard(writer, more.get(i), registration("service-" + i, "x")));
            }
            Observation.Held led = writer.lead(key("shared"));
            one.awaits(led);

            assertThat(counted.connections()).isEqualTo(2);
            assertThat(more).allSatisfy(ear -> assertThat(ear.threads).isEqualTo(one.threads));
            assertThat(one.threads).hasSize(1);
            more.forEach(Ear::close);
            assertThat(counted.connections()).isEqualTo(2);
        }
        awaitConnections(counted, 1);
    }

    /** A watch of its own begins some time after it was opened. */
    private static Observation.Held leadUntilHeard(StoreClient writer, Ear ear, RecordKey key) {
        Observation.Held led = writer.lead(key);
        long endNanos = System.nanoTime() + PATIENCE.toNanos();
        while (!ear.tellsOf(led) && System.nanoTime() - endNanos < 0) {
            Await.passing(Duration.ofMillis(100));
            if (!ear.tellsOf(led)) {
                writer.release(led);
                led = writer.lead(key);
            }
        }
        return led;
    }

    @Test
    void theLastCloseGivesTheConnectionBackAndTheNextWatchGetsAnother() throws Exception {
        StoreClient writer = client();
        Counted counted = counted();
        StoreClient watcher = counting(counted);
        Ear first = new Ear(watcher, RecordKey.elections());
        first.awaitGap();
        Ear second = new Ear(watcher, RecordKey.elections());

        first.close();
        first.close();
        second.awaits(writer.lead(key("second")));
        assertThat(counted.connections()).isEqualTo(2);
        second.close();
        awaitConnections(counted, 1);

        try (Ear third = new Ear(watcher, RecordKey.elections())) {
            third.awaitGap();
            third.awaits(writer.lead(key("third")));
            assertThat(counted.connections()).isEqualTo(2);
        }
        assertThat(first.seen()).isEmpty();
    }

    @Test
    void eachWatchTellsWhatIsBelowItsPrefix() throws Exception {
        StoreClient writer = client();
        StoreClient watcher = client();
        String web = key("web").name();
        try (Ear elections = new Ear(watcher, RecordKey.elections());
                Ear spaces = new Ear(watcher, registration());
                Ear services = new Ear(watcher, registration(web));
                Ear last = new Ear(watcher, RecordKey.elections())) {
            elections.awaitGap();
            Observation.Held election = writer.lead(RecordKey.election(web));
            Observation.Held app = writer.lead(registration(web + "app", "1"));
            Observation.Held one = writer.lead(registration(web, "1"));
            Observation.Held end = writer.lead(key("end"));
            last.awaits(end);

            assertThat(elections.seen().map(Observation::key))
                    .contains(election.key(), end.key())
                    .doesNotContain(app.key(), one.key());
            assertThat(spaces.seen().map(Observation::key))
                    .contains(app.key(), one.key())
                    .doesNotContain(election.key());
            assertThat(services.seen().map(Observation::key)).containsOnly(one.key());
        }
    }

    @Test
    void aFailedConnectionIsToldToEveryWatch() throws Exception {
        StoreClient watcher = breakable();
        try (Ear one = new Ear(watcher, RecordKey.elections());
                Ear two = new Ear(watcher, registration("web"))) {
            one.awaitGap();
            one.awaits(client().lead(key("before")));
            one.hints.clear();
            two.hints.clear();

            cut();

            one.awaitGap();
            two.awaitGap();
            StoreClient writer = client();
            one.awaits(writer.lead(key("after")));
            two.awaits(writer.lead(registration("web", key("after").name())));
        }
    }

    /** Neither is the connection opened again for it, nor does anybody else miss anything. */
    @Test
    void aConsumerThatFailsIsNoFailureOfTheOthers() throws Exception {
        StoreClient writer = client();
        StoreClient watcher = client();
        Queue<Hint> failing = new ConcurrentLinkedQueue<>();
        try (Subscription broken = watcher.store().watch(RecordKey.elections(), hint -> {
                    failing.add(hint);
                    throw new IllegalStateException("a consumer that fails");
                });
                Ear other = new Ear(watcher, RecordKey.elections())) {
            assertThat(broken).isNotNull();
            other.awaitGap();
            for (int i = 0; i < 3; i++) {
                other.awaits(writer.lead(key("told")));
            }

            assertThat(other.hints.stream().filter(Hint.Gap.INSTANCE::equals)).hasSize(1);
            assertThat(failing).hasSizeGreaterThanOrEqualTo(4);
        }
    }

    /** While it is told of something else, and cannot look: what it has not read yet is gone when it does. */
    private void whileNobodyLooks(StoreClient watcher, StoreClient writer, Step step) throws Exception {
        Semaphore told = new Semaphore(0);
        Semaphore goOn = new Semaphore(0);
        try (Subscription slow = watcher.store().watch(registration("slow"), hint -> {
            if (hint instanceof Hint.Seen) {
                told.release();
                goOn.acquireUninterruptibly();
            }
        })) {
            assertThat(slow).isNotNull();
            writer.lead(registration("slow", key("one").name()));
            assertThat(told.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            try {
                step.run();
            } finally {
                goOn.release(1_000);
            }
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    /** "By a hint that shows the key or by a gap", however soon an erase follows on what made it vacant. */
    @Test
    void whatIsReleasedAndErasedBeforeItIsReadIsTold() throws Exception {
        StoreClient writer = client();
        StoreClient watcher = client();
        String service = key("quick").name();
        Observation.Held held = writer.lead(registration(service, "one"));
        try (Ear ear = new Ear(watcher, registration(service))) {
            ear.awaitGap();
            ear.hints.clear();

            whileNobodyLooks(watcher, writer, () -> {
                writer.release(held);
                writer.erase(held.key());
            });

            ear.awaitsGone(held.key());
        }
    }

    @Test
    void whatAnEndedSessionKeptIsToldThoughItIsErasedBeforeItIsRead() throws Exception {
        StoreClient writer = client();
        StoreClient dying = client();
        StoreClient watcher = client();
        String service = key("ended").name();
        Observation.Held held = dying.lead(registration(service, "one"));
        try (Ear ear = new Ear(watcher, registration(service))) {
            ear.awaitGap();
            ear.hints.clear();

            whileNobodyLooks(watcher, writer, () -> {
                dying.end();
                writer.erase(held.key());
            });

            ear.awaitsGone(held.key());
        }
    }

    @Test
    void aHintMayCloseTheLastWatch() throws Exception {
        Counted counted = counted();
        StoreClient watcher = counting(counted);
        AtomicReference<Subscription> watch = new AtomicReference<>();
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        watch.set(watcher.store().watch(RecordKey.elections(), hint -> {
            Await.until("the watch", PATIENCE, () -> watch.get() != null);
            hints.add(hint);
            watch.get().close();
        }));

        Await.until("a hint", PATIENCE, () -> !hints.isEmpty());
        awaitConnections(counted, 1);
        assertThat(hints).hasSize(1);
        try (Ear next = new Ear(watcher, RecordKey.elections())) {
            next.awaitGap();
        }
    }

    /** Whoever comes while the last one goes shares its connection, or gets one when that is back. */
    @Test
    void watchesThatComeAndGoNeverHaveTwoConnections() throws Exception {
        KeptConnections kept = new KeptConnections(counted().source());
        StoreClient watcher = adopt(new StoreClient(JdbcElectionStore.open(kept, dialect())));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> {
                for (int k = 0; k < 10; k++) {
                    Subscription watch = watcher.store().watch(RecordKey.elections(), hint -> {});
                    Await.passing(Duration.ofMillis(ThreadLocalRandom.current().nextInt(3)));
                    watch.close();
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        try (Ear last = new Ear(watcher, RecordKey.elections())) {
            last.awaitGap();
            last.awaits(client().lead(key("last")));
        }
        watcher.close();
        assertThat(kept.most()).isEqualTo(2);
        for (Connection connection : kept.returned()) {
            connection.close();
        }
    }
}
