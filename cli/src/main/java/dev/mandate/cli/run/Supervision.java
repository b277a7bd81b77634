package dev.mandate.cli.run;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Finds everything that could keep a command from being started or killed, before anything is written to a store. */
final class Supervision {
    private static final Duration REHEARSED_GRACE = Duration.ofSeconds(1);

    private final String caller;
    private final Map<String, String> environment;
    private final Predicate<String> hidden;

    /**
     * Checks for a command of {@code caller}.
     *
     * @param kept the variables that the command gets although they may hold a secret
     */
    Supervision(String caller, Map<String, String> environment, StoreAddress address, List<String> kept) {
        this.caller = caller;
        this.environment = environment;
        this.hidden = name -> address.isOwnVariable(name) && !kept.contains(name);
    }

    /** Which variables of the environment the command does not get. */
    Predicate<String> hidden() {
        return hidden;
    }

    /**
     * Tries all that is needed to supervise.
     *
     * @throws Failure if something is missing; says what
     */
    void require(List<String> command) throws InterruptedException {
        CommandLookup lookup = new CommandLookup(environment.getOrDefault("PATH", ""));
        lookup.require(command.get(0));
        for (String tool : List.of("setsid", "bash", "mkfifo")) {
            if (!lookup.finds(tool)) {
                throw new Failure(
                        ExitCode.RUN_FAILED,
                        caller + " needs " + tool
                                + ", which is not on the PATH; install bash, util-linux and coreutils");
            }
        }
        try {
            Instants.now();
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.RUN_FAILED,
                    caller + " needs Linux: /proc/uptime, the time since boot with suspensions, cannot be read",
                    e);
        }
        try {
            SupervisedCommand.rehearse(hidden, REHEARSED_GRACE);
        } catch (IOException e) {
            throw new Failure(ExitCode.RUN_FAILED, caller + " can't supervise a command here: " + e.getMessage(), e);
        }
    }

    /** Reports which variables are withheld, and other limits. */
    void tell(Messages messages) {
        List<String> withheld = environment.keySet().stream()
                .filter(hidden)
                .filter(name -> !name.startsWith("MANDATE_"))
                .sorted()
                .toList();
        if (!withheld.isEmpty()) {
            messages.note("withheld from the command: " + String.join(", ", withheld) + " (--keep-env passes it on)");
        }
        if (ProcessHandle.current().pid() == 1) {
            messages.note(
                    "this is process 1, and Java does not reap orphaned processes; start ./mandate, or use an init"
                            + " (docker run --init)");
        }
    }
}
