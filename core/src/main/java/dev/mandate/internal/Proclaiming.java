package dev.mandate.internal;

import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.RecordKey;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Proclaimed values on their way to the store, and the callers that wait for them. Any thread. */
final class Proclaiming {
    /** The machine tries five times. */
    private static final int TRIES_AWAITED = 6;

    private final ClientContext client;
    private final Map<Long, CompletableFuture<Boolean>> waiting = new ConcurrentHashMap<>();
    private final AtomicLong commands = new AtomicLong();

    Proclaiming(ClientContext client) {
        this.client = client;
    }

    /** See {@link dev.mandate.Leadership#proclaim}; the value has been checked. */
    void proclaim(WonLeadership won, String value) {
        RecordKey key = won.candidacy().key();
        long command = commands.incrementAndGet();
        CompletableFuture<Boolean> written = new CompletableFuture<>();
        waiting.put(command, written);
        ElectionEvent event = new ElectionEvent.Proclaim(command, won.term().number(), value);
        LeaseTiming timing = client.timing();
        long until =
                client.host().nanos() + TRIES_AWAITED * (timing.requestTimeoutNanos() + timing.retryIntervalNanos());
        boolean isInterrupted = false;
        try {
            boolean isTaken = client.loop().command(now -> client.loop().tell(key, event, now));
            if (isTaken && client.host().await(written, until) && written.join()) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            isInterrupted = true;
        } finally {
            waiting.remove(command);
        }
        if (!won.isValid()) {
            throw won.lostException("ended before the store confirmed the new value");
        }
        throw new StoreUnavailableException(client.storeName() + " did not confirm the new value of election '"
                + won.election() + "'" + (isInterrupted ? " before the caller was interrupted" : "")
                + "; it may yet appear");
    }

    /** On the loop. */
    void answered(long command, boolean isWritten) {
        CompletableFuture<Boolean> written = waiting.get(command);
        if (written != null) {
            written.complete(isWritten);
        }
    }

    /** The client is closed: nothing is confirmed any more. */
    void finished() {
        waiting.values().forEach(written -> written.complete(false));
    }
}
