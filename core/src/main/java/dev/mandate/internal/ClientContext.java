package dev.mandate.internal;

import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.Entropy;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.spi.Durations;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a client share: clocks and threads, the store, the loop, callbacks and the log. It knows neither an
 * election nor a registration.
 */
final class ClientContext {
    private final Host host;
    private final LeaseTiming timing;
    private final ElectionStore store;
    private final StoreTraits traits;
    private final String storeName;
    private final @Nullable Ordered order;
    private final Host.Workers workers;
    private final Callbacks callbacks;
    private final Journal journal;
    private final Counters counters = new Counters();
    private final Id incarnation;
    private final Loop loop;
    private final Lifecycle lifecycle;
    private final CommonFaults faults = new CommonFaults();
    private final Supplier<Now> clock;
    private final LongSupplier nanos;
    private final long openedNanos;

    /**
     * Creates the parts; no thread runs yet.
     *
     * @param executor where users' code runs; null for a daemon thread each
     * @param listener what the loop announces to
     * @param isFollowed whether the client takes part in an election
     */
    ClientContext(
            Host host,
            ClientSettings settings,
            ElectionStore store,
            String storeName,
            @Nullable Executor executor,
            Entropy entropy,
            System.Logger logger,
            LoopListener listener,
            Predicate<RecordKey> isFollowed) {
        this.host = host;
        this.timing = settings.timing();
        this.store = store;
        this.traits = store.traits();
        this.storeName = storeName;
        // A queue takes precedence: a guest's store has no places to give.
        this.order = !settings.queues() && store instanceof Ordered ordered ? ordered : null;
        this.openedNanos = host.nanos();
        this.workers = host.workers("mandate-work-" + settings.candidate());
        this.callbacks = new Callbacks(host, workers, executor, this::wakeLoop);
        this.journal = new Journal(logger, settings.candidate(), workers);
        this.incarnation = entropy.nextId();
        this.lifecycle = new Lifecycle(settings.candidate());
        CandidateMachine machine = new CandidateMachine(settings.machines(traits, order != null, incarnation), entropy);
        this.loop = new Loop(host, store, order, timing, machine, listener, journal, counters, isFollowed);
        this.clock = host::now;
        this.nanos = host::nanos;
    }

    private void wakeLoop() {
        loop().wake();
    }

    Host host() {
        return host;
    }

    LeaseTiming timing() {
        return timing;
    }

    ElectionStore store() {
        return store;
    }

    StoreTraits traits() {
        return traits;
    }

    /** The store's name in messages, without secrets. */
    String storeName() {
        return storeName;
    }

    /** The store, if it says who tries first. */
    @Nullable
    Ordered order() {
        return order;
    }

    /** Threads of our own, for what may block. */
    Host.Workers workers() {
        return workers;
    }

    Callbacks callbacks() {
        return callbacks;
    }

    Journal journal() {
        return journal;
    }

    Counters counters() {
        return counters;
    }

    /** This client's random id, which its records carry. */
    Id incarnation() {
        return incarnation;
    }

    Loop loop() {
        return loop;
    }

    Lifecycle lifecycle() {
        return lifecycle;
    }

    CommonFaults faults() {
        return faults;
    }

    /** The clocks; always the same object, so that {@code isValid()} allocates next to nothing. */
    Supplier<Now> clock() {
        return clock;
    }

    /** The monotonic clock; the same object for all elections. */
    LongSupplier nanos() {
        return nanos;
    }

    long openedNanos() {
        return openedNanos;
    }

    // ---- waiting ----

    /** Waits, but not once interrupted; keeps the interrupt flag. */
    boolean awaitQuietly(CompletableFuture<?> done, long nanos) {
        try {
            return host.await(done, host.nanos() + nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return done.isDone();
        }
    }

    boolean await(CompletableFuture<?> done, Duration atMost) throws InterruptedException {
        return host.await(
                done, host.nanos() + Durations.bounded("atMost", atMost).toNanos());
    }
}
