package dev.mandate.internal;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the store's first good answer before a client is opened. On the caller's thread. Both methods together take
 * no longer than the startup time; if that is zero, the store may come later.
 */
final class Startup {
    private final Host host;
    private final LeaseTiming timing;
    private final String storeName;
    private final long begunNanos;
    private long atMostNanos;
    private long untilNanos;

    Startup(Host host, ClientSettings settings, String storeName, long begunNanos) {
        this.host = host;
        this.timing = settings.timing();
        this.storeName = storeName;
        this.begunNanos = begunNanos;
        this.atMostNanos = settings.connectTimeout().toNanos();
        this.untilNanos = begunNanos + atMostNanos;
    }

    /**
     * Opens the store; tries again while the store says that it may work later.
     *
     * @throws StoreUnavailableException if it could not be opened in time, or, without a startup time, at once
     */
    ElectionStore open(Supplier<ElectionStore> opener) {
        while (true) {
            try {
                return opener.get();
            } catch (StoreUnavailableException e) {
                if (host.nanos() + timing.retryIntervalNanos() >= untilNanos) {
                    throw e;
                }
            }
            pause();
        }
    }

    /**
     * Returns once a read was answered; without a startup time, at once. Adds the store's warm-up. Call once.
     *
     * @throws StoreSetupException if the store says that it will not work until somebody changes something
     * @throws StoreUnavailableException if no read was answered in time, or the caller was interrupted
     */
    void awaitAnswer(ElectionStore store) {
        if (atMostNanos > 0) {
            atMostNanos += store.traits().warmUp().toNanos();
            untilNanos = begunNanos + atMostNanos;
        }
        Throwable last = null;
        while (host.nanos() < untilNanos) {
            long answerUntil = Math.min(untilNanos, host.nanos() + timing.requestTimeoutNanos());
            CompletableFuture<Observation> answer = read(store, answerUntil);
            if (isDone(answer, answerUntil)) {
                last = failure(answer);
                if (last == null) {
                    return;
                }
            }
            pause();
        }
        if (atMostNanos > 0) {
            String tried = storeName + " gave no good answer within " + atMostNanos / 1_000_000 + " ms: ";
            String todo = "; start the store, or set connectTimeout=0s to wait for it in the background";
            throw last == null
                    ? new StoreUnavailableException(tried + "no answer at all" + todo)
                    : new StoreUnavailableException(tried + last.getMessage() + todo, last);
        }
    }

    private void pause() {
        isDone(new CompletableFuture<>(), Math.min(untilNanos, host.nanos() + timing.retryIntervalNanos()));
    }

    private boolean isDone(CompletableFuture<?> stage, long until) {
        try {
            return host.await(stage, until);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("interrupted while waiting for " + storeName, e);
        }
    }

    private CompletableFuture<Observation> read(ElectionStore store, long until) {
        try {
            return store.read(RecordKey.PROBE, CallContext.until(until, host::nanos))
                    .toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static @Nullable Throwable failure(CompletableFuture<Observation> answer) {
        try {
            answer.join();
            return null;
        } catch (RuntimeException e) {
            Throwable cause = Causes.unwrapped(e);
            if (cause instanceof StoreSetupException) {
                throw new StoreSetupException(String.valueOf(cause.getMessage()), cause);
            }
            return cause;
        }
    }
}
