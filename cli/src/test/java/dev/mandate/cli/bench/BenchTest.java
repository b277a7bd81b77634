package dev.mandate.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.cli.Main;
import dev.mandate.testkit.CandidateProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bench as users run it. Nothing is said here about how fast anything is. */
class BenchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    @TempDir
    private Path folder;

    @Test
    void measures_everything_on_sqlite() {
        List<String> lines = output("bench", "--quick", "--runs", "1", "sqlite:" + folder + "/bench.db?lease=2s");

        assertThat(lines.get(0)).contains("bench.db", "lease 2 s");
        assertThat(lines)
                .anyMatch(line -> line.startsWith("hand-over p50"))
                .anyMatch(line -> line.startsWith("hand-over p99"))
                .anyMatch(line -> line.startsWith("acquisitions"))
                .anyMatch(line -> line.startsWith("1 held: renewals"))
                .anyMatch(line -> line.startsWith("1000 held: heap"))
                .anyMatch(line -> line.startsWith("take-over max"));
    }

    @Test
    void skips_what_makes_no_sense_in_memory_and_says_so() {
        try (CandidateProcess bench = CandidateProcess.java(
                        Main.class, "bench", "--quick", "--json", "memory:bench?lease=2s")
                .start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();

            assertThat(bench.lines())
                    .singleElement()
                    .asString()
                    .contains("\"hand-over p50\"")
                    .doesNotContain("take-over");
            assertThat(bench.log()).anyMatch(line -> line.contains("take-over is skipped"));
        }
    }

    @Test
    void refuses_what_it_does_not_know() {
        try (CandidateProcess bench = CandidateProcess.java(Main.class, "bench", "--only", "speed", "memory:bench")
                .start()) {
            assertThat(bench.awaitExit(PATIENCE)).isEqualTo(2);
            assertThat(bench.log())
                    .anyMatch(line ->
                            line.contains("--only is 'speed'; give one of handover, acquisitions, idle, takeover"));
        }
    }

    @Test
    void sorts_its_samples() {
        Samples samples = new Samples(4);
        for (long millis : new long[] {4, 1, 3, 2}) {
            samples.add(millis * 1_000_000);
        }

        assertThat(samples.millis(0)).isEqualTo(1);
        assertThat(samples.millis(0.5)).isEqualTo(2);
        assertThat(samples.millis(0.99)).isEqualTo(4);
        assertThat(samples.millis(1)).isEqualTo(4);
    }

    private static List<String> output(String... arguments) {
        try (CandidateProcess bench =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(bench.awaitExit(PATIENCE))
                    .as("exit code; it said %s", bench.log())
                    .isZero();
            return bench.lines();
        }
    }
}
