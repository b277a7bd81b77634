package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.CandidacyStatus.State;
import dev.mandate.LeaderLatch;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A listener hears what becomes of its own candidacy: late perhaps, but in order, and never what is not true. */
class OwnChangesTest {
    private final World world = World.withSessions();
    private final List<CandidacyStatus> told = new CopyOnWriteArrayList<>();

    private List<State> states() {
        return told.stream().map(CandidacyStatus::state).toList();
    }

    private LeaderLatch latch() {
        return world.client("a").election("e").latch("v");
    }

    private static void await(CountDownLatch let) {
        try {
            let.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void itIsToldFromTheCampaignToTheEnd() {
        LeaderLatch latch = latch();
        latch.onChange(told::add);
        world.passUntil(latch::isLeader);
        world.pass(Duration.ofSeconds(30));
        assertThat(states()).startsWith(State.FOLLOWING).endsWith(State.LEADING).doesNotHaveDuplicates();
        CandidacyStatus leading = told.get(told.size() - 1);
        assertThat(leading.fencingToken())
                .contains(latch.leadership().orElseThrow().fencingToken());
        told.clear();

        world.client("b", world.store.another()).election("e").evict();
        world.passUntil(() -> !latch.isLeader());
        world.passUntil(latch::isLeader);
        world.pass(Duration.ofMillis(10));
        assertThat(states()).containsExactly(State.STOPPING, State.COOLING_DOWN, State.FOLLOWING, State.LEADING);
        assertThat(told.get(3).fencingToken().orElseThrow().value())
                .isGreaterThan(leading.fencingToken().orElseThrow().value());
        told.clear();

        latch.close();
        world.pass(Duration.ofMinutes(1));
        assertThat(states()).containsExactly(State.STOPPING, State.NOT_CAMPAIGNING);
        assertThat(told.get(1).reason()).contains("this candidacy is over", "withdrawn");
    }

    /** The read that ends a fault shows the win: the machine leads before the end of the fault is announced. */
    @Test
    void whoWinsWithTheAnswerThatEndsAFaultIsToldThatItLeads() {
        world.store.onCall = () -> world.store.losesAnswers = world.store.requests.containsKey("acquire");
        LeaderLatch latch = latch();
        latch.onChange(told::add);
        world.passUntil(() -> !world.isVacant("e"));
        world.store.onCall = () -> {};
        world.store.losesAnswers = false;
        world.store.failure = new StoreSetupException("no right to read");
        world.passUntil(() -> states().contains(State.FAULTY));
        world.store.failure = null;
        world.host.beQuick();

        world.passUntil(latch::isLeader);
        world.host.settle();

        assertThat(states()).containsExactly(State.FOLLOWING, State.UNSURE, State.FAULTY, State.UNSURE, State.LEADING);
    }

    /** Nothing else would give the loop a turn: the machine is idle. */
    @Test
    void whoEndsWhileNoThreadIsAvailableIsToldOnceThereIs() {
        World quiet = World.withRecords();
        quiet.win(quiet.client("b", quiet.store.another()).election("e"));
        VirtualStore connection = quiet.store.another();
        connection.isDeaf = true;
        LeaderLatch latch = quiet.client("a", connection).election("e").latch("v");
        latch.onChange(told::add);
        AtomicBoolean isDone = new AtomicBoolean();
        latch.done().thenRun(() -> isDone.set(true));
        quiet.pass(Duration.ofSeconds(2));
        quiet.host.refuseThreads(1000);
        ((OwnCandidacy) latch).stop();
        quiet.host.settle();
        quiet.host.refuseThreads(0);
        assertThat(states()).containsExactly(State.FOLLOWING);

        quiet.pass(Duration.ofMillis(200));

        assertThat(states()).containsExactly(State.FOLLOWING, State.NOT_CAMPAIGNING);
        assertThat(isDone).isTrue();
        told.clear();
        quiet.host.refuseThreads(1);

        latch.onChange(told::add);
        quiet.pass(Duration.ofMillis(200));

        assertThat(states()).containsExactly(State.NOT_CAMPAIGNING);
    }

    @Test
    void newsThatCouldNotBeHandedOverIsToldOnceTheLoopHasMended() {
        world.win(world.client("b", world.store.another()).election("e"));
        Client client = world.client("a");
        client.election("e").latch("v").onChange(told::add);
        world.pass(Duration.ofSeconds(2));
        world.host.refuseThreads(1);
        world.host.onNanos = () -> {
            boolean isHandedOver = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("retryLater")));
            if (isHandedOver) {
                world.host.onNanos = () -> {};
                throw new InternalError("simulated: one allocation failed");
            }
        };

        client.loop().post(now -> client.sessionFault("no right to open sessions"));
        world.pass(Duration.ofSeconds(1));

        assertThat(states()).containsExactly(State.FOLLOWING, State.FAULTY);
    }

    /** What became of the attempt is unknown, but why it has no answer is not. */
    @Test
    void whoMayNotWriteIsToldSo() {
        world.store.denied = key -> true;
        LeaderLatch latch = latch();
        latch.onChange(told::add);

        world.pass(Duration.ofSeconds(1));
        assertThat(states()).containsExactly(State.FOLLOWING, State.FAULTY);
        assertThat(told.get(1).reason()).contains("no right to write");
        world.store.denied = key -> false;

        world.passUntil(() -> told.get(told.size() - 1).isLeader());
    }

