package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Users' code may block in whatever calls it, in many elections at once: each is told all the same. */
@Tag("long")
@Order(1)
class BlockedCallbacksTest {
    private static final int COUNT = 50;

    private final World world = World.withSessions();
    private final CountDownLatch let = new CountDownLatch(1);

    @AfterEach
    void letGo() {
        let.countDown();
    }

    /** None, one that has a thread for each piece, and one that runs pieces on its caller's thread. */
    static Stream<Executor> executors() {
        return Stream.of(null, piece -> new Thread(piece).start(), Runnable::run);
    }

    private Client client(Executor executor) {
        world.host.useRealThreads();
        world.executor = executor;
        return world.client("a");
    }

    private void block() {
        try {
            let.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @MethodSource("executors")
    void workInAContinuationKeepsNobodyFromWorkingNorFromBeingTold(Executor executor) {
        Client client = client(executor);
        List<Leadership> working = new CopyOnWriteArrayList<>();
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < COUNT; i++) {
            client.election("e" + i).campaignAsync("v").thenAccept(leadership -> {
                CountDownLatch over = new CountDownLatch(1);
                leadership.ended().thenAccept(reason -> {
                    told.incrementAndGet();
                    over.countDown();
                });
                working.add(leadership);
                block(over);
            });
        }
        world.passUntilReally(() -> working.size() == COUNT);
        assertThat(told).hasValue(0);

        world.host.stall("mandate-loop");
        world.passUntilReally(() -> told.get() == COUNT);

        assertThat(working).noneMatch(Leadership::isValid);
    }

    private static void block(CountDownLatch over) {
        try {
            over.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @MethodSource("executors")
    void whoBlocksWhenToldOfALossKeepsNobodyFromBeingTold(Executor executor) {
        Client client = client(executor);
        AtomicInteger told = new AtomicInteger();
        List<Leadership> held = new CopyOnWriteArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            client.election("e" + i).campaignAsync("v").thenAccept(leadership -> {
                leadership.ended().thenAccept(reason -> {
                    told.incrementAndGet();
                    block();
                });
                held.add(leadership);
            });
        }
        world.passUntilReally(() -> held.size() == COUNT);

        world.host.stall("mandate-loop");

        world.passUntilReally(() -> told.get() == COUNT);
    }

    @ParameterizedTest
    @MethodSource("executors")
    void aListenerThatBlocksKeepsNoOtherFromBeingTold(Executor executor) {
        Client client = client(executor);
        AtomicInteger blocked = new AtomicInteger();
        for (int i = 0; i < COUNT; i++) {
            client.election("b" + i).observe(view -> {
                blocked.incrementAndGet();
                block();
            });
        }
        List<LeaderView> told = new CopyOnWriteArrayList<>();

        client.election("e").observe(told::add);

        world.passUntilReally(() -> !told.isEmpty());
        world.passUntilReally(() -> blocked.get() == COUNT);
    }

    /** Those that wait for a thread as it is closed are not told when one is there. */
    @ParameterizedTest
    @MethodSource("executors")
    void aListenerThatIsClosedWhileItWaitsIsToldNothing(Executor executor) {
        Client client = client(executor);
        AtomicInteger told = new AtomicInteger();
        List<Observing> waiting = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            client.election("b" + i).observe(view -> block());
        }
        for (int i = 0; i < COUNT; i++) {
            waiting.add(client.election("e" + i).observe(view -> told.incrementAndGet()));
        }
        waiting.forEach(Observing::close);
        int before = told.get();

        let.countDown();
        world.passUntilReally(() -> world.host.running() == 0);

        assertThat(told).hasValue(before);
    }
}
