package dev.mandate.engine;

import dev.mandate.spi.StoreSession;
import org.jspecify.annotations.Nullable;

/** What the sessions of a client want done. */
public sealed interface SessionAction extends Action {
    /** A request to the store. */
    sealed interface Request extends SessionAction {
        /** Unique within one client; the answer carries it back. */
        long request();

        /** How long the answer is awaited. */
        long timeoutNanos();
    }

    /** Open a session with this lease. A late answer is still delivered, so that the session can be ended. */
    record Open(long request, long timeoutNanos, long leaseNanos) implements Request {}

    /** Prolong it. */
    record Renew(long request, long timeoutNanos, StoreSession handle) implements Request {}

    /** End it. */
    record End(long request, long timeoutNanos, StoreSession handle) implements Request {}

    /** The store refuses sessions until somebody changes something ({@code message}), or is well again (null). */
    record Fault(@Nullable String message) implements SessionAction {}
}
