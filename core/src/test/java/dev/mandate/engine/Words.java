package dev.mandate.engine;

import dev.mandate.spi.Observation;
import java.util.Locale;
import java.util.Objects;

/** Actions and observations in few words, for transcripts. */
final class Words {
    private Words() {}

    static String of(Action action) {
        if (action instanceof ElectionAction.Read) {
            return "read";
        } else if (action instanceof ElectionAction.Acquire a) {
            return "acquire, if " + of(a.basis()) + (a.session() == null ? "" : ", under " + a.session());
        } else if (action instanceof ElectionAction.Update u) {
            return u.intent().name().toLowerCase(Locale.ROOT) + ", if " + at(u.basis());
        } else if (action instanceof ElectionAction.Release r) {
            return "release, if " + at(r.basis());
        } else if (action instanceof SessionAction.Open) {
            return "open a session";
        } else if (action instanceof SessionAction.Renew r) {
            return "renew session " + r.handle().id();
        } else if (action instanceof SessionAction.End e) {
            return "end session " + e.handle().id();
        } else if (action instanceof SweepAction) {
            return "list all";
        } else if (action instanceof ElectionAction.Begin b) {
            return "BEGIN " + b.term();
        } else if (action instanceof ElectionAction.End e) {
            return "END " + e.term() + ": " + e.reason();
        } else if (action instanceof ElectionAction.Overrun o) {
            return "OVERRUN of the work of " + o.term();
        } else if (action instanceof ElectionAction.Observed o) {
            return "observes: " + of(o.view());
        } else if (action instanceof ElectionAction.Withdrawn) {
            return "WITHDRAWN";
        } else if (action instanceof ElectionAction.Proclaimed p) {
            return p.written() ? "proclaimed" : "not proclaimed";
        } else if (action instanceof ElectionAction.Fault f) {
            return f.message() == null ? "well again" : "FAULT " + f.message();
        } else if (action instanceof SessionAction.Fault f) {
            return f.message() == null ? "sessions are well again" : "FAULT " + f.message();
        }
        throw new AssertionError("no words for " + action);
    }

    static String of(View view) {
        return switch (view.state()) {
            case UNKNOWN -> "unknown";
            case VACANT -> "vacant";
            case LED -> of(Objects.requireNonNull(view.held())) + (view.verified() ? "" : ", not seen alive yet");
        };
    }

    static String of(Observation seen) {
        if (!(seen instanceof Observation.Held held)) {
            return "vacant at " + number(seen);
        }
        return "held at " + number(seen) + " by " + held.shown()
                + (held.isForeign() ? " (foreign)" : ", term " + held.term())
                + (!held.isForeign() && held.record().leave() ? ", asked to leave" : "");
    }

    /** What a reply says, by what the store shows after the request. */
    static String replied(Action request, Answer answer, Observation after) {
        if (request instanceof ElectionAction.Read) {
            return of(after);
        } else if (request instanceof ElectionAction.Request) {
            return answer.says() + of(after);
        }
        return answer.says();
    }

    private static String at(Observation basis) {
        return "at " + number(basis);
    }

    private static String number(Observation seen) {
        return seen.basis().toString().replaceAll("\\D", "");
    }
}
