package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import dev.mandate.memory.MemoryFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real threads on one handle, and on one client, all at once. */
@Tag("long")
@Order(1)
class HandleStressTest {
    /** Kept: the filter of a logger that nobody refers to is forgotten. */
    private static final Logger LOGGER = Logger.getLogger("dev.mandate");

    @BeforeAll
    static void beQuiet() {
        // A level would silence the loggers below it, too, which other tests listen to at the same time.
        LOGGER.setFilter(said -> false);
    }

    @AfterAll
    static void beHeard() {
        LOGGER.setFilter(null);
    }

    /** Eight threads ask, one ends it in one of several ways: nobody sees it come back, and it is lost exactly once. */
    @Test
    void aTermIsLostOnceAndNeverComesBackWhoeverAsksAndWhoeverEndsIt() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("stress");
                ElectionClient client = ElectionClient.connect(
                        "memory:stress?lease=300ms&scope=record&coolDown=1ms&splay=0s&candidate=stress")) {
            for (int round = 0; round < 40; round++) {
                Leadership leadership = client.election("e" + round % 5).campaign("v");
                ConcurrentLinkedQueue<EndReason> lost = new ConcurrentLinkedQueue<>();
                leadership.ended().thenAccept(lost::add);
                AtomicBoolean revived = new AtomicBoolean();
                CountDownLatch begun = new CountDownLatch(8);
                List<CompletableFuture<Void>> askers = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    askers.add(CompletableFuture.runAsync(
                            () -> {
                                boolean wasValid = true;
                                begun.countDown();
                                while (wasValid) {
                                    wasValid = leadership.isValid();
                                }
                                for (int j = 0; j < 1_000; j++) {
                                    if (leadership.isValid()
                                            || !leadership.remaining().isZero()) {
                                        revived.set(true);
                                    }
                                }
                            },
                            task -> new Thread(task).start()));
                }
                assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();

                switch (round % 4) {
                    case 0 -> leadership.resign();
                    case 1 -> leadership.close();
                    case 2 -> faults.deleteRecord("e" + round % 5);
                    default -> faults.cutOff();
                }
                for (CompletableFuture<Void> asker : askers) {
                    asker.get(30, TimeUnit.SECONDS);
                }
                faults.heal();
                leadership.close();

                assertThat(revived).isFalse();
                CompletableFuture<EndReason> again = leadership.ended().toCompletableFuture();
                EndReason reason = again.get(30, TimeUnit.SECONDS);
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                while (lost.isEmpty() && System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
                assertThat(lost).containsExactly(reason);
            }
        }
    }

    /**
     * Two clients, their tasks, resignations, evictions and outages: no two terms are valid at once, and tokens always
     * rise. On a busy machine the work itself may overlap: it is interrupted in time, and gets a processor later.
     */
    @Test
    void termsOfTwoClientsNeverOverlapAndTheirTokensRise() throws Exception {
        AtomicReference<Leadership> latest = new AtomicReference<>();
        AtomicReference<String> wrong = new AtomicReference<>();
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<Long> newest = new AtomicReference<>(0L);
        try (MemoryFaults faults = MemoryFaults.of("two");
                ElectionClient a = ElectionClient.connect("memory:two?lease=400ms&coolDown=5ms&as=a&candidate=a");
                ElectionClient b = ElectionClient.connect("memory:two?lease=400ms&coolDown=5ms&as=b&candidate=b")) {
            List<Candidacy> candidacies = new ArrayList<>();
            for (ElectionClient client : List.of(a, b)) {
                candidacies.add(client.election("e")
                        .runWhileLeader("v", RunOptions.DEFAULTS.withCampaignAgain(), leadership -> {
                            long token = leadership.fencingToken().value();
                            long before = newest.getAndUpdate(seen -> Math.max(seen, token));
                            if (token <= before && leadership.isValid()) {
                                wrong.set("token " + token + " after " + before);
                            }
                            Leadership earlier = latest.getAndSet(leadership);
                            if (earlier != null && earlier.isValid() && leadership.isValid()) {
                                wrong.set(earlier + " is valid beside " + leadership);
                            }
                            try {
                                work(leadership, faults, client);
                            } finally {
                                faults.only(client.candidate()).heal();
                                runs.incrementAndGet();
                            }
                        }));
            }
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (runs.get() < 20 && wrong.get() == null && System.nanoTime() < until) {
                candidacies.get(0).await(Duration.ofMillis(20));
            }
            candidacies.forEach(Candidacy::close);
        }

        assertThat(wrong).hasValue(null);
        assertThat(runs).hasValueGreaterThanOrEqualTo(20);
    }

    private static void work(Leadership leadership, MemoryFaults faults, ElectionClient client) throws Exception {
        CompletableFuture<EndReason> lost = leadership.ended().toCompletableFuture();
        switch (ThreadLocalRandom.current().nextInt(8)) {
            case 0 -> leadership.resign();
            case 1, 5, 6, 7 -> faults.only(client.candidate()).cutOff();
            case 2 -> client.election("e").evict();
            case 3 -> throw new IllegalStateException("work that fails");
            default -> {
                return;
            }
        }
        // Interrupted on loss.
        lost.get(30, TimeUnit.SECONDS);
    }
}
