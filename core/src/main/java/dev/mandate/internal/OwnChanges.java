package dev.mandate.internal;

import dev.mandate.CandidacyListener;
import dev.mandate.Standing;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells one listener how its candidacy stands: what is true when it is called, not when it was noticed. */
final class OwnChanges {
    private final LastingCandidacy candidacy;
    private final CandidacyListener listener;
    private final Telling telling;

    /** Used only inside a call. */
    private @Nullable Standing told;

    OwnChanges(LastingCandidacy candidacy, CandidacyListener listener) {
        this.candidacy = candidacy;
        this.listener = listener;
        this.telling = new Telling(candidacy.election().client(), this::tell);
    }

    /** Something may have changed. Any thread; never blocks. */
    void changed() {
        telling.changed();
    }

    private void tell() {
        Standing now = candidacy.standing();
        Standing last = told;
        if (last == null || !last.leading() || !now.leading() || Objects.equals(last.token(), now.token())) {
            tell(now);
            return;
        }
        try {
            tell(new Standing(Standing.State.STOPPING, "term " + last.token() + " is over", null));
        } finally {
            tell(candidacy.standing());
        }
    }

    private void tell(Standing now) {
        Standing last = told;
        boolean isNews = last == null || last.state() != now.state() || !Objects.equals(last.token(), now.token());
        // Before its machine has heard of it, a candidacy does not campaign yet; that would read as its end.
        boolean isEarly =
                now.state() == Standing.State.NOT_STANDING && !candidacy.over().isDone();
        if (isNews && !isEarly) {
            told = now;
            listener.changed(now);
        }
    }
}
