package dev.mandate.internal;

import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.Now;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.SessionLease;
import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/** Receives what the {@link Loop} announces, on it. No method blocks; what one throws costs no other announcement. */
interface LoopListener {
    void announced(ElectionAction announcement, @Nullable SessionLease session, Now now);

    /** A candidate that waits in a queue wants this done. */
    void queued(QueueAction action, Now now);

    /** Sessions are refused until somebody changes something; null: they work again. */
    void sessionFault(@Nullable String message);

    /** Listings are refused until somebody changes something; null: they work again. */
    void listingFault(@Nullable String message);

    /** The store has just shown this key as it was when asked, or later. Its machine has yet to take it. */
    void heard(RecordKey key, long askedNanos, Now now);

    /** The machine has taken what was heard of this key, and its announcements have been made. */
    void known(RecordKey key);

    /** The machine of this key has just taken a step. */
    void stepped(RecordKey key, Now now);

    /** A turn of the loop is over. */
    default void turned(Now now) {}

    /** When a turn is needed for what only the listener knows of; {@link Long#MAX_VALUE} if never. */
    long wakeAtNanos();

    /**
     * An event failed half way: the machine's acts may not have been announced, and it may not have been told what
     * it should know.
     *
     * @param isToEnd whether nothing is certain any more, so that every term of this client must end
     * @return false if that failed as well, so that this must be called again
     */
    boolean failed(boolean isToEnd, Now now);

    /** Whether nothing is left to do at a close, except what the machines do. */
    boolean isDone();

    /** The loop has ended; nothing will be announced any more. */
    void finished();
}
