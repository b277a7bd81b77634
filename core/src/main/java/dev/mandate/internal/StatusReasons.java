package dev.mandate.internal;

import dev.mandate.CandidacyStatus;
import dev.mandate.Leader;
import dev.mandate.engine.View;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether a client leads, and why not, for people. */
final class StatusReasons {
    private StatusReasons() {}

    static CandidacyStatus leading(WonLeadership won) {
        return new CandidacyStatus(
                CandidacyStatus.State.LEADING,
                "leads with term " + won.term().number() + ", "
                        + won.remaining().toMillis() + " ms left unless renewed",
                Optional.of(won.fencingToken()));
    }

    /** {@code state} is the machine's, {@code won} the last term, {@code trouble} the store's. */
    static CandidacyStatus notLeading(
            CandidacyStatus.State state, View view, @Nullable WonLeadership won, @Nullable String trouble) {
        CandidacyStatus.State now = state == CandidacyStatus.State.LEADING ? CandidacyStatus.State.STOPPING : state;
        boolean isTrying = now == CandidacyStatus.State.FOLLOWING || now == CandidacyStatus.State.UNSURE;
        if (isTrying && trouble != null) {
            now = CandidacyStatus.State.FAULTY;
        }
        return new CandidacyStatus(now, of(now, view, won, trouble), Optional.empty());
    }

    private static String of(
            CandidacyStatus.State now, View view, @Nullable WonLeadership won, @Nullable String trouble) {
        String last = won == null || won.reason() == null ? "" : "; the last term ended: " + won.reason();
        return switch (now) {
            case LEADING, STOPPING -> "the term is over; its work is being stopped or its record released" + last;
            case SETTLING -> "holds the record, but waits until a former leader has surely stopped";
            case FOLLOWING -> following(view) + last;
            case UNSURE -> "tried to acquire, and has no answer yet";
            case COOLING_DOWN -> "pauses before campaigning again" + last;
            case WAITING_FOR_OVERRUN -> "work of an earlier term still runs" + last;
            case FAULTY -> "the store refuses, and will until this is fixed: " + trouble;
            case NOT_CAMPAIGNING -> "does not campaign" + last;
        };
    }

    private static String following(View view) {
        var held = view.held();
        return held == null
                ? view.state() == View.State.VACANT
                        ? "the election is vacant"
                        : "the store has not shown the election yet"
                : "follows " + Leader.printable(held.shown());
    }
}
