package dev.mandate.testkit;

import dev.mandate.spi.Basis;
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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Does what a real store does, but for what was planted. */
final class BuggyStore implements ElectionStore {
    private final ElectionStore real;
    private final Queue<Session> sessions = new ConcurrentLinkedQueue<>();
    private final Queue<Observation.Held> acquired = new ConcurrentLinkedQueue<>();

    private Read read = ElectionStore::read;
    private Listing list = ElectionStore::list;
    private Acquire acquire = ElectionStore::acquire;
    private Update update =
            (store, basis, record, intent, call) -> store.update(basis.key(), basis, record, intent, call);
    private Release release = ElectionStore::release;
    private Erase erase = ElectionStore::erase;
    private Watch watch = ElectionStore::watch;
    private Renew renew = StoreSession::renew;
    private End end = StoreSession::end;
    private UnaryOperator<String> sessionId = id -> id;
    private UnaryOperator<Duration> granted = lease -> lease;
    private UnaryOperator<StoreTraits> traits = t -> t;
    private Runnable beforeClose = () -> {};
    private boolean closes = true;
    private boolean pretendsSessions;

    BuggyStore(ElectionStore real) {
        this.real = real;
    }

    /** The kind of store a mistake is planted in, as parameters of a {@code memory:} URL. */
    enum Kind {
        ETCD("expiry=store-removes&scope=session&token=revision&vacant=constant"),
        CONSUL("expiry=store-removes&scope=session&token=revision&expiryFactor=2"),
        NATS("expiry=store-removes&scope=record&token=revision"),
        AZURE("expiry=store-removes&scope=record&token=clock"),
        SQL("expiry=observer-judges&scope=session&token=clock"),
        LEASE_OBJECT("expiry=observer-judges&scope=record&token=revision");

        final String parameters;

        Kind(String parameters) {
            this.parameters = parameters;
        }
    }

    /** A basis that is never the same. */
    record Moving(long at) implements Basis {}

    interface Read {
        CompletionStage<Observation> run(ElectionStore real, RecordKey key, CallContext call);
    }

    interface Listing {
        CompletionStage<Page<Observation>> run(ElectionStore real, RecordKey prefix, Cursor from, CallContext call);
    }

    interface Acquire {
        CompletionStage<WriteOutcome> run(
                ElectionStore real,
                RecordKey key,
                Observation basis,
                LeaderRecord proposal,
                @Nullable StoreSession session,
                CallContext call);
    }

    interface Update {
        CompletionStage<WriteOutcome> run(
                ElectionStore real, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call);
    }

    interface Release {
        CompletionStage<WriteOutcome> run(ElectionStore real, RecordKey key, Observation.Held basis, CallContext call);
    }

    interface Erase {
        CompletionStage<WriteOutcome> run(ElectionStore real, Observation.Vacant basis, CallContext call);
    }

    interface Watch {
        Subscription run(ElectionStore real, RecordKey prefix, Consumer<Hint> hints);
    }

    interface Renew {
        CompletionStage<SessionRenewal> run(StoreSession real, CallContext call);
    }

    interface End {
        CompletionStage<Void> run(StoreSession real, CallContext call);
    }

    void onRead(Read planted) {
        read = planted;
    }

    void onList(Listing planted) {
        list = planted;
    }

    void onAcquire(Acquire planted) {
        acquire = planted;
    }

    void onUpdate(Update planted) {
        update = planted;
    }

    void onRelease(Release planted) {
        release = planted;
    }

    void onErase(Erase planted) {
        erase = planted;
    }

    void onWatch(Watch planted) {
        watch = planted;
    }

    void onRenew(Renew planted) {
        renew = planted;
    }

    void onEnd(End planted) {
        end = planted;
    }

    void onSessionId(UnaryOperator<String> planted) {
        sessionId = planted;
    }

    void onGranted(UnaryOperator<Duration> planted) {
        granted = planted;
    }

    void onTraits(UnaryOperator<StoreTraits> planted) {
        traits = planted;
    }

    void forgetToClose() {
        closes = false;
    }

    void endSessionsOnClose() {
        beforeClose = () -> sessions.forEach(session -> session.end(CallContext.within(Duration.ofSeconds(5)))
                .toCompletableFuture()
                .join());
    }

    void pretendSessions() {
        pretendsSessions = true;
    }

    void writeRecordsWhenTheSessionIsRenewed() {
        renew = (session, call) -> {
            acquired.forEach(held -> real.read(held.key(), call)
                    .thenCompose(now ->
                            real.update(held.key(), (Observation.Held) now, held.record(), Intent.PROCLAIM, call))
                    .toCompletableFuture()
                    .join());
            return session.renew(call);
        };
    }

    @Override
    public StoreTraits traits() {
        return traits.apply(real.traits());
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return read.run(real, key, call);
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return list.run(real, prefix, from, call);
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        StoreSession realSession = session instanceof Session own ? own.real : session;
        return acquire.run(real, key, basis, proposal, realSession, call).thenApply(outcome -> {
            if (outcome instanceof WriteOutcome.Written written && written.now() instanceof Observation.Held held) {
                acquired.add(held);
            }
            return outcome;
        });
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return update.run(real, basis, record, intent, call);
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return release.run(real, key, basis, call);
    }

    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        return erase.run(real, basis, call);
    }

    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        if (real.traits().leaseScope() == LeaseScope.RECORD && pretendsSessions) {
            return CompletableFuture.completedStage(new Session(null));
        }
        return real.openSession(lease, call).thenApply(session -> {
            Session wrapped = new Session(session);
            sessions.add(wrapped);
            return wrapped;
        });
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        return watch.run(real, prefix, hints);
    }

    @Override
    public void close() {
        beforeClose.run();
        beforeClose = () -> {};
        if (closes) {
            real.close();
        }
    }

    private final class Session implements StoreSession {
        private final StoreSession real;

        Session(StoreSession real) {
            this.real = real;
        }

        @Override
        public String id() {
            return sessionId.apply(real.id());
        }

        @Override
        public Duration granted() {
            return granted.apply(real.granted());
        }

        @Override
        public CompletionStage<SessionRenewal> renew(CallContext call) {
            return renew.run(real, call);
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            return end.run(real, call);
        }
    }
}
