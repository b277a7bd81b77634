package dev.mandate.internal;

import dev.mandate.StoreSetupException;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.internal.memory.ModelStore;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A client's connection to a {@link ModelStore} in virtual time. What goes wrong on it is set by the test, and meets
 * what is sent from then on.
 */
final class VirtualStore implements ElectionStore {
    private final VirtualHost host;
    private final ModelStore model;
    private final List<Consumer<Hint>> watchers;
    private final List<Consumer<Hint>> mine = new ArrayList<>();

    /** From request to answer; half of it each way. */
    Duration latency = Duration.ofMillis(2);
    /** Requests vanish. */
    boolean hangs;
    /** Requests take effect and are never answered. */
    boolean losesAnswers;
    /** Requests fail at once. */
    RuntimeException failure;
    /** Watches cannot be opened. */
    boolean hasNoWatch;
    /** Methods throw instead of returning a stage. */
    boolean throwsAtOnce;
    /** What this connection has no right to write. */
    Predicate<RecordKey> denied = key -> false;
    /** What this connection has no right to list. */
    Predicate<RecordKey> undisclosed = key -> false;
    /** Called with every proposal. */
    Consumer<LeaderRecord> onProposal = proposal -> {};
    /** Called inside every method. */
    Runnable onCall = () -> {};
    /** Called when it is closed. */
    Runnable onClose = () -> {};
    /** Called when a watch is closed. */
    Runnable onUnwatch = () -> {};
    /** Hints are not delivered. */
    boolean isDeaf;
    /** A watch tells of keys alone that this connection has used, unless all are asked for. */
    boolean isNarrow;

    private final Set<RecordKey> used = new HashSet<>();

    /** What renewals are granted; null for what is due. The model knows nothing of it. */
    Duration grants;

    int pageItems = 200;
    /** A listing never gets beyond its first page. */
    boolean circles;

    private String last = "";
    private final List<Long> sessions = new ArrayList<>();

    final Map<String, Integer> requests = new HashMap<>();
    int closed;

    private VirtualStore(VirtualHost host, ModelStore model, List<Consumer<Hint>> watchers) {
        this.host = host;
        this.model = model;
        this.watchers = watchers;
    }

    static VirtualStore of(VirtualHost host, StoreTraits traits) {
        return new VirtualStore(host, new ModelStore(traits, ModelOptions.DEFAULT), new ArrayList<>());
    }

    static StoreTraits traits(Expiry expiry, LeaseScope scope) {
        return StoreTraits.of("virtual", expiry, scope).withWatch(true);
    }

    /** Another client's connection to the same data. */
    VirtualStore another() {
        return new VirtualStore(host, model, watchers);
    }

    /** What stands there now, asked of nobody. */
    Observation shown(String election) {
        return model.read(RecordKey.election(election), host.nanos());
    }

    /** What stands there now, asked of nobody. */
    Observation shown(RecordKey key) {
        return model.read(key, host.nanos());
    }

    /** Whatever the store knows of below there, vacant or held. */
    List<RecordKey> left(RecordKey prefix) {
        return model.list(prefix, Cursor.START, 10_000, host.nanos()).items().stream()
                .map(Observation::key)
                .toList();
    }

    /** How many watches are open. */
    int watchers() {
        return watchers.size();
    }

    boolean delete(RecordKey key) {
        boolean deleted = model.delete(key, host.nanos());
        tell(key);
        return deleted;
    }

    boolean delete(String election) {
        boolean deleted = model.delete(RecordKey.election(election), host.nanos());
        tell(RecordKey.election(election));
        return deleted;
    }

    void overwriteForeign(String election, String text) {
        overwriteForeign(election, text, null);
    }

    void overwriteForeign(String election, String text, Duration lease) {
        model.overwriteForeign(RecordKey.election(election), text, lease, host.nanos());
        tell(RecordKey.election(election));
    }

    /** Every key that is vacant now is as if it had never been used. */
    void forgetVacant() {
        model.forgetVacant(host.nanos());
    }

    boolean endLease(String election) {
        return model.endLease(RecordKey.election(election), host.nanos());
    }

    void hint(Hint hint) {
        mine.forEach(w -> w.accept(hint));
    }

    /** The session that was opened first on this connection is renewed, now. */
    SessionRenewal renewFirstSession() {
        return model.renewSession(sessions.get(0), host.nanos());
    }

    /** Whether the call being made is the renewal of a session. */
    boolean lastIsRenewal() {
        return last.equals("renew");
    }

