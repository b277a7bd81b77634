package dev.mandate.internal.memory;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection to data in this JVM. Answers come on the data's own daemon thread, or at once on the caller's. */
public final class MemoryStore implements ElectionStore {
    private static final int PAGE_ITEMS = 200;

    private final MemoryServer server;
    private final MemorySettings settings;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    MemoryStore(MemoryServer server, MemorySettings settings) {
        this.server = server;
        this.settings = settings;
    }

    @Override
    public StoreTraits traits() {
        return settings.traits();
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return send(call, (store, now, wall) -> store.read(key, now), null);
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return send(call, (store, now, wall) -> store.list(prefix, from, PAGE_ITEMS, now), null);
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        long number = number(session);
        return send(
                call,
                (store, now, wall) -> store.acquire(key, basis, proposal, number, now, wall),
                WriteOutcome.refused());
    }

    private long number(@Nullable StoreSession session) {
        if (traits().leaseScope() == LeaseScope.RECORD) {
            return 0;
        }
        if (session instanceof MemorySession own && own.isOf(server)) {
            return own.number;
        }
        throw new IllegalArgumentException("an acquire needs a session that this store opened, not " + session);
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return send(call, (store, now, wall) -> store.update(basis, record, intent, now), WriteOutcome.refused());
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return send(call, (store, now, wall) -> store.release(basis, now), WriteOutcome.refused());
    }

    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        return send(call, (store, now, wall) -> store.erase(basis, now), WriteOutcome.refused());
    }

    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        if (traits().leaseScope() == LeaseScope.RECORD) {
            return ElectionStore.super.openSession(lease, call);
        }
        return send(
                call,
                (store, now, wall) -> new MemorySession(
                        store.openSession(lease.toNanos(), now), Duration.ofNanos(store.grantedNanos(lease.toNanos()))),
                null);
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        if (!traits().watches() || isClosed.get()) {
            return Subscription.NONE;
        }
        MemoryNetwork network = server.network();
        MemorySubscription subscription = new MemorySubscription(prefix, settings.label(), hints, network::remove);
        network.add(subscription);
        subscriptions.add(subscription);
        return () -> {
            subscription.close();
            subscriptions.remove(subscription);
        };
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            subscriptions.forEach(Subscription::close);
            server.leave();
        }
    }

    private <T> CompletableFuture<T> send(CallContext call, MemoryNetwork.Operation<T> operation, @Nullable T refusal) {
        return isClosed.get()
                ? CompletableFuture.failedFuture(new StoreUnavailableException(this + " is closed"))
                : server.network().send(settings, call, operation, refusal);
    }

    @Override
    public String toString() {
        return server.toString();
    }

    private final class MemorySession implements StoreSession {
        private final long number;
        private final Duration granted;

        MemorySession(long number, Duration granted) {
            this.number = number;
            this.granted = granted;
        }

        boolean isOf(MemoryServer other) {
            return server.equals(other);
        }

        @Override
        public String id() {
            return Long.toString(number);
        }

        @Override
        public Duration granted() {
            return granted;
        }

        @Override
        public CompletionStage<SessionRenewal> renew(CallContext call) {
            return send(call, (store, now, wall) -> store.renewSession(number, now), null);
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            return send(
                            call,
                            (store, now, wall) -> {
                                store.endSession(number, now);
                                return true;
                            },
                            null)
                    .thenAccept(ended -> {});
        }
    }
}
