package dev.mandate.cli.run;

import dev.mandate.ElectionClient;
import dev.mandate.console.Durations;
import dev.mandate.console.StoreAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that {@code run} and {@code register} share: about their client and the program that they start. */
final class ProgramOptions {
    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a lease lasts without renewal: 500ms, 10s, 2m. Default: the URL's lease, else 10s")
    private @Nullable Duration lease;

    @Option(
            names = "--candidate",
            paramLabel = "ID",
            description = "A name for this process, for people. Default: host name and process id")
    private @Nullable String candidate;

    @Option(
            names = "--stop-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "After INT or TERM, kill the command if it has not ended within TIME. Default: never")
    private @Nullable Duration stopTimeout;

    @Option(
            names = "--keep-env",
            paramLabel = "NAME",
            description =
                    "Leave this variable in the command's environment, even if it may hold a store's credentials. May"
                            + " be given several times.")
    private List<String> kept = List.of();

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only errors.")
    private boolean quiet;

    /** After a signal, how long the command may take to end; null for as long as it likes. */
    @Nullable
    Duration stopTimeout() {
        return stopTimeout;
    }

    /** The variables to leave in the command's environment. */
    List<String> kept() {
        return kept;
    }

    boolean quiet() {
        return quiet;
    }

    /** Opens a client, and says so if that takes long. What is not given, the URL or the library decides. */
    ElectionClient connect(StoreAddress address, Messages messages) {
        ElectionClient.Builder builder = address.client();
        if (lease != null) {
            builder.lease(lease);
        }
        if (candidate != null) {
            builder.candidate(candidate);
        }
        AtomicBoolean isOpen = new AtomicBoolean();
        messages.noteLater("waiting for the first answer of " + address, () -> !isOpen.get());
        try {
            return builder.connect();
        } finally {
            isOpen.set(true);
        }
    }
}
