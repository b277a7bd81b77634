package dev.mandate.internal;

import dev.mandate.CandidacyListener;
import dev.mandate.CandidacyStatus;
import dev.mandate.FencingToken;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells one listener how its candidacy stands: what is true when it is called, not when it was noticed. */
final class OwnChanges {
    private final Supplier<CandidacyStatus> status;
    private final CompletableFuture<Void> over;
    private final CandidacyListener listener;
    private final Telling telling;

    /** Used only inside a call. */
    private @Nullable CandidacyStatus told;

    /**
     * Nothing to tell yet.
     *
     * @param over completed when the candidacy is over
     */
    OwnChanges(
            ClientContext client,
            Supplier<CandidacyStatus> status,
            CompletableFuture<Void> over,
            CandidacyListener listener) {
        this.status = status;
        this.over = over;
        this.listener = listener;
        this.telling = new Telling(client, this::tell);
    }

    /** Something may have changed. Any thread; never blocks. */
    void changed() {
        telling.changed();
    }

    private void tell() {
        CandidacyStatus now = status.get();
        CandidacyStatus last = told;
        if (last == null
                || !last.isLeader()
                || !now.isLeader()
                || last.fencingToken().equals(now.fencingToken())) {
            tell(now);
            return;
        }
        try {
            String token = last.fencingToken().map(FencingToken::toString).orElse("");
            tell(new CandidacyStatus(CandidacyStatus.State.STOPPING, "term " + token + " is over", Optional.empty()));
        } finally {
            tell(status.get());
        }
    }

    private void tell(CandidacyStatus now) {
        CandidacyStatus last = told;
        boolean isNews = last == null
                || last.state() != now.state()
                || !last.fencingToken().equals(now.fencingToken());
        // Before its machine has heard of it, a candidacy does not campaign yet; that would read as its end.
        boolean isEarly = now.state() == CandidacyStatus.State.NOT_CAMPAIGNING && !over.isDone();
        if (isNews && !isEarly) {
            told = now;
            listener.changed(now);
        }
    }
}
