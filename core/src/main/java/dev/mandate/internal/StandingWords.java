package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.Standing;
import dev.mandate.engine.View;
import org.jspecify.annotations.Nullable;

/** Explains to people why a client that does not lead does not lead. */
final class StandingWords {
    private StandingWords() {}

    /** {@code won} is the last term, {@code trouble} the store's. */
    static String of(Standing.State now, View view, @Nullable WonLeadership won, @Nullable String trouble) {
        String last = won == null || won.reason() == null ? "" : "; the last term ended: " + won.reason();
        return switch (now) {
            case LEADING, STOPPING -> "the term is over, its work is being stopped or its record released" + last;
            case SETTLING -> "holds the record, and waits until a former leader has surely stood down";
            case FOLLOWING -> following(view) + last;
            case UNSURE -> "asked for the lead and had no answer";
            case COOLING_DOWN -> "pauses before standing again" + last;
            case WAITING_FOR_OVERRUN -> "work of an earlier term still runs" + last;
            case FAULTY -> "the store refuses until somebody changes something: " + trouble;
            case NOT_STANDING -> "does not stand" + last;
        };
    }

    private static String following(View view) {
        var held = view.held();
        return held == null
                ? view.state() == View.State.VACANT ? "the election is vacant" : "nothing is known of the election yet"
                : "follows " + Leader.printable(held.shown());
    }
}
