package dev.mandate.spi;

import java.util.Map;
import java.util.Set;

/**
 * Opens stores for the URL schemes it knows. Found with {@link java.util.ServiceLoader}; has a public constructor without
 * arguments.
 */
public interface ElectionStoreProvider {
    /** The URL schemes, lower case, that this provider opens. */
    Set<String> schemes();

    /**
     * The URL parameters this provider understands beside those every store shares ({@code lease}, {@code drain}, …), each with one line
     * for people. Any other parameter is refused by name before {@link #open} is called.
     */
    Map<String, String> parameters();

    /**
     * Opens the store. May block for a few seconds, bounded.
     *
     * @throws IllegalArgumentException if the URL is malformed for this store; names the part, its value and what is expected, never a
     *     secret
     * @throws dev.mandate.StoreSetupException if it will not work until somebody changes something
     * @throws dev.mandate.StoreUnavailableException if it may work later
     */
    ElectionStore open(StoreUrl url);
}
