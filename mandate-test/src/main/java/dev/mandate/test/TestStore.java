package dev.mandate.test;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A client's connection to a {@link TestServer}. It wins an election only with a token that the test granted. */
final class TestStore implements ElectionStore {
    private static final int PAGE_ITEMS = 200;

    private final TestServer server;
    private final Subscription changes;
    private final List<Watching> watching = new CopyOnWriteArrayList<>();
    private final Map<RecordKey, Long> granted = new ConcurrentHashMap<>();

    /** Nothing arrives, in either direction. */
    private volatile boolean isCut;

    /** Reads are not answered; everything else is. */
    private volatile boolean isBlind;

    private volatile boolean isDeaf;

    private record Watching(RecordKey prefix, Consumer<Hint> hints) {}

    TestStore(TestServer server) {
        this.server = server;
        this.changes = server.watch(this::deliver);
    }

    // ---- what a test does ----

    /** The next acquire of that key succeeds, if it is vacant, with that token. */
    void grant(RecordKey key, long token) {
        granted.put(key, token);
    }

    /** Whether that token was not used yet. */
    boolean isGranted(RecordKey key) {
        return granted.containsKey(key);
    }

    void cut() {
        isCut = true;
    }

    boolean isCut() {
        return isCut;
    }

    /** From now on nothing shows a change but answers to renewals of the session. */
    void blindfold() {
        isBlind = true;
        isDeaf = true;
    }

    void deafen() {
        isDeaf = true;
    }

    /** Everything works again; watchers look for what they missed. */
    void heal() {
        isCut = false;
        isBlind = false;
        isDeaf = false;
        deliver(Hint.Gap.INSTANCE);
    }

    private void deliver(Hint hint) {
        if (isCut || isDeaf) {
            return;
        }
        for (Watching each : watching) {
            if (!(hint instanceof Hint.Seen seen) || seen.observation().key().isBelow(each.prefix)) {
                each.hints.accept(hint);
            }
        }
    }

    // ---- what a client asks for ----

    @Override
    public StoreTraits traits() {
        return TestServer.TRAITS;
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return isBlind ? new CompletableFuture<>() : send(at -> at.model().read(key, at.nanos()));
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return isBlind ? new CompletableFuture<>() : send(at -> at.model().list(prefix, from, PAGE_ITEMS, at.nanos()));
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        if (!(session instanceof Session own)) {
            throw new IllegalArgumentException("an acquire needs a session that this store opened, not " + session);
        }
        return send(at -> {
            boolean isElection = key.space().equals(RecordKey.ELECTIONS);
            Long token = isElection ? granted.get(key) : Long.valueOf(at.wallMillis());
            if (token == null) {
                return WriteOutcome.refused(at.model().read(key, at.nanos()));
            }
            WriteOutcome outcome = at.model().acquire(key, basis, proposal, own.number, at.nanos(), token);
            if (isElection && outcome instanceof WriteOutcome.Written) {
                granted.remove(key);
            }
            return outcome;
        });
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return send(at -> at.model().update(basis, record, intent, at.nanos()));
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return send(at -> at.model().release(basis, at.nanos()));
    }

    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        return send(at -> at.model().erase(basis, at.nanos()));
    }

    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        return send(at -> new Session(
                at.model().openSession(lease.toNanos(), at.nanos()),
                Duration.ofNanos(at.model().grantedNanos(lease.toNanos()))));
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        if (isCut) {
            throw new StoreUnavailableException("the test has cut off this store");
        }
        Watching added = new Watching(prefix, hints);
        watching.add(added);
        return () -> watching.remove(added);
    }

    @Override
    public void close() {
        watching.clear();
        changes.close();
    }

    private <T> CompletionStage<T> send(Function<TestServer.At, T> operation) {
        return isCut ? new CompletableFuture<>() : CompletableFuture.completedFuture(server.run(operation));
    }

    private final class Session implements StoreSession {
        private final long number;
        private final Duration granted;

        Session(long number, Duration granted) {
            this.number = number;
            this.granted = granted;
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
            return send(at -> at.model().renewSession(number, at.nanos()));
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            return send(at -> {
                        at.model().endSession(number, at.nanos());
                        return true;
                    })
                    .thenAccept(ended -> {});
        }
    }
}
