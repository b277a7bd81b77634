package dev.mandate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * What a command answered that was called in this process.
 *
 * @param code its exit code
 * @param out its standard output
 * @param err its standard error
 */
public record Called(int code, String out, String err) {
    /** Calls {@code program} in this process. */
    public static Called with(Program program, Map<String, String> environment, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = program.execute(args, Console.to(out, err), environment);
        return new Called(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Refused: that exit code, nothing on standard output, and one sentence with all these words. */
    public void assertRefused(int exitCode, String... words) {
        assertThat(this.code).as("exit code; it said %s", err).isEqualTo(exitCode);
        assertThat(out).isEmpty();
        assertOneSentence(err.lines().toList(), words);
    }

    /** One sentence from this program, with all these words: no trace, no second line. */
    public static void assertOneSentence(List<String> said, String... words) {
        assertThat(said)
                .singleElement()
                .asString()
                .startsWith("mandate: ")
                .contains(words)
                .doesNotContain("Exception")
                .hasSizeLessThan(1_000);
    }

    /** Did what was asked for, and said nothing else. */
    public Called assertDone() {
        assertThat(code).as("exit code; it said %s", err).isZero();
        return this;
    }
}
