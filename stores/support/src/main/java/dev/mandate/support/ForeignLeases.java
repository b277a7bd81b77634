package dev.mandate.support;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lengths of other programs' leases, each requested once: a winner after another program settles for that long.
 * Remembers a bounded number. Thread-safe; nothing blocks.
 */
public final class ForeignLeases {
    private static final int LEASES_MAX = 1_000;

    private final Function<Observation.Held, String> id;
    private final BiFunction<String, CallContext, CompletionStage<Optional<Duration>>> request;

    /** Guarded by itself. */
    private final Map<String, Optional<Duration>> known = new BoundedMap<>(LEASES_MAX);

    /**
     * None is known yet.
     *
     * @param id what identifies the lease of a foreign holder; empty if nothing does
     * @param request asks the server for a lease's length; the stage holds empty if that will never be known, and fails
     *     if it may be known later
     */
    public ForeignLeases(
            Function<Observation.Held, String> id,
            BiFunction<String, CallContext, CompletionStage<Optional<Duration>>> request) {
        this.id = id;
        this.request = request;
    }

    /** The length if it is already known; sends nothing. */
    public Optional<Duration> known(String lease) {
        Optional<Duration> found = found(lease);
        return found == null ? Optional.empty() : found;
    }

    private @Nullable Optional<Duration> found(String lease) {
        synchronized (known) {
            return known.get(lease);
        }
    }

    /** The length, requested unless it is known; empty if it is not to be had. Never fails: it is not required. */
    public CompletionStage<Optional<Duration>> of(String lease, CallContext call) {
        Optional<Duration> found = found(lease);
        if (found != null || lease.isEmpty()) {
            return CompletableFuture.completedStage(found == null ? Optional.empty() : found);
        }
        return request.apply(lease, call).handle((length, failure) -> {
            if (failure != null) {
                return Optional.empty();
            }
            synchronized (known) {
                known.put(lease, length);
            }
            return length;
        });
    }

    /** The observation, with the length of its lease if it is a foreign holder's and can be had. Never fails. */
    public CompletionStage<Observation> completed(Observation seen, CallContext call) {
        if (!(seen instanceof Observation.Held held)
                || !held.isForeign()
                || held.lease().isPresent()) {
            return CompletableFuture.completedStage(seen);
        }
        return of(id.apply(held), call)
                .thenApply(length -> Observation.foreign(
                        held.key(), held.basis(), held.liveness(), held.term(), held.shown(), length.orElse(null)));
    }
}
