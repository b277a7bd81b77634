package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** An executor that queues is noticed, whatever it queues; one that was only asleep is not. */
class LateStartsTest {
    private final World world = World.withSessions();
    private final List<Runnable> kept = new ArrayList<>();

    private List<String> lines() {
        return world.logged(line -> line.contains("the executor queues"));
    }

    @Test
    void aTaskThatIsNotStartedIsLoggedOnceAMinuteWithWhatToDo() {
        world.executor = kept::add;
        world.client("a").election("e").runWhileLeader("v", leadership -> {});
        world.passUntil(() -> !kept.isEmpty());
        world.pass(Duration.ofSeconds(1));
        assertThat(lines()).isEmpty();

        world.pass(World.LEASE.multipliedBy(2));
        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("WARNING the executor queues: 1 tasks or callbacks have not started within 1666ms")
                .contains("Executors.newCachedThreadPool()");
        world.pass(Duration.ofSeconds(35));
        assertThat(lines()).hasSize(1);
        world.pass(Duration.ofSeconds(40));

        assertThat(lines()).hasSize(2);
    }

    /** A pool of one thread, which the first task keeps for itself. */
    @Test
    void aPoolThatIsTooSmallIsNoticedByWhatWaitsBehindItsTask() {
        AtomicBoolean isBusy = new AtomicBoolean();
        world.executor = piece -> {
            if (isBusy.getAndSet(true)) {
                kept.add(piece);
            } else {
                new Thread(piece).start();
            }
        };
        Client client = world.client("a");
        Stubborn first = new Stubborn();
        client.election("e").runWhileLeader("v", first::run);
        world.passUntilReally(first.entered::get);
        world.pass(World.LEASE.multipliedBy(3));
        assertThat(lines()).isEmpty();

        client.election("f").runWhileLeader("v", leadership -> {});
        world.passUntil(() -> !kept.isEmpty());
        world.pass(World.LEASE.multipliedBy(2));

        assertThat(lines()).hasSize(1);
        first.let.countDown();
    }

    @Test
    void aListenerThatIsNotCalledIsNoticedToo() {
        world.executor = kept::add;
        Client client = world.client("a");
        client.election("e").observe(view -> {});
        world.passUntil(() -> !kept.isEmpty());

        world.pass(World.LEASE.multipliedBy(2));

        assertThat(lines()).hasSize(1);
    }

    @Test
    void anExecutorThatStartsOrRefusesWhatItIsGivenIsNotAccused() {
        AtomicBoolean refuses = new AtomicBoolean();
        world.executor = piece -> {
            if (refuses.get()) {
                throw new RejectedExecutionException("full");
            }
            new Thread(piece).start();
        };
        Client client = world.client("a");
        WaitingWork work = new WaitingWork();
        client.election("e").runWhileLeader("v", work::run);
        world.passUntilReally(work::hasEntered);
        refuses.set(true);
        client.election("f").runWhileLeader("v", leadership -> {});
        CompletableFuture<Leadership> refused = client.election("g").campaignAsync("v");
        world.passUntil(refused::isDone);

        world.pass(Duration.ofMinutes(5));

        assertThat(lines()).isEmpty();
        work.let.countDown();
    }

    /** Between two looks everything stood still: the executor had no time to start anything. */
    @Test
    void anExecutorThatStoodStillWithTheLoopIsNotAccused() {
        Journal journal = world.client("a").journal();
        LateStarts late = new LateStarts();
        long second = 1_000_000_000L;
        Runnable piece = late.watched(() -> {});
        late.look(0, second, journal);
        late.look(3_600 * second, second, journal);
        piece.run();
        late.look(3_601 * second, second, journal);
        world.host.settle();
        assertThat(lines()).isEmpty();

        late.watched(() -> {});
        late.look(3_602 * second, second, journal);
        late.look(3_603 * second, second, journal);
        late.look(3_604 * second, second, journal);
        world.host.settle();
        assertThat(lines()).hasSize(1);
    }

    @Test
    void whatStartedLateAtLastIsForgotten() {
        world.executor = kept::add;
        world.client("a").election("e").observe(view -> {});
        world.pass(World.LEASE.multipliedBy(2));
        assertThat(lines()).hasSize(1);

        world.executor = Runnable::run;
        List.copyOf(kept).forEach(Runnable::run);
        kept.clear();
        world.pass(Duration.ofMinutes(2));

        assertThat(kept).isEmpty();
        assertThat(lines()).hasSize(1);
    }
}
