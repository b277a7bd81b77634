package dev.mandate.internal;

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
import dev.mandate.spi.Stance;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A client's connection to a model store that says who tries first. What the order says is the test's. */
final class OrderedStore implements ElectionStore, Ordered {
    private final VirtualStore store;

    /** How the client said that it stands, in order: {@code "e Seeking"}. */
    final List<String> stances = new ArrayList<>();
    /** Whom the order tells; null before it is opened, and once it is closed. */
    Listener listener;
    /** How often it was opened, and closed. */
    int opened;

    int closed;
    /** Whether the connection was open when the order was closed. */
    boolean wasOpen;
    /** Called when the client says how it stands. */
    BiConsumer<RecordKey, Stance> onStands = (key, stance) -> {};
    /** What opening the order throws, if anything. */
    RuntimeException failure;

    OrderedStore(VirtualStore store) {
        this.store = store;
    }

    @Override
    public String first() {
        return "the eldest";
    }

    @Override
    public void stands(RecordKey key, Stance stance) {
        stances.add(key.name() + " " + stance);
        onStands.accept(key, stance);
    }

    @Override
    public Subscription places(Listener whom) {
        if (failure != null) {
            throw failure;
        }
        opened++;
        listener = whom;
        return () -> {
            closed++;
            wasOpen = store.closed == 0;
            listener = null;
        };
    }

    void placed(String election, int place) {
        listener.placed(RecordKey.election(election), place);
    }

    void askToLeave(String election, long term) {
        listener.askedToLeave(RecordKey.election(election), term);
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return store.read(key, call);
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return store.list(prefix, from, call);
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, StoreSession session, CallContext call) {
        return store.acquire(key, basis, proposal, session, call);
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        return store.update(key, basis, record, intent, call);
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        return store.release(key, basis, call);
    }

    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        return store.erase(basis, call);
    }

    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        return store.openSession(lease, call);
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        return store.watch(prefix, hints);
    }

    @Override
    public void close() {
        store.close();
    }
}
