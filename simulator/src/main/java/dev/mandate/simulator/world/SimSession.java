package dev.mandate.simulator.world;

import dev.mandate.simulator.check.SessionRequests;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The handle of a session in the model store. The world sends its requests; nobody calls it. */
final class SimSession implements StoreSession {
    final long number;
    private final Duration granted;
    /** Whether the store has said, or been told, that it is over. */
    boolean isKnownOver;
    /** Its renewals. */
    final Tries tries = new Tries();
    /** Its client's requests for it, if it was opened in time. */
    @Nullable
    SessionRequests requests;

    long pendingRequest = -1;

    SimSession(long number, long grantedNanos) {
        this.number = number;
        this.granted = Duration.ofNanos(grantedNanos);
    }

    @Override
    public String id() {
        return "s" + number;
    }

    @Override
    public Duration granted() {
        return granted;
    }

    @Override
    public CompletionStage<SessionRenewal> renew(CallContext call) {
        throw new UnsupportedOperationException("the world sends renewals");
    }

    @Override
    public CompletionStage<Void> end(CallContext call) {
        throw new UnsupportedOperationException("the world sends ends");
    }

    @Override
    public String toString() {
        return id();
    }
}
