package dev.mandate.test;

import dev.mandate.Guarantee;
import dev.mandate.internal.Host;
import dev.mandate.internal.memory.ModelOptions;
import dev.mandate.internal.memory.ModelStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Hint;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/** The data behind the connections of one test, in virtual time. Answers at once. Thread-safe. */
final class TestServer implements Host.Step {
    static final StoreTraits TRAITS = StoreTraits.of("test", Expiry.STORE_REMOVES, LeaseScope.SESSION)
            .withWatch(true)
            .withGuarantee(Guarantee.FENCED)
            .withAssumptions("All candidates belong to one test.");

    private final TestHost host;
    private final Host.Drive expiries;
    private final List<Consumer<Hint>> watchers = new CopyOnWriteArrayList<>();

    /** Guards the model; nothing foreign runs under it. */
    private final Object lock = new Object();

    private final ModelStore model = new ModelStore(TRAITS, ModelOptions.DEFAULT.with(ModelOptions.Token.CLOCK));

    TestServer(TestHost host) {
        this.host = host;
        this.expiries = host.drive("test-store", this);
    }

    /** Tells {@code watcher} of every change, until the subscription is closed. */
    Subscription watch(Consumer<Hint> watcher) {
        watchers.add(watcher);
        return () -> watchers.remove(watcher);
    }

    /** Runs an operation at the present time, and tells watchers what it changed. */
    <T> T run(Function<At, T> operation) {
        T result;
        List<Observation> news = new ArrayList<>();
        synchronized (lock) {
            result = operation.apply(new At(model, host.nanos(), host.wallMillis()));
            if (result instanceof WriteOutcome.Written written) {
                news.add(written.now());
            }
            news.addAll(model.expire(host.nanos()));
        }
        for (Observation seen : news) {
            watchers.forEach(watcher -> watcher.accept(new Hint.Seen(seen)));
        }
        expiries.wake();
        return result;
    }

    /** The data at an instant. */
    record At(ModelStore model, long nanos, long wallMillis) {}

    Observation read(RecordKey key) {
        synchronized (lock) {
            return model.read(key, host.nanos());
        }
    }

    /** As an operator, removes a record. */
    void delete(RecordKey key) {
        run(at -> {
            at.model.delete(key, at.nanos);
            return WriteOutcome.written(at.model.read(key, at.nanos));
        });
    }

    /** As an operator, ends the session that keeps a record, with everything it keeps. */
    void endSession(RecordKey key) {
        run(at -> at.model.endLease(key, at.nanos));
    }

    /** Removes what has expired, when it expires. */
    @Override
    public long step() {
        List<Observation> expired;
        long next;
        synchronized (lock) {
            expired = model.expire(host.nanos());
            next = model.nextExpiryNanos();
        }
        for (Observation seen : expired) {
            watchers.forEach(watcher -> watcher.accept(new Hint.Seen(seen)));
        }
        return next;
    }
}
