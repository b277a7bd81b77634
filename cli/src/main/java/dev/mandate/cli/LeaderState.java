package dev.mandate.cli;

import dev.mandate.Leader;
import dev.mandate.LeaderView;

/** What is known about a recorded leader. */
enum LeaderState {
    /** Renews its lease. */
    LIVE("live"),
    /** Recorded in the store; not known to be alive. */
    UNVERIFIED("unverified"),
    /** Recorded in the store, but has not renewed for a whole lease. */
    DEAD("dead"),
    /** Led at the first read, and has released since. */
    RELEASED("released");

    private final String words;

    LeaderState(String words) {
        this.words = words;
    }

    /** What a single read shows. */
    static LeaderState of(Leader leader) {
        return leader.verified() ? LIVE : UNVERIFIED;
    }

    /** The state of an election, for programs: {@code led}, {@code vacant} or {@code unknown}. */
    static String word(LeaderView view) {
        return view instanceof LeaderView.Led ? "led" : view instanceof LeaderView.Vacant ? "vacant" : "unknown";
    }

    /** The state for people; programs get the constant's name in lower case. */
    String words() {
        return words;
    }
}
