package dev.mandate.cli.run;

import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** When the script of {@code --check} runs, and how long it may take. */
final class CheckOptions {
    @Option(
            names = "--every",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "5s",
            description = "How long after a result the check runs again. Default: ${DEFAULT-VALUE}")
    private Duration every = Duration.ofSeconds(5);

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long the check may take. Default: as --every")
    private @Nullable Duration timeout;

    /** Refuses times that fit no check. */
    void requireFit(@Nullable String check) {
        if (check == null && timeout != null) {
            throw new Failure(ExitCode.RUN_FAILED, "--timeout is given without --check; give both, or neither");
        }
        if (every.isZero() || timeout != null && timeout.isZero()) {
            throw new Failure(
                    ExitCode.RUN_FAILED, (every.isZero() ? "--every" : "--timeout") + " is 0 s; give more than that");
        }
    }

    Duration every() {
        return every;
    }

    Duration atMost() {
        return timeout == null ? every : timeout;
    }
}
