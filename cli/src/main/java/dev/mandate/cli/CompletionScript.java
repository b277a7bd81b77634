package dev.mandate.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The script that completes {@code mandate} in bash, and in zsh by its emulation of bash's completion. picocli writes
 * what is known beforehand; a part of our own adds the names of elections.
 */
final class CompletionScript {
    private static final String OWN_PART = "/dev/mandate/cli/completion.bash";

    private CompletionScript() {}

    /** The script for {@code program} and the commands below it. */
    static String of(CommandLine program) {
        return "# Completes mandate and its commands in bash and zsh: mandate completion --help\n\n"
                + withoutHeader(AutoComplete.bash("mandate", program))
                + ownPart().replace("@ELECTIONS@", elections(program.getSubcommands()));
    }

    /** Without picocli's advice, and without its last statement. */
    private static String withoutHeader(String generated) {
        return generated
                .lines()
                .dropWhile(line -> line.startsWith("#") || line.isBlank())
                // How bash is told: by the function of our own part instead.
                .takeWhile(line -> !line.startsWith("# Define a completion specification"))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String ownPart() {
        try (InputStream in = Objects.requireNonNull(CompletionScript.class.getResourceAsStream(OWN_PART))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the jar has no readable " + OWN_PART, e);
        }
    }

    /** A {@code case} for each command that takes the name of an election. */
    private static String elections(Map<String, CommandLine> commands) {
        return commands.entrySet().stream()
                .map(entry -> branch(entry.getKey(), entry.getValue().getCommandSpec()))
                .filter(branch -> !branch.isEmpty())
                .collect(Collectors.joining("\n"));
    }

    private static String branch(String name, CommandSpec command) {
        List<OptionSpec> valued = command.options().stream()
                .filter(option -> option.arity().max() > 0)
                .toList();
        String named = names(valued.stream().filter(CompletionScript::isElection));
        boolean operands = command.positionalParameters().stream().anyMatch(CompletionScript::isElection);
        return named.isEmpty() && !operands
                ? ""
                : "    %s) named='%s' valued='%s' operands=%s ;;"
                        .formatted(name, named, names(valued.stream()), operands ? "yes" : "");
    }

    private static String names(Stream<OptionSpec> options) {
        return options.flatMap(option -> List.of(option.names()).stream()).collect(Collectors.joining(" "));
    }

    private static boolean isElection(ArgSpec argument) {
        return argument.completionCandidates() instanceof Elections;
    }
}
