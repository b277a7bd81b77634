package dev.mandate.simulator.runtime;

import dev.mandate.internal.memory.ModelStore;
import dev.mandate.simulator.check.ElectionRequests.Kind;
import dev.mandate.simulator.check.Invariant;
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
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store as one process sees it: every call is a message and a point where the caller may be descheduled. */
final class Connection implements ElectionStore {
    private final Process process;
    private final RuntimeWorld world;
    private final ModelStore store;
    private final Underway underway;
    private @Nullable Consumer<Hint> watcher;
    private boolean isClosed;

    Connection(Process process) {
        this.process = process;
        this.world = process.world;
        this.store = world.server.store;
        this.underway = new Underway(process);
    }

    @Override
    public StoreTraits traits() {
        return world.knobs.traits;
    }

    private <T> CompletionStage<T> send(String what, boolean isRenewal, Supplier<T> operation) {
        process.host().seam();
        if (isClosed && process.stalledUntil() < world.now() - 10 * RuntimeKnobs.SECOND) {
            world.judge.violated(Invariant.SILENCE, process + " asks for " + what + " of a closed store");
        }
        if (world.network.throwsAtOnce()) {
            throw new IllegalStateException("no connection");
        }
        world.note(() -> "  " + process + " sends " + what);
        CompletionStage<T> answer = world.network.request(process, what, isRenewal, operation);
        process.host().seam();
        return answer;
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return underway.ask(
                RuntimeWorld.election(key),
                Kind.READ,
                null,
                call,
                () -> send("read", false, () -> store.read(key, world.server.nanos())));
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return underway.list(
                from.equals(Cursor.START),
                call,
                () -> send("list", false, () -> store.list(prefix, from, world.knobs.pageSize, world.server.nanos())));
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        process.seat(key).acquires();
        long number = session == null ? 0 : ((Session) session).number;
        return underway.ask(
                RuntimeWorld.election(key),
                Kind.ACQUIRE,
                session,
                call,
                () -> send(
                        "acquire",
                        false,
                        () -> store.acquire(
                                key, basis, proposal, number, world.server.nanos(), world.server.wallMillis())));
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return underway.ask(
                RuntimeWorld.election(key),
                intent == Intent.RENEW ? Kind.RENEW : Kind.PROCLAIM,
                null,
                call,
                () -> send(
                        intent.toString(),
                        intent == Intent.RENEW,
                        () -> store.update(basis, record, intent, world.server.nanos())));
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        process.seat(key).releases(basis.term());
        return underway.ask(
                RuntimeWorld.election(key),
                Kind.LET_GO,
                basis.isForeign() ? basis : basis.record().attempt(),
                call,
                () -> send("release", false, () -> store.release(basis, world.server.nanos())));
    }

    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        if (basis.key().space().equals(RecordKey.ELECTIONS)) {
            world.judge.violated(Invariant.RELEASE, process + " erases " + basis.key());
        }
        return send("erase", false, () -> store.erase(basis, world.server.nanos()));
    }

    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        return underway.open(
                call,
                () -> send("open", false, () -> {
                    long number = store.openSession(lease.toNanos(), world.server.nanos());
                    return new Session(number, Duration.ofNanos(store.grantedNanos(lease.toNanos())));
                }));
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        process.host().seam();
        if (process.isCutOut || world.network.throwsAtOnce()) {
            throw new IllegalStateException("no connection to watch on");
        }
        watcher = hints;
        underway.gap();
        return () -> {
            if (watcher == hints) {
                watcher = null;
            }
        };
    }

    /** The watch reports something, on a thread of the store. */
    void hint(Hint hint) {
        Consumer<Hint> told = watcher;
        if (told == null) {
            return;
        }
        if (hint instanceof Hint.Closed) {
            watcher = null;
        }
        if (!(hint instanceof Hint.Seen)) {
            underway.gap();
        }
        told.accept(hint);
    }

    boolean isWatching() {
        return watcher != null;
    }

    @Override
    public void close() {
        isClosed = true;
    }

    private final class Session implements StoreSession {
        private final long number;
        private final Duration granted;
        private final Underway.OfSession requests;

        Session(long number, Duration granted) {
            this.number = number;
            this.granted = granted;
            this.requests = underway.new OfSession(this);
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
            return requests.ask(
                    true,
                    call,
                    () -> send("renew " + id(), true, () -> store.renewSession(number, world.server.nanos())));
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            return requests.ask(
                    false,
                    call,
                    () -> send("end " + id(), false, () -> {
                                store.endSession(number, world.server.nanos());
                                return true;
                            })
                            .thenApply(Network.nothing()));
        }

        @Override
        public String toString() {
            return id();
        }
    }
}
