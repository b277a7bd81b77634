package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README says that is printed is printed, but for numbers, names and paths. */
class ReadmeOutputTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Pattern BLOCK = Pattern.compile("```text\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path temp;

    /** The lines of the block that begins with {@code first}, in their shape. */
    private static List<String> quoted(String first) throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("verify"))) {
            root = root.getParent();
        }
        return BLOCK.matcher(Files.readString(root.resolve("README.md")))
                .results()
                .map(block -> block.group(1))
                .filter(block -> block.startsWith(first))
                .findFirst()
                .orElseThrow()
                .lines()
                .map(ReadmeOutputTest::shape)
                .toList();
    }

    private static String shape(String line) {
        return line.replaceFirst("^err: ", "")
                .replaceAll("sqlite:\\S*/mandate\\.db", "STORE")
                .replaceAll("'[^' ]+:[0-9]+'", "ID")
                .replaceAll("[0-9]+(\\.[0-9]+)?", "N")
                .replaceAll(" +", " ");
    }

    private CandidateProcess mandate(String... args) {
        return CandidateProcess.java(Main.class, args)
                .environment("XDG_DATA_HOME", temp.toString())
                .environment("MANDATE_STORE", "")
                .environment("MANDATE_STORE_FILE", "")
                .start();
    }

    @Test
    void twoRunsTakeTurns() throws IOException {
        List<String> lines = quoted("mandate: campaigning in");
        // As in the README, but with less sleep.
        String[] run = {
            "run", "--election", "hello", "--", "sh", "-c", "echo leading with token $MANDATE_TOKEN; sleep 1"
        };
        try (CandidateProcess first = mandate(run)) {
            first.await("its first term", PATIENCE, line -> line.startsWith("leading"));
            try (CandidateProcess second = mandate(run)) {
                Await.until(
                        "all that the README quotes, in " + lines,
                        PATIENCE,
                        () -> first.log().stream()
                                .map(ReadmeOutputTest::shape)
                                .toList()
                                .containsAll(lines));
                assertThat(second.isAlive()).isTrue();
            }
        }
    }

    @Test
    void theDemoEndsAsItSays() throws IOException {
        List<String> lines = quoted("leader was");
        try (CandidateProcess demo = mandate("demo", "--lease", "2s")) {
            assertThat(demo.awaitExit(PATIENCE)).as("%s", demo.log()).isZero();

            assertThat(demo.lines()).map(ReadmeOutputTest::shape).containsAll(lines);
        }
    }
}