    /** What the last call was for. */
    String last() {
        return last;
    }

    int watches() {
        return requests.getOrDefault("watch", 0);
    }

    @Override
    public StoreTraits traits() {
        return model.traits();
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        use(key);
        return send("read", () -> model.read(key, host.nanos()));
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        if (undisclosed.test(prefix)) {
            return CompletableFuture.failedFuture(new StoreSetupException("not to be listed"));
        }
        return send("list", () -> {
            Page<Observation> page = model.list(prefix, from, pageItems, host.nanos());
            return circles ? new Page<>(page.items(), from) : page;
        });
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, StoreSession session, CallContext call) {
        onProposal.accept(proposal);
        return write("acquire", key, () -> {
            long number = session == null ? 0 : ((Session) session).number;
            WriteOutcome outcome = model.acquire(
                    key, basis, proposal, number, host.nanos(), host.now().wallMillis());
            tell(key);
            return outcome;
        });
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return write(intent.toString(), key, () -> {
            WriteOutcome outcome = model.update(basis, record, intent, host.nanos());
            tell(key);
            return grants != null && intent == Intent.RENEW && outcome instanceof WriteOutcome.Written written
                    ? WriteOutcome.renewed(written.now(), grants)
                    : outcome;
        });
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return write("release", key, () -> {
            WriteOutcome outcome = model.release(basis, host.nanos());
            tell(key);
            return outcome;
        });
    }

    /** The engine never asks for it, and nobody for an election. */
    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        if (basis.key().space().equals(RecordKey.ELECTIONS)) {
            throw new AssertionError("erases " + basis.key());
        }
        return write("erase", basis.key(), () -> model.erase(basis, host.nanos()));
    }

    /** Remembered only where it makes a difference: tests count bytes. */
    private void use(RecordKey key) {
        if (isNarrow) {
            used.add(key);
        }
    }

    /** Unless there is no right to. */
    private <T> CompletionStage<T> write(String what, RecordKey key, Supplier<T> operation) {
        use(key);
        if (denied.test(key)) {
            requests.merge("denied " + what, 1, Integer::sum);
            return CompletableFuture.failedFuture(StoreSetupException.denied("no right to write " + key.space(), null));
        }
        return send(what, operation);
    }

    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        return send("open", () -> new Session(model.openSession(lease.toNanos(), host.nanos()), lease));
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        return watchAll(prefix, hint -> {
            if (!isNarrow
                    || !(hint instanceof Hint.Seen seen)
                    || used.contains(seen.observation().key())) {
                hints.accept(hint);
            }
        });
    }

    @Override
    public Subscription watchAll(RecordKey prefix, Consumer<Hint> hints) {
        requests.merge("watch", 1, Integer::sum);
        onCall.run();
        if (failure != null || hasNoWatch) {
            throw failure == null ? new IllegalStateException("no watch") : failure;
        }
        Consumer<Hint> watcher = hint -> {
            if (!isDeaf) {
                hints.accept(hint);
            }
        };
        watchers.add(watcher);
        mine.add(watcher);
        return () -> {
            watchers.remove(watcher);
            mine.remove(watcher);
            onUnwatch.run();
        };
    }

    private void tell(RecordKey key) {
        Observation seen = model.read(key, host.nanos());
        List.copyOf(watchers).forEach(w -> w.accept(new Hint.Seen(seen)));
    }

    private <T> CompletionStage<T> send(String what, Supplier<T> operation) {
        requests.merge(what, 1, Integer::sum);
        last = what;
        onCall.run();
        if (failure != null && throwsAtOnce) {
            throw failure;
        }
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        boolean isLost = losesAnswers;
        long half = latency.toNanos() / 2;
        if (!hangs) {
            host.at(host.nanos() + half, () -> {
                T result = operation.get();
                if (!isLost) {
                    host.at(host.nanos() + half, () -> answer.complete(result));
                }
            });
        }
        return answer;
    }

    @Override
    public void close() {
        closed++;
        onClose.run();
    }

    private final class Session implements StoreSession {
        private final long number;
        private final Duration granted;

        Session(long number, Duration granted) {
            this.number = number;
            sessions.add(number);
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
            return send("renew", () -> {
                SessionRenewal renewal = model.renewSession(number, host.nanos());
                return grants != null && renewal instanceof SessionRenewal.Renewed
                        ? SessionRenewal.renewed(grants)
                        : renewal;
            });
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            return send("end", () -> {
                        model.endSession(number, host.nanos());
                        return true;
                    })
                    .thenAccept(over -> {});
        }
    }
}
