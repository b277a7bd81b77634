package dev.mandate.internal;

import dev.mandate.LeaderListener;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A listener and what it was last told: one call at a time, and only ever the newest state. */
final class Listening implements Observing, Observer {
    /** What it listens to. */
    interface Source {
        /** What is known. */
        LeaderView present();

        /** Removes a listener. */
        void remove(Observer observer);
    }

    private final Source source;
    private final LeaderListener listener;
    private final Telling telling;

    /** Used only inside a call. */
    private @Nullable LeaderView told;

    /** Whether it may have been told that the leader is unknown. Written only inside a call. */
    private volatile boolean isUnknown;

    Listening(ClientContext client, Source source, LeaderListener listener) {
        this.source = source;
        this.listener = listener;
        this.telling = new Telling(client, this::tell);
    }

    @Override
    public void changed() {
        telling.changed();
    }

    /** Needed because the clock alone may have made the leader unknown: then the machine announces no change. */
    @Override
    public void refreshed() {
        if (isUnknown) {
            telling.changed();
        }
    }

    private void tell() {
        // First: an answer that comes while this looks at an older one must find it set.
        isUnknown = true;
        LeaderView view = source.present();
        isUnknown = view instanceof LeaderView.Unknown;
        LeaderView before = told;
        if (before == null || !isSame(before, view)) {
            told = view;
            listener.changed(view);
        }
    }

    /** Whether they differ in nothing but their ages. */
    private static boolean isSame(LeaderView one, LeaderView other) {
        return one.getClass() == other.getClass() && one.leader().equals(other.leader());
    }

    @Override
    public LeaderView view() {
        return source.present();
    }

    @Override
    public void close() {
        CompletableFuture<Void> running = end();
        source.remove(this);
        telling.await(running);
    }

    /** See {@link Telling#end}. */
    @Override
    public @Nullable CompletableFuture<Void> end() {
        return telling.end();
    }
}
