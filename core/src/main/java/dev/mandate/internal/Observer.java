package dev.mandate.internal;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Follows one election on this client. */
interface Observer {
    /** The state has changed. Never blocks. */
    void changed();

    /** What was known may count again: whoever was told that it is unknown is told anew. Never blocks. */
    void refreshed();

    /** Nothing is told from here on. Returns what to wait for, or null if there is nothing. Any thread; idempotent. */
    @Nullable
    CompletableFuture<Void> end();
}
