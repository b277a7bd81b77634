package dev.mandate.spi;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Opens stores for its URL schemes. Found by {@link java.util.ServiceLoader}; has a public constructor
 * without arguments.
 */
public interface ElectionStoreProvider {
    /** The URL schemes, lower case, that this provider opens. */
    Set<String> schemes();

    /**
     * The URL parameters of this provider, without those of every store ({@code lease}, {@code drainTimeout}, …), each
     * with one line for people. Any other parameter is refused by name before {@link #open} is called.
     */
    Map<String, String> parameters();

    /** The default lease: 10 s, or the shortest that the store grants if that is longer. */
    default Duration defaultLease() {
        return Duration.ofSeconds(10);
    }

    /**
     * The environment variables that may hold a secret and that the store or its libraries read although the URL does
     * not name them. {@code mandate run} withholds those of all providers from the command that it runs.
     */
    Set<String> secretVariables();

    /**
     * Whether the stores of {@code scheme} have their own order ({@link Ordered}). Then the client's {@code order} is
     * refused before {@link #open} is called.
     */
    default boolean hasOwnOrder(String scheme) {
        return false;
    }

    /**
     * Opens the store. May block for a few seconds, bounded. Creates nothing that is missing unless {@link
     * StoreUrl#mayCreate}.
     *
     * @throws IllegalArgumentException if the URL is malformed for this store; names the part, its value and what is
     *     expected, never a secret
     * @throws dev.mandate.StoreSetupException if the store will not work until somebody changes something
     * @throws dev.mandate.StoreUnavailableException if it may work later
     */
    ElectionStore open(StoreUrl url);
}
