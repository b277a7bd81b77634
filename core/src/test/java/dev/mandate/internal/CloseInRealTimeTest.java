package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing in real time: threads, and a store that breaks its contract. */
@Tag("long")
@Order(1)
class CloseInRealTimeTest {
    /** A thread that has done its last deed takes a moment to be gone. */
    private static void awaitNoThreadOf(String candidate) {
        long until = System.nanoTime() + 30_000_000_000L;
        while (!threadsOf(candidate).isEmpty()) {
            assertThat(System.nanoTime())
                    .as("threads left: " + threadsOf(candidate))
                    .isLessThan(until);
            Thread.onSpinWait();
        }
    }

    private static List<String> threadsOf(String candidate) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("mandate-") && name.contains(candidate))
                .toList();
    }

    @Test
    void noThreadOutlivesTheClient() throws Exception {
        ElectionClient client = ElectionClient.connect("memory:?lease=1s&candidate=leaver");
        CountDownLatch begun = new CountDownLatch(1);
        client.election("task").runWhileLeader("v", leadership -> {
            begun.countDown();
            new CountDownLatch(1).await();
        });
        client.election("seen").observe(view -> {});
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(threadsOf("leaver")).contains("mandate-loop-leaver", "mandate-watchdog-leaver");

        client.close();

        awaitNoThreadOf("leaver");
    }

    @Test
    void manyThreadsMayCloseAtOnce() throws Exception {
        for (int round = 0; round < 20; round++) {
            ElectionClient client = ElectionClient.connect("memory:?lease=1s&candidate=crowd");
            Leadership leadership = client.election("e").campaign("v");
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                boolean byLeadership = i % 2 == 0;
                all.add(CompletableFuture.runAsync(byLeadership ? leadership::close : client::close));
            }

            for (CompletableFuture<Void> each : all) {
                each.get(30, TimeUnit.SECONDS);
            }

            assertThat(leadership.isValid()).isFalse();
            awaitNoThreadOf("crowd");
        }
    }

    /**
     * A method that must not block does, for ever, in the loop: belief ends in time all the same, and close comes back.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closeComesBackThoughTheStoreBlocksTheLoop(boolean interrupted) throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        List<Thread> inside = Collections.synchronizedList(new ArrayList<>());
        BlockingStore blocking = new BlockingStore(() -> {
            inside.add(Thread.currentThread());
            stuck.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted in the store", e);
            }
        });
        ElectionClient client = ElectionClient.builder(blocking)
                .lease(Duration.ofSeconds(1))
                .candidate("blocked")
                .connect();
        Leadership leadership = client.election("e").campaign("v");
        CompletableFuture<EndReason> lost = leadership.ended().toCompletableFuture();
        blocking.blocks = true;

        assertThat(stuck.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(lost.get(30, TimeUnit.SECONDS)).isEqualTo(EndReason.LEASE_RAN_OUT);
        assertThat(leadership.isValid()).isFalse();
        CompletableFuture.runAsync(() -> {
                    if (interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    client.close();
                    assertThat(Thread.interrupted()).isEqualTo(interrupted);
                })
                .get(60, TimeUnit.SECONDS);

        inside.get(0).join(30_000);
        awaitNoThreadOf("blocked");
        assertThat(blocking.closed).isPositive();
    }

    /**
     * What is due after a method that blocks would block as well: nothing of it is done once the loop was left behind.
     */
    @Test
    void aLoopThatIsLeftBehindAsksTheStoreNothingMore() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        List<Thread> inside = Collections.synchronizedList(new ArrayList<>());
        BlockingStore blocking = new BlockingStore(() -> {
            inside.add(Thread.currentThread());
            stuck.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted in the store", e);
            }
        });
        ElectionClient client = ElectionClient.builder(blocking)
                .lease(Duration.ofSeconds(1))
                .candidate("left")
                .connect();
        client.election("e").campaign("v");
        blocking.blocks = true;
        // In the midst of a turn: a renewal, and another session, are due at the end of the same.
        CompletableFuture<LeaderView> asked =
                CompletableFuture.supplyAsync(() -> client.election("another").view());
        assertThat(stuck.await(30, TimeUnit.SECONDS)).isTrue();
        asked.get(30, TimeUnit.SECONDS);

        client.close();

        inside.get(0).join(30_000);
        awaitNoThreadOf("left");
        assertThat(inside).hasSize(1);
    }
}
