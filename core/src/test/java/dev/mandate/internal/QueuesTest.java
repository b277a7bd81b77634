package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Order;
import dev.mandate.Queued;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that queue for an election by order of arrival. */
class QueuesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final RecordKey QUEUE = RecordKey.queue("e");

    static Stream<Supplier<World>> stores() {
        return Stream.of(World::withSessions, World::withRecords, World::judged);
    }

    private static World queueing(Supplier<World> store) {
        return store.get().set(Setting.ORDER, Order.ARRIVAL).set(Setting.COOL_DOWN, Duration.ZERO);
    }

    private static CompletableFuture<Leadership> campaign(Client client) {
        return client.election("e").campaignAsync("v").toCompletableFuture();
    }

    private static List<Client> clients(World world, int count) {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(world.client("c" + i));
        }
        return clients;
    }

    @ParameterizedTest
    @MethodSource("stores")
    void theOldestThatWaitsLeadsNext(Supplier<World> store) {
        World world = queueing(store);
        List<CompletableFuture<Leadership>> campaigns = new ArrayList<>();
        for (Client client : clients(world, 4)) {
            campaigns.add(campaign(client));
            world.pass(SECOND.multipliedBy(3));
        }

        for (int i = 0; i < 4; i++) {
            CompletableFuture<Leadership> next = campaigns.get(i);
            world.passUntil(next::isDone, Duration.ofMillis(100));
            assertThat(campaigns.stream().filter(CompletableFuture::isDone)).hasSize(i + 1);
            world.pass(SECOND.multipliedBy(3));
            next.join().close();
        }
    }

    /** "leaves nothing behind": neither record nor watch. */
    @ParameterizedTest
    @MethodSource("stores")
    void whoeverLeadsOrClosesLeavesNothing(Supplier<World> store) {
        World world = queueing(store);
        List<Client> clients = clients(world, 3);
        campaign(clients.get(0));
        world.pass(SECOND.multipliedBy(3));
        int watches = world.store.watchers();
        campaign(clients.get(1));
        campaign(clients.get(2));
        world.pass(SECOND.multipliedBy(3));
        assertThat(world.store.left(QUEUE)).hasSize(2);
        assertThat(world.store.watchers()).isEqualTo(watches + 4);

        clients.get(2).close();
        world.pass(SECOND);

        assertThat(world.store.left(QUEUE)).hasSize(1);
    }

    /** Another program may have no right there: it tries last, and says so. */
    @ParameterizedTest
    @MethodSource("stores")
    void whoeverMayNotQueueTriesLastAndSaysSo(Supplier<World> store) {
        World world = queueing(store);
        world.store.denied = key -> key.space().equals(RecordKey.QUEUES);
        CompletableFuture<Leadership> campaign = campaign(world.client("a"));

        world.passUntil(campaign::isDone, SECOND.multipliedBy(3));

        assertThat(world.log)
                .anyMatch(line -> line.contains("the queue of election 'e' has no place for this candidate"));
    }

    /** Whatever fails when the watch is looked after, it is looked after again. */
    @ParameterizedTest
    @MethodSource("stores")
    void aWatchThatBrokeIsOpenedAgainThoughSomethingFailed(Supplier<World> store) {
        World world = queueing(store);
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        campaign(world.client("b", connection));
        world.pass(SECOND.multipliedBy(3));
        int watchers = world.store.watchers();
        AtomicBoolean armed = new AtomicBoolean(true);
        connection.hint(new Hint.Closed("the connection was lost"));
        world.host.afterRead = name -> {
            Set<String> callers = StackWalker.getInstance()
                    .walk(frames ->
                            frames.map(StackWalker.StackFrame::getMethodName).collect(Collectors.toSet()));
            boolean isDelivered = callers.contains("look") && !callers.contains("deliver");
            if (isDelivered && armed.getAndSet(false)) {
                throw new IllegalStateException("simulated: the clock failed");
            }
        };
        world.pass(SECOND);
        assertThat(armed).isFalse();
        world.pass(SECOND.multipliedBy(10));

        assertThat(world.store.watchers()).isEqualTo(watchers);
    }

    @Test
    void theRecordSaysByWhichOrderItsCandidateTried() {
        World world = queueing(World::withRecords);
        world.win(world.client("a").election("e"));

        Observation.Held held = (Observation.Held) world.store.shown("e");

        assertThat(held.record().order()).isEqualTo("arrival");
        assertThat(Leaders.of(held, true).order()).isEqualTo(Order.ARRIVAL);
    }

    @Test
    void theQueueIsListedInOrder() throws InterruptedException {
        String url = "memory:queues?lease=3s&order=arrival";
        try (ElectionClient first =
                        ElectionClient.builder(url).candidate("first").connect();
                ElectionClient second =
                        ElectionClient.builder(url).candidate("second").connect();
                ElectionClient third =
                        ElectionClient.builder(url).candidate("third").connect();
                ElectionClient other = ElectionClient.connect("memory:queues")) {
            assertThat(other.election("e").queue()).isEmpty();
            Leadership leadership = first.election("e").campaign("v");
            second.election("e").campaignAsync("v");
            awaitQueue(other, "second");
            third.election("e").campaignAsync("v");
            awaitQueue(other, "second", "third");

            assertThat(other.election("e").view())
                    .isInstanceOfSatisfying(
                            LeaderView.Led.class,
                            led -> assertThat(led.current().order()).isEqualTo(Order.ARRIVAL));
            leadership.close();
        }
    }

    private static void awaitQueue(ElectionClient client, String... candidates) {
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        List<String> seen = List.of();
        while (!seen.equals(List.of(candidates)) && System.nanoTime() < until) {
            seen = client.election("e").queue().stream().map(Queued::candidate).toList();
        }
        assertThat(seen).containsExactly(candidates);
    }
}
