package dev.mandate.cli;

import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --store}. */
public final class StoreOption {
    @Option(
            names = "--store",
            paramLabel = "URL",
            description = {
                "The store: sqlite:FILE, postgresql://HOST/DATABASE ... Must not contain a password, because"
                        + " everybody on this machine can read arguments. The URL in MANDATE_STORE, or in the file that"
                        + " MANDATE_STORE_FILE names, may contain one.",
                "Default: a file in your data folder, ~/.local/share/mandate/mandate.db"
            })
    private @Nullable String url;

    /**
     * The store to use; other processes can reach it.
     *
     * @throws Failure if what was given is unusable
     */
    public StoreAddress resolve(Map<String, String> environment) {
        return StoreAddress.resolve(url, environment).requireShared();
    }

    /**
     * The same for a command that only reads: creates nothing.
     *
     * @throws Failure if what was given is unusable
     */
    StoreAddress existing(Map<String, String> environment) {
        return StoreAddress.existing(url, environment).requireShared();
    }
}
