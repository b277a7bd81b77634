package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class InterestTest {
    private static final RecordKey A = RecordKey.election("a");
    private static final RecordKey B = RecordKey.election("b");

    private final AtomicLong nanos = new AtomicLong();
    private final Interest interest = new Interest(nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void aKeyIsNewOnce() {
        assertThat(interest.used(A)).isTrue();
        assertThat(interest.used(A)).isFalse();
        assertThat(interest.contains(A)).isTrue();
        assertThat(interest.contains(B)).isFalse();
        assertThat(interest.same(RecordKey.election("a"))).isSameAs(A);
    }

    @Test
    void whatNobodyUsesAnyMoreIsForgotten() {
        interest.used(A);
        interest.used(B);
        pass(Duration.ofMinutes(9));
        interest.used(B);
        pass(Duration.ofMinutes(2));

        assertThat(interest.below(RecordKey.elections())).containsExactly(B);
    }

    /** With a lease of a day, a follower looks every few hours. */
    @Test
    void whoHasALongLeaseLooksSeldom() {
        interest.lease(Duration.ofHours(24).toNanos());
        interest.used(A);
        pass(Duration.ofHours(23));

        assertThat(interest.below(RecordKey.elections())).containsExactly(A);
    }

    /** Looking whether the store answers follows nothing. */
    @Test
    void theProbeIsOfNoInterest() {
        assertThat(interest.used(RecordKey.PROBE)).isFalse();
        assertThat(interest.below(RecordKey.elections())).isEmpty();
    }
}
