package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThrottleTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Throttle throttle = new Throttle(nanos::get);

    @Test
    void itWaitsAsLongAsTheServiceAsks() {
        assertThat(throttle.leftMillis()).isZero();
        throttle.told("2");
        assertThat(throttle.leftMillis()).isEqualTo(2_000);
        nanos.addAndGet(1_999_000_000L);
        assertThat(throttle.leftMillis()).isEqualTo(1);
        nanos.addAndGet(1_000_000L);
        assertThat(throttle.leftMillis()).isZero();
    }

    /** The recovery that is computed has room for one lease, and this may be the shortest. */
    @ParameterizedTest
    @ValueSource(strings = {"16", "60", "999999999", "date"})
    void butNoLongerThanTheShortestLease(String asked) {
        String inAnHour = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.now().plusSeconds(3_600).atOffset(ZoneOffset.UTC));

        throttle.told(asked.equals("date") ? inAnHour : asked);

        assertThat(throttle.leftMillis()).isEqualTo(15_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-1", "Thu, 01 Jan 1970 00:00:00 GMT"})
    void whatIsNoTimeToComeIsNotWaitedFor(String asked) {
        throttle.told(asked);
        assertThat(throttle.leftMillis()).isZero();
    }

    @Test
    void anAnswerThatDoesNotSayWhenIsNotWaitedFor() {
        throttle.told(null);
        assertThat(throttle.leftMillis()).isZero();
    }
}
