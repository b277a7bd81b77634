package dev.mandate.internal;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Follows one election on this client. */
interface Observer {
    /** The state has changed. Never blocks. */
    void changed();

    /** The store has answered, or the own term has begun: what was too old may count again. Never blocks. */
    void refreshed();

    /** Nothing is told from here on. Returns what to wait for, or null if there is nothing. Any thread; idempotent. */
    @Nullable
    CompletableFuture<Void> end();
}
