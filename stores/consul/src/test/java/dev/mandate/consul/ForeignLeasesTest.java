package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignLeasesTest {
    @ParameterizedTest
    @CsvSource({"10s,10000", "1m30s,90000", "1.5h,5400000", "10000ms,10000", "24h0m0s,86400000"})
    void durationsOfGoAreRead(String text, long millis) {
        assertThat(ForeignLeases.parsed(text)).contains(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0s", "10", "s", "ten seconds", "-10s", "10s ", "10sx", "1e9s"})
    void anythingElseIsNotKnown(String text) {
        assertThat(ForeignLeases.parsed(text)).isEmpty();
    }

    @Test
    void whatIsTooLongIsNotKnown() {
        assertThat(ForeignLeases.parsed("1s".repeat(100))).isEmpty();
    }
}
