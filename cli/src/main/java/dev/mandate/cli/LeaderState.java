package dev.mandate.cli;

import dev.mandate.Leader;
import dev.mandate.LeaderView;

/** What is known of somebody who is recorded as leader. */
enum LeaderState {
    /** Renews its lease. */
    LIVE("live"),
    /** Stands in the store; whether it lives is not known. */
    UNVERIFIED("unverified"),
    /** Stands in the store, and did not renew for a whole lease. */
    DEAD("dead"),
    /** Led when the look began, and has released since. */
    RELEASED("released");

    private final String words;

    LeaderState(String words) {
        this.words = words;
    }

    /** What one look tells. */
    static LeaderState of(Leader leader) {
        return leader.verified() ? LIVE : UNVERIFIED;
    }

    /** Whether an election is led, for programs. */
    static String word(LeaderView view) {
        return view instanceof LeaderView.Led ? "led" : view instanceof LeaderView.Vacant ? "vacant" : "unknown";
    }

    /** For people; for programs it is the lower-case name. */
    String words() {
        return words;
    }
}
