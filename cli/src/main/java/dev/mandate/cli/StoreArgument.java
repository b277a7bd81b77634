package dev.mandate.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The store of a command that is about nothing else: its URL as the argument, or as {@code --store}. */
public final class StoreArgument {
    @Parameters(
            arity = "0..1",
            paramLabel = "URL",
            description = "The store, without a password. Default: see 'mandate --help'.")
    private @Nullable String argument;

    @Option(names = "--store", paramLabel = "URL", description = "The same.")
    private @Nullable String option;

    /**
     * The store to use; what is missing in it may be made.
     *
     * @throws Failure if what was given cannot be used
     */
    public StoreAddress resolve(Map<String, String> environment) {
        return StoreAddress.resolve(url(), environment);
    }

    /**
     * The same for a command that looks: nothing that is missing is made.
     *
     * @throws Failure if what was given cannot be used
     */
    public StoreAddress existing(Map<String, String> environment) {
        return StoreAddress.existing(url(), environment);
    }

    /**
     * What was given, if anything was.
     *
     * @throws Failure if it was given twice
     */
    public @Nullable String url() {
        if (argument != null && option != null) {
            throw new Failure(
                    ExitCode.BAD_INPUT, "the store is given twice, as an argument and by --store; give it once");
        }
        return argument != null ? argument : option;
    }
}
