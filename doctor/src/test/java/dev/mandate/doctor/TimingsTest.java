package dev.mandate.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimingsTest {
    private static final Duration ANSWER = Duration.ofMillis(100);

    /** The library awaits an answer for 100 ms. */
    @ParameterizedTest
    @CsvSource({
        "OK, 1 2 50",
        "WARNING, 1 2 51",
        "WARNING, 1 2 300",
        "ERROR, 1 101 300",
        "OK, 1 1 1 1 1 1 1 1 1 1 50",
        "WARNING, 1 1 1 1 1 1 1 1 1 101",
        "ERROR, 1 1 1 1 1 1 1 1 101 101"
    })
    void answersAreHeldAgainstTheTimeOut(Severity severity, String millis) {
        Timings timings = new Timings("round trip", "read");
        Arrays.stream(millis.split(" "))
                .map(Long::parseLong)
                .map(Duration::ofMillis)
                .forEach(timings::add);

        Finding judged = timings.judged(ANSWER);

        assertThat(judged.severity()).as("%s", judged).isEqualTo(severity);
        assertThat(judged.sentence()).contains(timings.count() + " reads", "median", "waits 100 ms for an answer");
    }
}
