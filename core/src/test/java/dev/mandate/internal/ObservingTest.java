package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.Settle;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What observers are told. */
class ObservingTest {
    private final World world = World.withSessions();

    static Stream<World> worlds() {
        return Stream.of(World.withSessions(), World.withRecords(), World.judged());
    }

    /** {@code "?"}, {@code "-"}, or the leader's value. */
    private static String text(LeaderView view) {
        return view instanceof LeaderView.Unknown
                ? "?"
                : view.leader().map(leader -> leader.value()).orElse("-");
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anObserverIsToldThePresentStateFirstThenEveryChange(World any) {
        Leadership leadership = any.win(any.client("a").election("e"));
        List<String> told = new ArrayList<>();
        Client client = any.client("b", any.store.another());

        Observing observing = client.election("e").observe(view -> told.add(text(view)));
        any.passUntil(() -> told.contains("at e"));
        leadership.proclaim("moved");
        any.passUntil(() -> told.contains("moved"));
        leadership.close();
        any.passUntil(() -> told.contains("-"));

        assertThat(told).containsExactly("?", "at e", "moved", "-");
        assertThat(text(observing.view())).isEqualTo("-");
        assertThat(observing.view().age()).isLessThan(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void whenTheStoreIsSilentForALeaseTheStateIsUnknown(World any) {
        any.win(any.client("a").election("e"));
        VirtualStore connection = any.store.another();
        Client client = any.client("b", connection);
        List<String> told = new ArrayList<>();
        client.election("e").observe(view -> told.add(text(view)));
        any.passUntil(() -> told.contains("at e"));

        connection.hangs = true;
        connection.isDeaf = true;
        any.pass(World.LEASE.plusSeconds(3));

        assertThat(told).containsExactly("?", "at e", "?");
        assertThat(client.election("e").view()).isInstanceOf(LeaderView.Unknown.class);
    }

    @Test
    void theStateIsUnknownThoughTheLoopStandsStill() {
        world.win(world.client("a").election("e"));
        Client client = world.client("b", world.store.another());
        Observing observing = client.election("e").observe(view -> {});
        world.passUntil(() -> observing.view() instanceof LeaderView.Led);

        world.host.stall("mandate-loop-b");
        world.pass(World.LEASE.plusSeconds(3));

        assertThat(observing.view()).isInstanceOf(LeaderView.Unknown.class);
    }

    /** To the machine nothing was ever unknown: it takes the answer before it looks at the clock. */
    @Test
    void whoWasToldUnknownWhileTheLoopStoodStillIsToldOnceItGoesOn() {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);
        Observing observing = client.election("e").observe(view -> {});
        world.passUntil(() -> observing.view() instanceof LeaderView.Led);
        List<String> told = new ArrayList<>();
        List<String> toldByResolver = new ArrayList<>();
        connection.hangs = true;
        world.passUntil(() -> observing.view().age().compareTo(World.LEASE.minusMillis(500)) > 0);
        connection.hangs = false;
        int reads = connection.requests.get("read");
        world.passUntil(() -> connection.requests.get("read") > reads);
        world.host.stall("mandate-loop-b");
        world.passUntil(() -> observing.view() instanceof LeaderView.Unknown, Duration.ofMillis(600));
        client.election("e").observe(view -> told.add(text(view)));
        client.election("e").resolver().observe(view -> toldByResolver.add(text(view)));
        world.host.settle();
        assertThat(told).containsExactly("?");

        world.host.resume();
        world.host.settle();

        assertThat(told).containsExactly("?", "at e");
        assertThat(toldByResolver).containsExactly("?", "at e");
    }

    @Test
    void whoWasToldUnknownBeforeAWinWasAnnouncedIsToldWithIt() {
        world.set(Setting.SETTLE, Settle.ALWAYS).set(Setting.RECORD_CHECK_INTERVAL, World.LEASE.multipliedBy(2));
        Client client = world.client("a");
        CompletableFuture<Leadership> won =
                client.election("e").campaignAsync("at e").toCompletableFuture();
        world.passUntil(() -> client.election("e").status().state() == CandidacyStatus.State.SETTLING);
        world.pass(World.LEASE.minusSeconds(1));
        world.host.stall("mandate-loop-a");
        world.pass(Duration.ofSeconds(2));
        List<String> told = new ArrayList<>();
        client.election("e").observe(view -> told.add(text(view)));
        world.host.settle();
        assertThat(told).containsExactly("?");

        world.host.resume();
        world.host.settle();

        assertThat(won).isDone();
        assertThat(told).containsExactly("?", "at e");
    }

    /** The machine has yet to see the answer: until then it vouches for nothing. */
    @Test
    void theFormerLeaderIsNotToldWithTheAnswerThatShowsTheNext() {
        Leadership first = world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);
        Observing observing = client.election("e").observe(view -> {});
        world.passUntil(() -> observing.view() instanceof LeaderView.Led);
        connection.isDeaf = true;
        connection.hangs = true;
        first.close();
        world.passUntil(() -> observing.view().age().compareTo(World.LEASE.minusMillis(500)) > 0);
        world.win(world.client("c", world.store.another()).election("e"), "second");
        assertThat(text(observing.view())).isEqualTo("at e");
        connection.hangs = false;
        int reads = connection.requests.get("read");
        world.passUntil(() -> connection.requests.get("read") > reads);
        world.host.stall("mandate-loop-b");
        world.passUntil(() -> observing.view() instanceof LeaderView.Unknown, Duration.ofMillis(600));
        List<String> told = new ArrayList<>();
        client.election("e").observe(view -> told.add(text(view)));
        world.host.settle();
        world.host.beQuick();

        world.host.resume();
        world.host.settle();

        assertThat(told).containsExactly("?", "second");
    }

    /** Its machine still knows the leader, and announces no change. */
    @Test
    void whoObservesAnElectionThatNobodyHoldsAnyMoreIsToldTheLeader() throws Exception {
        world.win(world.client("a").election("e"));
        Client client = world.client("b", world.store.another());
        WeakReference<Election> gone = new WeakReference<>(heldNoMore(client));
        for (int i = 0; i < 500 && gone.get() != null; i++) {
            System.gc();
            Thread.sleep(20);
        }
        assertThat(gone.get()).isNull();
        List<String> told = new ArrayList<>();

        client.election("e").observe(view -> told.add(text(view)));
        world.pass(Duration.ofSeconds(5));

        assertThat(told).containsExactly("?", "at e");
    }

    private Election heldNoMore(Client client) {
        Election election = client.election("e");
        Observing observing = election.observe(view -> {});
        world.passUntil(() -> observing.view() instanceof LeaderView.Led);
        observing.close();
        world.host.settle();
        world.host.stall("mandate-loop-b");
        ((OwnCandidacy) election.latch("v")).stop();
        world.host.resume();
        world.host.settle();
        return election;
    }

    @Test
    void whoCouldNotBeToldForWantOfAThreadIsToldLater() {
        world.win(world.client("a").election("e"));
        Client client = world.client("b", world.store.another());
        List<String> told = new ArrayList<>();
        client.election("e").observe(view -> told.add(text(view)));
        world.host.settle();
        assertThat(told).containsExactly("?");
        world.host.refuseThreads(1);
        world.passUntil(() -> client.election("e").view() instanceof LeaderView.Led);

        world.pass(Duration.ofSeconds(5));

        assertThat(told).containsExactly("?", "at e");
    }

    @Test
    void whatAListenerThrowsIsLoggedAndChangesNothing() {
        AtomicInteger calls = new AtomicInteger();
        Client client = world.client("b", world.store.another());
        client.election("e").observe(view -> {
            calls.incrementAndGet();
            throw new AssertionError("a listener's own trouble");
        });
        world.pass(Duration.ofSeconds(1));
        int before = calls.get();

        world.win(client.election("e"));
        world.passUntil(() -> calls.get() > before);

        assertThat(world.logged(line -> line.contains("a listener's own trouble")))
                .hasSize(calls.get());
    }

    @Test
    void aSlowListenerIsCalledOneAtATimeAndToldTheNewest() {
        world.host.useRealThreads();
        Leadership leadership = world.win(world.client("a").election("e"));
        CountDownLatch let = new CountDownLatch(1);
        AtomicInteger inside = new AtomicInteger();
        AtomicBoolean overlapped = new AtomicBoolean();
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        Client client = world.client("b", world.store.another());
        client.election("e").observe(view -> {
            overlapped.compareAndSet(false, inside.incrementAndGet() > 1);
            told.add(text(view));
            if (text(view).equals("at e")) {
                try {
                    let.await();
                } catch (InterruptedException e) {
                    told.add("interrupted");
                }
            }
            inside.decrementAndGet();
        });
        world.passUntil(() -> {
            Thread.yield();
            return told.contains("at e");
        });

        for (int i = 1; i <= 20; i++) {
            leadership.proclaim("v" + i);
        }
        // A hint of another value is looked at first.
        world.pass(Duration.ofMillis(300));
        let.countDown();
        world.await(() -> told.contains("v20"));

        assertThat(told).last().isEqualTo("v20");
        assertThat(told).hasSizeLessThan(6);
        assertThat(overlapped).isFalse();
    }

    @Test
    void nothingIsToldAfterCloseReturned() {
        List<String> told = new ArrayList<>();
        Client client = world.client("b");
        Observing observing = client.election("e").observe(view -> told.add(text(view)));
        world.pass(Duration.ofSeconds(1));
        int before = told.size();

        observing.close();
        observing.close();
        world.win(world.client("a", world.store.another()).election("e"));
        world.pass(Duration.ofSeconds(30));

        assertThat(told).hasSize(before);
    }

    @Test
    void closingWaitsForARunningCall() throws Exception {
        world.host.useRealThreads();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch let = new CountDownLatch(1);
        AtomicBoolean left = new AtomicBoolean();
        Observing observing = world.client("b").election("e").observe(view -> {
            entered.countDown();
            try {
                let.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            left.set(true);
        });
        world.await(() -> entered.getCount() == 0);
        AtomicBoolean leftBefore = new AtomicBoolean();
        Thread closer = new Thread(() -> {
            observing.close();
            leftBefore.set(left.get());
        });
        closer.start();
        world.await(() -> closer.getState() == Thread.State.WAITING);
        assertThat(left).isFalse();

        let.countDown();
        closer.join(30_000);

        assertThat(leftBefore).isTrue();
    }

    @Test
    void aListenerMayCloseItself() {
        AtomicInteger calls = new AtomicInteger();
        List<Observing> own = new ArrayList<>();
        own.add(world.client("b").election("e").observe(view -> {
            calls.incrementAndGet();
            // News that comes while it is being called, and is not told any more.
            own.forEach(each -> ((Listening) each).changed());
            own.forEach(Observing::close);
        }));

        world.pass(Duration.ofSeconds(5));

        assertThat(calls).hasValue(1);
    }

    @Test
    void nobodyAsksTheStoreAnyMoreWhenTheLastObserverHasGone() {
        Client client = world.client("b");
        Observing one = client.election("e").observe(view -> {});
        Observing two = client.election("e").observe(view -> {});
        world.pass(Duration.ofSeconds(10));
        one.close();
        int before = world.store.requests.get("read");
        world.pass(Duration.ofSeconds(10));
        assertThat(world.store.requests.get("read")).isGreaterThan(before);

        two.close();
        world.pass(Duration.ofSeconds(5));
        int after = world.store.requests.get("read");
        world.pass(Duration.ofMinutes(10));

        assertThat(world.store.requests.get("read")).isEqualTo(after);
    }

    /** One who comes back after a long time is not told what was true when it left. */
    @Test
    void aNewObserverIsNotToldWhatIsLongPast() {
        Leadership leadership = world.win(world.client("a").election("e"));
        Client client = world.client("b", world.store.another());
        List<String> first = new ArrayList<>();
        Observing observing = client.election("e").observe(view -> first.add(text(view)));
        world.passUntil(() -> first.contains("at e"));
        observing.close();
        leadership.close();
        world.pass(Duration.ofMinutes(2));

        List<String> second = new ArrayList<>();
        client.election("e").observe(view -> second.add(text(view)));
        world.pass(Duration.ofSeconds(3));

        assertThat(second).containsExactly("?", "-");
    }

    @Test
    void withoutAnyoneWhoFollowsTheLeaderIsAskedFromTheStore() {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);

        LeaderView view = client.election("e").view();

        assertThat(text(view)).isEqualTo("at e");
        assertThat(view.leader().orElseThrow().verified()).isTrue();
        assertThat(text(client.election("nobody").view())).isEqualTo("-");
        connection.hangs = true;
        long from = world.host.nanos();
        assertThat(client.election("e").view()).isInstanceOf(LeaderView.Unknown.class);
        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    /** Where observers judge, one look does not tell the living from the dead. */
    @Test
    void oneLookIsNotVerifiedWhereObserversJudge() {
        World judged = World.judged();
        judged.win(judged.client("a").election("e"));
        Client client = judged.client("b", judged.store.another());

        assertThat(client.election("e").view().leader().orElseThrow().verified())
                .isFalse();
        assertThat(client.leaders("", 5))
                .singleElement()
                .satisfies(l -> assertThat(l.verified()).isFalse());
        Observing observing = client.election("e").observe(view -> {});
        judged.pass(Duration.ofSeconds(8));
        assertThat(observing.view().leader().orElseThrow().verified()).isTrue();
    }

    /** Many listeners block: who waits for an end or a win is told all the same, without any time that passes. */
    @Test
    void listenersThatBlockKeepNoCompletionWaiting() {
        world.host.useRealThreads();
        Client client = world.client("a");
        CountDownLatch let = new CountDownLatch(1);
        AtomicInteger blocked = new AtomicInteger();
        for (int i = 0; i < 16; i++) {
            client.election("e" + i).observe(view -> {
                blocked.incrementAndGet();
                awaitQuietly(let);
            });
        }
        world.await(() -> blocked.get() == 16);
        CompletableFuture<Leadership> won =
                client.election("g").campaignAsync("v").toCompletableFuture();
        world.passUntil(() -> {
            Thread.yield();
            return client.election("g").status().state() == CandidacyStatus.State.LEADING;
        });
        world.await(won::isDone);
        CompletableFuture<EndReason> lost = new CompletableFuture<>();
        won.join().ended().thenAccept(lost::complete);

        won.join().resign();
        world.await(lost::isDone);
        let.countDown();
    }

    private static void awaitQuietly(CountDownLatch let) {
        try {
            let.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
