package dev.mandate.engine;

import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;

/** What can happen to the sessions of a client. */
public sealed interface SessionEvent {
    /** The opening {@code request} was answered. */
    record Opened(long request, StoreSession handle) implements SessionEvent {}

    /** The renewal {@code request} was answered. */
    record Renewed(long request, SessionRenewal renewal) implements SessionEvent {}

    /** The end {@code request} was confirmed. */
    record Ended(long request) implements SessionEvent {}

    /** The request failed: what it did is unknown. */
    record Unanswered(long request) implements SessionEvent {}

    /** The request failed, and will until somebody changes something; what it did is unknown. */
    record Faulted(long request, String message) implements SessionEvent {}

    /** Code outside the machines saw the stop of the session pass and latched its cell. */
    record Latched(SessionLease session) implements SessionEvent {}
}
