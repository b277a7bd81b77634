package dev.mandate.bench;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Stance;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Wraps a store and counts its requests. */
class CountingStore implements ElectionStore {
    private final ElectionStore store;
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong listings = new AtomicLong();
    private final AtomicLong listed = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong renewals = new AtomicLong();
    private final AtomicLong hints = new AtomicLong();
    private final AtomicLong watches = new AtomicLong();
    private final RenewalAges ages = new RenewalAges();

    private CountingStore(ElectionStore store) {
        this.store = store;
    }

    /** Wraps {@code store}; the wrapper is {@link Ordered} if the store is. */
    static CountingStore of(ElectionStore store) {
        return store instanceof Ordered ordered ? new InOrder(store, ordered) : new CountingStore(store);
    }

    /** Clients check with {@code instanceof} whether the store has an order. */
    private static final class InOrder extends CountingStore implements Ordered {
        private final Ordered order;

        InOrder(ElectionStore store, Ordered order) {
            super(store);
            this.order = order;
        }

        @Override
        public String first() {
            return order.first();
        }

        @Override
        public void stands(RecordKey key, Stance stance) {
            order.stands(key, stance);
        }

        @Override
        public Subscription places(Listener listener) {
            return order.places(listener);
        }
    }

    /** The requests to all {@code stores} together. */
    static Requests sum(List<CountingStore> stores) {
        return stores.stream().map(CountingStore::count).reduce(Requests.NONE, Requests::plus);
    }

    /** All counts so far. */
    Requests count() {
        return new Requests(
                requests.get(), reads.get(), listings.get(), listed.get(), writes.get(), renewals.get(), hints.get());
    }

    /** Watches opened so far. */
    long watches() {
        return watches.get();
    }

    RenewalAges ages() {
        return ages;
    }

    private void wrote() {
        requests.incrementAndGet();
        writes.incrementAndGet();
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        requests.incrementAndGet();
        reads.incrementAndGet();
        return store.read(key, call);
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        requests.incrementAndGet();
        listings.incrementAndGet();
        return store.list(prefix, from, call).thenApply(page -> {
            listed.addAndGet(page.items().size());
            return page;
        });
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        wrote();
        StoreSession own = session instanceof Session counted ? counted.session : session;
        return store.acquire(key, basis, proposal, own, call);
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        if (intent == Intent.RENEW) {
            requests.incrementAndGet();
            renewals.incrementAndGet();
        } else {
            wrote();
        }
        long sent = System.nanoTime();
        return ages.renewed(
                key,
                outcome -> outcome instanceof WriteOutcome.Written written
                        && written.granted().isPresent(),
                store.update(key, basis, record, intent, call),
                sent);
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        wrote();
        return store.release(key, basis, call);
    }

    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        wrote();
        return store.erase(basis, call);
    }

    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        requests.incrementAndGet();
        return store.openSession(lease, call).thenApply(Session::new);
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> told) {
        watches.incrementAndGet();
        return store.watch(prefix, counted(told));
    }

    @Override
    public Subscription watchAll(RecordKey prefix, Consumer<Hint> told) {
        watches.incrementAndGet();
        return store.watchAll(prefix, counted(told));
    }

    private Consumer<Hint> counted(Consumer<Hint> told) {
        return hint -> {
            hints.incrementAndGet();
            told.accept(hint);
        };
    }

    @Override
    public void close() {
        store.close();
    }

    private final class Session implements StoreSession {
        private final StoreSession session;

        Session(StoreSession session) {
            this.session = session;
        }

        @Override
        public String id() {
            return session.id();
        }

        @Override
        public Duration granted() {
            return session.granted();
        }

        @Override
        public CompletionStage<SessionRenewal> renew(CallContext call) {
            requests.incrementAndGet();
            renewals.incrementAndGet();
            long sent = System.nanoTime();
            return ages.renewed(this, renewal -> renewal != SessionRenewal.gone(), session.renew(call), sent);
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            requests.incrementAndGet();
            return session.end(call);
        }
    }
}
