package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mandate completion}: see its help. */
@Command(
        name = "completion",
        header = "Print a script that completes commands in bash or zsh.",
        description = {
            "",
            "Completes commands, options and, where the store answers within a second, names of elections. For this"
                    + " shell:",
            "",
            "  source <(mandate completion bash)",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {"  0 done, 2 bad input, for instance another shell"})
final class CompletionCommand extends ConsoleCommand {
    private static final List<String> SHELLS = List.of("bash", "zsh");
    /** How many seconds somebody who presses a key may wait, the start of the JVM included. */
    private static final String TIMEOUT = "MANDATE_COMPLETION_TIMEOUT";

    private static final int NAMES_MAX = 1_000;

    private final Supplier<CommandLine> program;

    @Parameters(arity = "0..1", paramLabel = "SHELL", description = "The shell: bash or zsh.")
    private @Nullable String shell;

    @Option(
            names = "--elections",
            paramLabel = "PREFIX",
            description = "Print the names of elections that begin with PREFIX instead, as the script needs them:"
                    + " at most 1,000, and none if the store does not answer soon.")
    private @Nullable String prefix;

    CompletionCommand(Console console, Map<String, String> environment, Supplier<CommandLine> program) {
        super(console, environment);
        this.program = program;
    }

    @Override
    public Integer call() {
        if (prefix != null) {
            elections(prefix).forEach(console.out()::println);
            return ExitCode.OK;
        }
        if (shell == null || !SHELLS.contains(shell)) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    (shell == null ? "no shell is named" : "there is no completion for '" + shell + "'") + "; give "
                            + String.join(" or ", SHELLS));
        }
        console.out().print(CompletionScript.of(program.get()));
        return ExitCode.OK;
    }

    /** Whatever is wrong, nobody who presses a key wants to read it. */
    private List<String> elections(String prefix) {
        return CompletableFuture.supplyAsync(() -> listed(prefix), CompletionCommand::start)
                .completeOnTimeout(List.of(), millis() / 2, TimeUnit.MILLISECONDS)
                .exceptionally(thrown -> List.of())
                .join();
    }

    private long millis() {
        try {
            return TimeUnit.SECONDS.toMillis(Integer.parseInt(environment.getOrDefault(TIMEOUT, "1")));
        } catch (NumberFormatException e) {
            return TimeUnit.SECONDS.toMillis(1);
        }
    }

    private static void start(Runnable listing) {
        Thread thread = new Thread(listing, "elections");
        thread.setDaemon(true);
        thread.start();
    }

    private List<String> listed(String prefix) {
        StoreAddress address = StoreAddress.existing(null, environment).requireShared();
        try (ElectionClient client = address.client().connect()) {
            return client.leaders(prefix, NAMES_MAX).stream()
                    .map(Leader::election)
                    .filter(name -> name.equals(Leader.printable(name)))
                    .toList();
        }
    }
}
