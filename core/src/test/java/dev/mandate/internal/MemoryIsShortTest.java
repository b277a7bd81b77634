package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.Leadership;
import dev.mandate.LossReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.Standing;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An allocation fails, or a logger throws when it is asked what it wants: nothing leads on that should not. */
class MemoryIsShortTest {
    private final World world = World.withSessions();

    private static void fail() {
        // Not an OutOfMemoryError itself: on that one JUnit gives up all tests.
        throw new InternalError("simulated: one allocation failed");
    }

    private boolean isVacant() {
        return world.store.shown("e") instanceof Observation.Vacant;
    }

    private void waitUntilInterrupted(Client client, AtomicBoolean interrupted) {
        world.host.useRealThreads();
        AtomicBoolean entered = new AtomicBoolean();
        client.election("e").runWhileLeader("v", leadership -> {
            entered.set(true);
            while (true) {
                try {
                    new CompletableFuture<Void>().get();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                }
            }
        });
        world.passUntil(() -> world.host.running() > 0);
        world.await(entered::get);
    }

    @Test
    void aTaskThatReturnsIsOver() {
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", leadership -> {
            world.onIsLoggable = MemoryIsShortTest::fail;
        });

        world.pass(Duration.ofSeconds(5));

        assertThat(candidacy.standing().state()).isEqualTo(Standing.State.NOT_STANDING);
        assertThat(isVacant()).isTrue();
    }

    @Test
    void aTermThatBeginsStartsItsTask() {
        world.onIsLoggable = MemoryIsShortTest::fail;
        AtomicInteger runs = new AtomicInteger();

        world.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());

        world.passUntil(() -> runs.get() == 1);
    }

    @Test
    void aTaskWhoseLeaseRanOutIsInterrupted() {
        AtomicBoolean interrupted = new AtomicBoolean();
        waitUntilInterrupted(world.client("a"), interrupted);
        world.onIsLoggable = MemoryIsShortTest::fail;
        world.store.hangs = true;
        world.host.stall("mandate-loop");

        world.pass(World.LEASE);

        world.await(interrupted::get);
    }

    @Test
    void theJvmIsHalted() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        waitUntilInterrupted(world.client("a"), new AtomicBoolean());
        world.onIsLoggable = MemoryIsShortTest::fail;
        world.store.hangs = true;

        world.pass(World.LEASE);

        assertThat(world.host.halts).contains(Client.HALT_STATUS);
    }

    /** The first allocations of a term fail, before anybody is told to lead: it is given back, and won again. */
    @Test
    void aTermThatCannotBeginIsGivenBack() {
        AtomicBoolean armed = new AtomicBoolean(true);
        world.host.onRead = () -> {
            boolean begins = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("begun")));
            if (begins && armed.getAndSet(false)) {
                fail();
            }
        };
        AtomicInteger runs = new AtomicInteger();
        world.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());

        world.passUntil(() -> !armed.get());
        world.passUntil(this::isVacant, Duration.ofSeconds(1));
        world.passUntil(() -> runs.get() == 1);
    }

    @Test
    void anErrorOfTheJvmOnTheLoopEndsAllTerms() {
        Client client = world.client("a");
        List<Leadership> terms = List.of(world.win(client.election("x")), world.win(client.election("y")));
        List<LossReason> lost = new ArrayList<>();
        terms.forEach(term -> term.lost().thenAccept(lost::add));

        client.loop().post(now -> fail());
        world.passUntil(() -> lost.size() == 2);

        assertThat(terms).noneMatch(Leadership::isValid);
        assertThat(world.logged(line -> line.contains("an event failed on the loop")))
                .hasSize(1);
    }
}
