package dev.mandate.engine;

/**
 * The one request of an election that is in flight.
 *
 * @param kind what was requested
 * @param request its number
 * @param sent when it was handed out; every deadline counts from here
 * @param untilNanos until when its answer is awaited
 */
record Pending(Kind kind, long request, Now sent, long untilNanos) {
    enum Kind {
        READ,
        ACQUIRE,
        RENEW,
        PROCLAIM,
        RELEASE,
        /** The release of a record that an older attempt of ours left behind. */
        REMOVE_STRAY,
        /** The removal of what a release left at the key of a place. */
        ERASE
    }
}
