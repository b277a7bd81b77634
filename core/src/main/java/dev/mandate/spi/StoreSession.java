package dev.mandate.spi;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * One lease that many records share. Made by {@link ElectionStore#openSession}; random and never re-created, so that an
 * ended session stays ended whatever arrives late.
 *
 * <p>Methods are called from the client's loop, at most one at a time, and must not block.
 */
public interface StoreSession {
    /** The session's identity in the store, for people and logs. */
    String id();

    /** The lease that the store granted at opening. */
    Duration granted();

    /** Prolongs the session. A failed stage means unknown. */
    CompletionStage<SessionRenewal> renew(CallContext call);

    /**
     * Ends the session and, where the store does that, everything held under it. Completing normally means it is over;
     * a failed stage means unknown. Idempotent.
     */
    CompletionStage<Void> end(CallContext call);
}
