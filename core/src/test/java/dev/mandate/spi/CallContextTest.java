package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a store call may take, and the answers it may give. */
class CallContextTest {

    @Test
    void whatIsLeftIsRoundedUpAndNeverNegative() {
        long[] clock = {0};
        CallContext call = CallContext.until(5_000_001, () -> clock[0]);

        assertThat(call.remaining()).isEqualTo(Duration.ofNanos(5_000_001));
        assertThat(call.remainingMillis()).isEqualTo(6);
        assertThat(call.isOver()).isFalse();
        clock[0] = 1;
        assertThat(call.remainingMillis()).isEqualTo(5);
        clock[0] = 5_000_000;
        assertThat(call.remainingMillis()).isEqualTo(1);
        assertThat(call.isOver()).isFalse();
        clock[0] = 5_000_001;
        assertThat(call.remainingMillis()).isZero();
        assertThat(call.isOver()).isTrue();
        clock[0] = 9_000_000;
        assertThat(call.remaining()).isZero();
        assertThat(call.remainingMillis()).isZero();
        assertThat(call.isOver()).isTrue();
    }

    @Test
    void aContextCountsFromNow() {
        assertThat(CallContext.within(Duration.ofHours(1)).remaining())
                .isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
        assertThat(CallContext.within(Duration.ZERO).isOver()).isTrue();
    }

    @Test
    void theAnswersToAWrite() {
        RecordKey key = RecordKey.election("e");
        Observation vacant = Observation.vacant(key, new At(1));

        assertThat(WriteOutcome.written(vacant).granted()).isEmpty();
        assertThat(WriteOutcome.written(vacant)).hasToString("written: vacant at At[revision=1]");
        assertThat(WriteOutcome.renewed(vacant, Duration.ofSeconds(3)).granted())
                .contains(Duration.ofSeconds(3));
        assertThat(WriteOutcome.renewed(vacant, Duration.ofSeconds(3)))
                .hasToString("written: vacant at At[revision=1], granted PT3S");
        assertThat(WriteOutcome.refused(vacant).now()).contains(vacant);
        assertThat(WriteOutcome.refused(vacant).retryAfter()).isEmpty();
        assertThat(WriteOutcome.refused(vacant)).hasToString("refused: vacant at At[revision=1]");
        assertThat(WriteOutcome.refused().now()).isEmpty();
        assertThat(WriteOutcome.refused()).hasToString("refused: not known");
        assertThat(WriteOutcome.refusedFor(Duration.ofSeconds(9), null).retryAfter())
                .contains(Duration.ofSeconds(9));
        assertThat(new Page<>(List.of(1), null).next()).isEmpty();
        assertThat(new Page<>(List.of(1), Cursor.START).next()).contains(Cursor.START);
        Subscription.NONE.close();
    }

    private record At(long revision) implements Basis {}
}
