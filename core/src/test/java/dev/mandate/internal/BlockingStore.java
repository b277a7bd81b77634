package dev.mandate.internal;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A memory store that, when told to, breaks the contract: its methods block. */
final class BlockingStore implements ElectionStore {
    private final ElectionStore store = open();
    private final Runnable blocker;
    volatile boolean blocks;
    volatile int closed;

    BlockingStore(Runnable blocker) {
        this.blocker = blocker;
    }

    private static ElectionStore open() {
        StoreUrl url = StoreUrl.parse("memory:");
        ElectionStoreProvider provider = StoreProviders.find(url);
        return provider.open(url);
    }

    private ElectionStore store() {
        if (blocks) {
            blocker.run();
        }
        return store;
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return store().read(key, call);
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return store().list(prefix, from, call);
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, StoreSession session, CallContext call) {
        return store().acquire(key, basis, proposal, ((Session) session).session, call);
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return store().update(key, basis, record, intent, call);
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return store().release(key, basis, call);
    }

    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        return store().erase(basis, call);
    }

    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        return store().openSession(lease, call).thenApply(Session::new);
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        return store().watch(prefix, hints);
    }

    @Override
    public void close() {
        closed++;
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
            store();
            return session.renew(call);
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            store();
            return session.end(call);
        }
    }
}
