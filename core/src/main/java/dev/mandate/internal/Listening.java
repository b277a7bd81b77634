package dev.mandate.internal;

import dev.mandate.LeaderListener;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.engine.View;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A listener and what it has been told: one call at a time, and only ever the newest state. */
final class Listening implements Observing {
    private final ClientElection election;
    private final LeaderListener listener;
    private final Telling telling;

    // Only inside a call.
    private @Nullable View told;
    private boolean toldUnknown;

    Listening(ClientElection election, LeaderListener listener) {
        this.election = election;
        this.listener = listener;
        this.telling = new Telling(election.client(), this::tell);
    }

    /** The state has changed. Never blocks. */
    void changed() {
        telling.changed();
    }

    private void tell() {
        View now = election.view();
        LeaderView view = election.present();
        boolean isUnknown = view instanceof LeaderView.Unknown;
        boolean isOld = isUnknown ? toldUnknown : !toldUnknown && now.equals(told);
        if (isOld) {
            return;
        }
        told = now;
        toldUnknown = isUnknown;
        listener.changed(view);
    }

    @Override
    public LeaderView view() {
        return election.present();
    }

    @Override
    public void close() {
        CompletableFuture<Void> running = end();
        election.remove(this);
        telling.await(running);
    }

    /** See {@link Telling#end}. */
    @Nullable
    CompletableFuture<Void> end() {
        return telling.end();
    }
}
