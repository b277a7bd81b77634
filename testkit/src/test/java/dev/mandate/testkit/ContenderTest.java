package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreUnavailableException;
import dev.mandate.internal.memory.MemoryStoreProvider;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A contender looks at what stands when a write's answer is lost, once, and never writes again. */
class ContenderTest {
    private static final RecordKey KEY = RecordKey.election("e");

    private final ElectionStore real = new MemoryStoreProvider().open(StoreUrl.parse("memory:ContenderTest"));
    private final BuggyStore store = new BuggyStore(real);
    private Contender contender;
    /** How many answers are still lost. */
    private int lost;
    /** Whether a write whose answer is lost takes effect. */
    private boolean takesEffect = true;

    @BeforeEach
    void plant() {
        store.onAcquire((to, key, basis, proposal, session, call) ->
                answer(() -> to.acquire(key, basis, proposal, session, call)));
        store.onUpdate(
                (to, basis, record, intent, call) -> answer(() -> to.update(basis.key(), basis, record, intent, call)));
        store.onRelease((to, key, basis, call) -> answer(() -> to.release(key, basis, call)));
        contender = new Contender(store, Duration.ofSeconds(10), Duration.ofSeconds(10));
    }

    @AfterEach
    void close() {
        real.close();
    }

    private CompletionStage<WriteOutcome> answer(Supplier<CompletionStage<WriteOutcome>> write) {
        if (lost == 0) {
            return write.get();
        }
        lost--;
        CompletionStage<WriteOutcome> written =
                takesEffect ? write.get() : CompletableFuture.completedStage(WriteOutcome.refused());
        return written.thenCompose(
                gone -> CompletableFuture.failedStage(new StoreUnavailableException("the connection broke")));
    }

    @Test
    void anAcquireWhoseAnswerIsLostIsFound() {
        lost = 1;

        Observation.Held held = contender.acquire(KEY);

        assertThat(contender.readHeld(KEY).record()).isEqualTo(held.record());
    }

    @Test
    void anUpdateWhoseAnswerIsLostIsFound() {
        Observation.Held held = contender.acquire(KEY);
        lost = 1;

        assertThat(contender.proclaim(held, "new").record().value()).isEqualTo("new");
    }

    @Test
    void aReleaseWhoseAnswerIsLostIsFound() {
        Observation.Held held = contender.acquire(KEY);
        lost = 1;

        assertThat(contender.release(held)).isInstanceOf(WriteOutcome.Written.class);
    }

    @Test
    void aSecondLostAnswerIsAFault() {
        Observation.Held held = contender.acquire(KEY);
        lost = 2;
        Observation.Held proclaimed = contender.proclaim(held, "new");

        assertThatThrownBy(() -> contender.release(proclaimed))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the connection broke");
    }

    @Test
    void aWriteThatTookNoEffectIsAFault() {
        Observation.Held held = contender.acquire(KEY);
        lost = 1;
        takesEffect = false;

        assertThatThrownBy(() -> contender.release(held))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the connection broke");
        assertThat(contender.read(KEY)).isInstanceOf(Observation.Held.class);
    }
}
