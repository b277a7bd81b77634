package dev.mandate.internal;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Waits, before a client is opened, for the store's first good answer. On the caller's thread. */
final class Startup {
    /** Any election will do; whether anybody uses it does not matter. */
    private static final RecordKey PROBE = RecordKey.election("mandate-startup");

    private final Host host;
    private final LeaseTiming timing;
    private final String storeName;

    Startup(Host host, LeaseTiming timing, String storeName) {
        this.host = host;
        this.timing = timing;
        this.storeName = storeName;
    }

    /**
     * Returns as soon as a read was answered.
     *
     * @param atMostNanos 0 for not at all: the store may come later
     * @throws StoreSetupException if the store says that it will not work until somebody changes something
     * @throws StoreUnavailableException if no read was answered in time, or the caller was interrupted
     */
    void awaitStore(ElectionStore store, long atMostNanos) {
        long until = host.nanos() + atMostNanos;
        Throwable last = null;
        while (host.nanos() < until) {
            long answerUntil = Math.min(until, host.nanos() + timing.answerNanos());
            try {
                CompletableFuture<Observation> answer = read(store, answerUntil);
                if (host.await(answer, answerUntil)) {
                    last = failure(answer);
                    if (last == null) {
                        return;
                    }
                }
                host.await(new CompletableFuture<>(), Math.min(until, host.nanos() + timing.retryNanos()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreUnavailableException("interrupted while waiting for " + storeName, e);
            }
        }
        if (atMostNanos > 0) {
            String tried = storeName + " gave no good answer within " + atMostNanos / 1_000_000 + " ms: ";
            String todo = "; start the store, or set startup=0s to wait for it in the background";
            throw last == null
                    ? new StoreUnavailableException(tried + "no answer at all" + todo)
                    : new StoreUnavailableException(tried + last.getMessage() + todo, last);
        }
    }

    private CompletableFuture<Observation> read(ElectionStore store, long untilNanos) {
        try {
            return store.read(PROBE, CallContext.until(untilNanos, host::nanos)).toCompletableFuture();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static @Nullable Throwable failure(CompletableFuture<Observation> answer) {
        try {
            answer.join();
            return null;
        } catch (RuntimeException e) {
            Throwable cause = StoreCalls.cause(e);
            if (cause instanceof StoreSetupException) {
                throw new StoreSetupException(String.valueOf(cause.getMessage()), cause);
            }
            return cause;
        }
    }
}
