package dev.mandate.engine;

/** Why a machine is on a {@link Roll}. A machine keeps a {@linkplain ElectionMachine#place place} for each. */
enum Concern {
    /** It needs the news of sessions. */
    SESSIONS,
    /** The common listing has to show it. */
    LISTING,
    /** It holds something, and so depends on clocks. */
    HOLDING,
    /** It reads by itself when the watch over elections may have missed something. */
    WATCH;

    /** The place of a machine that is not on the roll. */
    static final int NOWHERE = -1;
}
