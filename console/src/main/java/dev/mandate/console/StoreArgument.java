package dev.mandate.console;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The store of a command with no other argument: its URL as the argument, or as {@code --store}. */
public final class StoreArgument {
    @Parameters(
            arity = "0..1",
            paramLabel = "URL",
            description = "The store, without a password. Default: see 'mandate --help'.")
    private @Nullable String argument;

    @Option(names = "--store", paramLabel = "URL", description = "The store; the same as URL.")
    private @Nullable String option;

    /**
     * The store to use; what is missing in it may be created.
     *
     * @throws Failure if what was given is unusable
     */
    public StoreAddress resolve(Map<String, String> environment) {
        return StoreAddress.resolve(url(), environment);
    }

    /**
     * The same for a command that only reads: creates nothing.
     *
     * @throws Failure if what was given is unusable
     */
    public StoreAddress existing(Map<String, String> environment) {
        return StoreAddress.existing(url(), environment);
    }

    /**
     * The URL that was given, or null.
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
