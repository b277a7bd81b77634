package dev.mandate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures as shells can count with them. */
class JsonTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0.0",
        "PT10S, 10.0",
        "PT0.043S, 0.043",
        "PT0.000433771S, 0.000433771",
        "PT0.000000001S, 0.000000001",
        "PT8760H, 31536000",
        "-PT0.00005S, -0.00005"
    })
    void secondsHaveNoExponent(Duration given, String written) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        Json.print(new PrintStream(out, true, StandardCharsets.UTF_8), json -> Json.seconds(json, "ageSeconds", given));

        assertThat(out.toString(StandardCharsets.UTF_8).strip()).isEqualTo("{\"ageSeconds\":" + written + "}");
    }
}
