package dev.mandate.simulator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.simulator.check.ElectionRequests.Kind;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.WriteOutcome;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client may have missed while it was descheduled is not held against it; everything else is. */
class UnderwayTest {
    private final RuntimeWorld world =
            new RuntimeWorld(1, Aim.RUNTIME, StoreKind.REMOVES_SESSION, new Coverage(), null);
    private final Underway underway = new Underway(world.processes[0]);
    private final long timeout = world.knobs.timing.requestTimeoutNanos();
    /** The wait after a first refusal, and after a page that did not come. */
    private final long pause = world.knobs.timing.retryIntervalNanos();

    @BeforeEach
    void theSettingsOfTheSeedSuit() {
        assertThat(pause).isPositive().isLessThan(timeout).isLessThan(world.knobs.timing.pollIntervalNanos());
    }

    /** Of a request that times out in {@code nanos}; it was, or will be, sent {@code timeout} before that. */
    private static CallContext timingOutAt(long nanos) {
        return CallContext.until(nanos, () -> 0);
    }

    private void acquire(String session, long until, CompletableFuture<WriteOutcome> answer) {
        underway.ask(0, Kind.ACQUIRE, session, timingOutAt(until), () -> answer);
    }

    private void refusedNow(long until) {
        CompletableFuture<WriteOutcome> answer = new CompletableFuture<>();
        acquire("s1", until, answer);
        answer.complete(WriteOutcome.refused());
    }

    private void lists(boolean isFirst, long until) {
        underway.list(isFirst, timingOutAt(until), CompletableFuture<Page<Observation>>::new);
    }

    @Test
    void aRefusalThatIsHeardAfterTheTimeoutDelaysNoOtherSession() {
        refusedNow(pause / 2);
        acquire("s2", pause / 2 + timeout, new CompletableFuture<>());

        assertThat(world.judge.isBroken()).as(world.judge.words()).isFalse();
    }

    @Test
    void aRefusalThatIsHeardAfterTheTimeoutDelaysItsOwnSession() {
        refusedNow(pause / 2);
        acquire("s1", pause / 2 + timeout, new CompletableFuture<>());

        assertThat(world.judge.broken()).isEqualTo(Invariant.PACE);
    }

    @Test
    void aRefusalThatIsHeardBeforeTheTimeoutDelaysAnotherSession() {
        refusedNow(pause / 2);
        acquire("s2", pause / 2 - 1 + timeout, new CompletableFuture<>());

        assertThat(world.judge.broken()).isEqualTo(Invariant.PACE);
    }

    @Test
    void aClientThatAskedSinceHasHeardTheRefusal() {
        refusedNow(pause / 2);
        CompletableFuture<Observation> answer = new CompletableFuture<>();
        underway.ask(0, Kind.READ, null, timingOutAt(1 + timeout), () -> answer);
        answer.completeExceptionally(new IllegalStateException("no answer"));
        acquire("s2", pause / 2 + timeout, new CompletableFuture<>());

        assertThat(world.judge.broken()).isEqualTo(Invariant.PACE);
    }

    @Test
    void afterAGapAListingMayBeginAfresh() {
        lists(true, 1);
        underway.gap();
        lists(true, 1 + timeout);

        assertThat(world.judge.isBroken()).as(world.judge.words()).isFalse();
    }

    @Test
    void withoutAGapAListingWaits() {
        lists(true, 1);
        lists(true, 1 + timeout);

        assertThat(world.judge.broken()).isEqualTo(Invariant.PACE);
    }

    @Test
    void afterAGapALaterPageWaits() {
        lists(true, 1);
        underway.gap();
        lists(false, 1 + timeout);

        assertThat(world.judge.broken()).isEqualTo(Invariant.PACE);
    }
}
