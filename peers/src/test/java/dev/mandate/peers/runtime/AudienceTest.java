package dev.mandate.peers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.WriteId;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock(NodeLogger.LOCK)
class AudienceTest {
    private static final RecordKey KEY = RecordKey.election("e");
    private static final Observation SEEN = Observation.vacant(KEY, new WriteId(Epoch.NONE));

    private final List<Object> heard = new ArrayList<>();
    private final Audience audience = new Audience(2, watched -> {});

    private final Ordered.Listener listener = new Ordered.Listener() {
        @Override
        public void placed(RecordKey key, int place) {
            heard.add(place);
        }

        @Override
        public void askedToLeave(RecordKey key, long term) {
            heard.add(term);
        }
    };

    @Test
    void whoWatchesIsToldOfWhatIsBelowItsPrefix() {
        audience.watch(RecordKey.elections(), heard::add);
        audience.watch(new RecordKey(RecordKey.REGISTRATIONS, List.of()), heard::add);

        audience.changed(SEEN);

        assertThat(heard).containsExactly(new Hint.Seen(SEEN));
    }

    /** Two clients of one node: what the one that goes says last must not silence what the other one watches. */
    @Test
    void aWatchThatEndsWhileAnotherBeginsDoesNotSilenceIt() throws InterruptedException {
        List<Boolean> told = Collections.synchronizedList(new ArrayList<>());
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        Audience shared = new Audience(2, watched -> {
            if (!watched) {
                meanwhile.get().run();
            }
            told.add(watched);
        });
        Subscription ends = shared.watch(RecordKey.elections(), hint -> {});
        Thread begins = new Thread(() -> shared.watch(RecordKey.elections(), heard::add));
        meanwhile.set(() -> {
            begins.start();
            // It waits until the end is told, or is told first, if nothing keeps the order.
            Await.until(
                    "the other one to wait or to be through",
                    Duration.ofSeconds(30),
                    () -> begins.getState() == Thread.State.WAITING || !begins.isAlive());
        });
        ends.close();
        begins.join();

        assertThat(told).last().isEqualTo(true);
    }

    /** With too few links a node misses what the others do; as soon as there are enough, it has to look. */
    @Test
    void whoWasCutOffLooksAtEverything() {
        audience.watch(RecordKey.elections(), heard::add);
        audience.linked(true);
        assertThat(heard).isEmpty();
        audience.linked(true);
        assertThat(heard).containsExactly(Hint.Gap.INSTANCE);
        audience.linked(true);
        audience.linked(false);
        assertThat(heard).hasSize(1);
        audience.linked(false);
        audience.linked(true);
        assertThat(heard).hasSize(2);
    }

    @Test
    void whoClosedIsToldNothing() {
        Subscription watch = audience.watch(RecordKey.elections(), heard::add);
        Subscription places = audience.places(listener);
        audience.placed(KEY, 1);
        audience.askedToLeave(KEY, 7);
        assertThat(heard).containsExactly(1, 7L);

        watch.close();
        places.close();
        places.close();
        audience.changed(SEEN);
        audience.placed(KEY, 2);
        audience.askedToLeave(KEY, 8);

        assertThat(heard).hasSize(2);
    }

    @Test
    void aWatchThatThrowsKeepsNobodyFromHearing() {
        audience.watch(RecordKey.elections(), hint -> {
            throw new IllegalStateException("broken");
        });
        audience.watch(RecordKey.elections(), heard::add);

        audience.changed(SEEN);

        assertThat(heard).hasSize(1);
    }

    /** Whatever it throws would end the node. */
    @Test
    void aLoggerThatThrowsKeepsNobodyFromHearing() {
        AtomicBoolean isAsked = new AtomicBoolean();
        Consumer<LogRecord> broken = line -> {
            if (line.getMessage().equals("a watch failed")) {
                isAsked.set(true);
            }
            throw new IllegalStateException("of a test");
        };
        try (NodeLogger logger = new NodeLogger(broken)) {
            assertThat(logger).isNotNull();
            aWatchThatThrowsKeepsNobodyFromHearing();
            Await.until("the logger to be asked", Duration.ofSeconds(30), isAsked::get);
        }
    }

    @Test
    void aLoggerThatBlocksKeepsNobodyFromHearing() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (NodeLogger logger = NodeLogger.blockedUntil(goOn)) {
            assertThat(logger).isNotNull();
            Thread node = new Thread(this::aWatchThatThrowsKeepsNobodyFromHearing);
            node.start();
            Await.until("it to return", Duration.ofSeconds(30), () -> !node.isAlive());
            assertThat(heard).hasSize(1);
        } finally {
            goOn.countDown();
        }
    }
}
