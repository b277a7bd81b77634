package dev.mandate.internal;

import org.jspecify.annotations.Nullable;

/** What the store refuses to all elections of a client, until somebody changes something. Any thread. */
final class CommonFaults {
    private volatile @Nullable String session;
    private volatile @Nullable String listing;

    /** Sessions are refused; null: they work again. */
    void session(@Nullable String message) {
        session = message;
    }

    /** Listings are refused; null: they work again. */
    void listing(@Nullable String message) {
        listing = message;
    }

    /** What is refused, sessions first; null if nothing is. */
    @Nullable
    String first() {
        String opening = session;
        return opening == null ? listing : opening;
    }
}
