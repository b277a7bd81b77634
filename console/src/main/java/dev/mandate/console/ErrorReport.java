package dev.mandate.console;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IExitCodeExceptionMapper;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports bad input and failures of commands on a console: one sentence each, without secrets. */
final class ErrorReport implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private final Console console;

    ErrorReport(Console console) {
        this.console = console;
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine called = e.getCommandLine();
        List<String> unmatched = unmatched(e);
        String sentence =
                unmatched.isEmpty() ? sentence(e) : sentence(new UnmatchedArgumentException(called, unmatched));
        console.say(StoreAddress.masked(sentence, args) + " (see "
                + called.getCommandSpec().qualifiedName() + " --help)");
        return called.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** Arguments that the command does not know. The parser reports missing ones first, even if one was mistyped. */
    private static List<String> unmatched(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            return unmatched.getUnmatched();
        }
        ParseResult parsed = e.getCommandLine().getParseResult();
        return e instanceof MissingParameterException && parsed != null ? parsed.unmatched() : List.of();
    }

    private static String sentence(UnmatchedArgumentException e) {
        if (!e.isUnknownOption()) {
            return "one argument too many: '" + e.getUnmatched().get(0) + "'";
        }
        List<String> near = e.getSuggestions();
        return sentence((ParameterException) e) + (near.isEmpty() ? "" : "; did you mean " + near.get(0) + "?");
    }

    private static String sentence(ParameterException e) {
        String said = String.join("; ", String.valueOf(e.getMessage()).lines().toList())
                .replace("is not an int", "is not a whole number");
        return said.isEmpty() ? said : Character.toLowerCase(said.charAt(0)) + said.substring(1);
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine called, ParseResult parsed) {
        Failure failure = Failure.of(e);
        String[] args = parsed.originalArgs().toArray(String[]::new);
        console.sayWithLines(StoreAddress.masked(String.valueOf(failure.getMessage()), args));
        if (wantsTraces(parsed)) {
            e.printStackTrace(console.err());
        }
        IExitCodeExceptionMapper mapper = called.getExitCodeExceptionMapper();
        return mapper == null ? failure.exitCode() : mapper.getExitCode(e);
    }

    /** Whether our own {@code --debug} was given: a command that {@code run} starts may have one, too. */
    static boolean wantsTraces(ParseResult parsed) {
        return parsed.hasMatchedOption("--debug") || parsed.hasSubcommand() && wantsTraces(parsed.subcommand());
    }
}
