package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Elections one can read: every file in {@code src/test/transcripts} holds commands (see {@link Scenario}), and below
 * each, after {@code ----}, what happened. Comments begin with {@code #}.
 *
 * <p>To record them anew: {@code mvn -pl core test -Dtest=TranscriptTest -Dtranscripts.rewrite=true}. Then read the
 * difference: it is the review.
 */
class TranscriptTest {
    private static final Path FOLDER = Path.of("src", "test", "transcripts");
    private static final String LINE = "----";

    static List<Path> transcripts() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void theSameHappensAsIsWritten(Path file) throws IOException {
        String written = Files.readString(file);

        String happened = replay(written);

        if (Boolean.getBoolean("transcripts.rewrite")) {
            Files.writeString(file, happened);
        } else {
            assertThat(happened)
                    .as("%s; to record it anew, see TranscriptTest", file)
                    .isEqualTo(written);
        }
    }

    @Test
    void everyStoryIsThere() throws IOException {
        assertThat(transcripts().stream().map(f -> f.getFileName().toString()))
                .contains(
                        "two-rivals.txt",
                        "lost-reply.txt",
                        "late-landing.txt",
                        "pause-past-lease.txt",
                        "resign.txt",
                        "session-ends.txt",
                        "overrun.txt",
                        "evicted.txt",
                        "settling.txt");
    }

    /** The same text, with what happens now after every command. */
    private static String replay(String text) {
        Scenario scenario = new Scenario();
        StringBuilder out = new StringBuilder();
        StringBuilder happened = new StringBuilder();
        boolean isOutput = false;
        for (String line : (text.stripTrailing() + "\n\n").lines().toList()) {
            if (isOutput) {
                // What was recorded ends with an empty line.
                isOutput = !line.isEmpty();
                if (!isOutput) {
                    out.append(happened).append('\n');
                    happened.setLength(0);
                }
            } else if (line.equals(LINE)) {
                out.append(LINE).append('\n');
                isOutput = true;
            } else {
                out.append(line).append('\n');
                if (!line.isBlank() && !line.startsWith("#")) {
                    happened.append(scenario.run(line));
                }
            }
        }
        List<String> lines = out.toString().stripTrailing().lines().toList();
        return String.join("\n", lines) + "\n";
    }
}