    @Test
    void aFaultOfTheSessionIsToldWhenItBeginsAndEnds() {
        world.win(world.client("b", world.store.another()).election("e"));
        Client client = world.client("a");
        client.election("e").latch("v").onChange(told::add);
        world.pass(Duration.ofSeconds(2));

        client.sessionFault("no right to open sessions");
        world.host.settle();
        client.sessionFault(null);
        world.host.settle();
        client.listingFault("no right to list");
        world.host.settle();

        assertThat(states()).containsExactly(State.FOLLOWING, State.FAULTY, State.FOLLOWING, State.FAULTY);
    }

    @Test
    void whoWaitsIsToldSo() {
        Leadership rival = world.win(world.client("b", world.store.another()).election("e"));
        LeaderLatch latch = latch();
        world.pass(Duration.ofSeconds(1));

        latch.onChange(told::add);
        world.pass(Duration.ofSeconds(10));
        assertThat(told).hasSize(1);
        assertThat(told.get(0).state()).isEqualTo(State.FOLLOWING);
        assertThat(told.get(0).reason()).isEqualTo("follows b");
        rival.close();

        world.passUntil(() -> told.get(told.size() - 1).isLeader());
    }

    @Test
    void whoComesWhenAllIsOverIsToldTheEndAlone() {
        LeaderLatch latch = latch();
        world.passUntil(latch::isLeader);
        latch.close();

        latch.onChange(told::add);
        world.pass(Duration.ofMinutes(1));

        assertThat(states()).containsExactly(State.NOT_CAMPAIGNING);
    }

    /** Neither the loop's thread nor the watchdog's: a listener that blocks delays no renewal. */
    @Test
    void aListenerThatBlocksHoldsUpNothingAndMissesNoEndOfATerm() {
        world.host.useRealThreads();
        List<String> threads = new CopyOnWriteArrayList<>();
        CountDownLatch let = new CountDownLatch(1);
        LeaderLatch latch = latch();
        latch.onChange(now -> {
            threads.add(Thread.currentThread().getName());
            told.add(now);
            if (now.isLeader()) {
                await(let);
            }
        });
        world.passUntilReally(latch::isLeader);
        world.passUntilReally(() -> !told.isEmpty() && told.get(told.size() - 1).isLeader());
        CandidacyStatus first = told.get(told.size() - 1);
        told.clear();

        for (int i = 0; i < 3; i++) {
            Leadership leadership = latch.leadership().orElseThrow();
            leadership.close();
            world.passUntilReally(latch::isLeader);
        }
        assertThat(told).isEmpty();
        let.countDown();
        world.passUntilReally(() -> told.size() >= 2);

        world.pass(Duration.ofSeconds(1));
        assertThat(states()).containsExactly(State.STOPPING, State.LEADING);
        assertThat(told.get(0).reason()).contains("term " + first.fencingToken().orElseThrow() + " is over");
        assertThat(told.get(1).fencingToken())
                .contains(latch.leadership().orElseThrow().fencingToken());
        assertThat(threads).containsOnly("user");
    }

    /** The news waits in a queue of the executor until the term is over: it is not told that it leads. */
    @Test
    void newsThatComesLateIsWhatIsTrueThen() {
        List<Runnable> kept = new ArrayList<>();
        world.executor = kept::add;
        LeaderLatch latch = latch();
        latch.onChange(told::add);
        world.passUntil(latch::isLeader);
        world.host.stall("mandate-");
        world.pass(World.LEASE);

        List.copyOf(kept).forEach(Runnable::run);

        assertThat(told).isNotEmpty().noneMatch(CandidacyStatus::isLeader);
    }

    @Test
    void whatAListenerThrowsIsLoggedAndCostsNoOtherCall() {
        LeaderLatch latch = latch();
        latch.onChange(now -> {
            throw new IllegalStateException("broken listener");
        });
        latch.onChange(told::add);

        world.passUntil(() -> !told.isEmpty() && told.get(told.size() - 1).isLeader());

        assertThat(world.logged(line -> line.contains("a listener threw") && line.contains("broken listener")))
                .hasSizeGreaterThanOrEqualTo(2);
    }

    /** Its task hears of it by itself; the listener is for everybody else. */
    @Test
    void aTaskHasListenersToo() {
        AtomicReference<Candidacy> own = new AtomicReference<>();
        own.set(world.client("a").election("e").runWhileLeader("v", leadership -> {}));
        own.get().onChange(told::add);

        world.passUntil(() -> !told.isEmpty() && told.get(told.size() - 1).state() == State.NOT_CAMPAIGNING);

        assertThat(told.get(told.size() - 1).reason()).contains("the task returned");
        world.pass(Duration.ofMinutes(1));
        assertThat(states()).endsWith(State.NOT_CAMPAIGNING).doesNotHaveDuplicates();
    }

    @Test
    void theLastCallComesAfterTheClientIsClosed() {
        Client client = world.client("a");
        LeaderLatch latch = client.election("e").latch("v");
        latch.onChange(told::add);
        world.passUntil(latch::isLeader);

        client.close();
        world.host.settle();

        assertThat(states()).endsWith(State.STOPPING, State.NOT_CAMPAIGNING);
    }
}
