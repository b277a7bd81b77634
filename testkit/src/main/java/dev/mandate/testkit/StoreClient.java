package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A store, and one session of it where it has sessions, for tests of what is special about a store. Every call blocks
 * for its answer, and a failure is thrown as the store raised it.
 *
 * <p>Safe for use from many threads, as the store is.
 */
public final class StoreClient implements AutoCloseable {
    /** How long each call may take. */
    public static final Duration ANSWER = Duration.ofSeconds(20);

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration GOODBYE = Duration.ofSeconds(1);
    private static final long LOST_AFTER_SECONDS = 60;

    private final ElectionStore store;
    private final Duration lease;
    private final @Nullable StoreSession session;

    /** Opens a session on {@code store}, if it has sessions. Closing this client closes the store. */
    public StoreClient(ElectionStore store, Duration lease) {
        this.store = store;
        this.session =
                store.traits().leaseScope() == LeaseScope.SESSION ? answer(store.openSession(lease, call())) : null;
        this.lease = session == null ? lease : session.granted();
    }

    /** The same with a lease of 60 s, which lasts through most tests. */
    public StoreClient(ElectionStore store) {
        this(store, LEASE);
    }

    /** The store. */
    public ElectionStore store() {
        return store;
    }

    /**
     * The session.
     *
     * @throws IllegalStateException if the store has none
     */
    public StoreSession session() {
        if (session == null) {
            throw new IllegalStateException(store + " keeps a lease for each record, and has no sessions");
        }
        return session;
    }

    /** The context of a call, which may take {@link #ANSWER}. */
    public static CallContext call() {
        return CallContext.within(ANSWER);
    }

    /**
     * Waits for the answer; a failure is thrown as it is.
     *
     * @throws CompletionException if there is neither for long
     */
    public static <T> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture()
                    .orTimeout(LOST_AFTER_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    /** The key of an election that nobody else uses. */
    public static RecordKey key(String name) {
        return RecordKey.election(
                name + "-" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36));
    }

    /** A random id. */
    public static Id id() {
        return new Id(
                ThreadLocalRandom.current().nextLong(),
                ThreadLocalRandom.current().nextLong() | 1);
    }

    /** The record that a new attempt of a new candidate would write. */
    public LeaderRecord proposal(String value) {
        return LeaderRecord.proposal("candidate", id(), id(), value, lease, System.currentTimeMillis());
    }

    /** Reads the key. */
    public Observation read(RecordKey key) {
        return answer(store.read(key, call()));
    }

    /** Reads the key, which must be held. */
    public Observation.Held readHeld(RecordKey key) {
        return held(read(key));
    }

    /** Sends an acquire that may take {@code within}, and does not wait for the answer. */
    public CompletionStage<WriteOutcome> send(
            RecordKey key, Observation basis, LeaderRecord proposal, Duration within) {
        return store.acquire(key, basis, proposal, session, CallContext.within(within));
    }

    /** Tries to acquire, on that basis. */
    public WriteOutcome acquire(RecordKey key, Observation basis) {
        return answer(send(key, basis, proposal("value"), ANSWER));
    }

    /** Acquires on what the key shows, which must succeed. */
    public Observation.Held lead(RecordKey key) {
        return written(acquire(key, read(key)));
    }

    /** Writes a new value, or the leave flag, on that basis. */
    public WriteOutcome update(Observation.Held basis, Intent intent) {
        LeaderRecord record = basis.record().withTerm(basis.term());
        return answer(store.update(
                basis.key(),
                basis,
                intent == Intent.PROCLAIM ? record.withValue(record.value() + "+") : record.askedToLeave(),
                intent,
                call()));
    }

    /** Renews a record's own lease, on that basis. */
    public WriteOutcome renew(Observation.Held basis) {
        LeaderRecord record = basis.record().withTerm(basis.term());
        return answer(store.update(basis.key(), basis, record, Intent.RENEW, call()));
    }

    /** Tries to free it, on that basis. */
    public WriteOutcome release(Observation.Held basis) {
        return answer(store.release(basis.key(), basis, call()));
    }

    /** Tries to erase the key, which must be vacant. */
    public WriteOutcome erase(RecordKey key) {
        return erase(vacant(read(key)));
    }

    /** Tries to erase, on that basis. */
    public WriteOutcome erase(Observation.Vacant basis) {
        return answer(store.erase(basis, call()));
    }

    /** Renews the session. */
    public SessionRenewal renew() {
        return answer(session().renew(call()));
    }

    /** Ends the session, which must succeed. */
    public void end() {
        answer(session().end(call()).thenApply(ended -> true));
    }

    /** Ends the session, as far as possible, so that it gets in nobody's way, and closes the store. */
    @Override
    public void close() {
        if (session != null) {
            goodbye(session);
        }
        store.close();
    }

    private static void goodbye(StoreSession session) {
        try {
            session.end(CallContext.within(GOODBYE))
                    .toCompletableFuture()
                    .orTimeout(2 * GOODBYE.toMillis(), TimeUnit.MILLISECONDS)
                    .handle((ended, why) -> true)
                    .join();
        } catch (RuntimeException e) {
            // The store is closed already.
        }
    }

    /** The observation, which must be held. */
    public static Observation.Held held(Observation seen) {
        assertThat(seen).isInstanceOf(Observation.Held.class);
        return (Observation.Held) seen;
    }

    /** The observation, which must be vacant. */
    public static Observation.Vacant vacant(Observation seen) {
        assertThat(seen).isInstanceOf(Observation.Vacant.class);
        return (Observation.Vacant) seen;
    }

    /** What a write left, which must have succeeded. */
    public static Observation.Held written(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        return held(((WriteOutcome.Written) outcome).now());
    }

    /** What a refusal showed; the write must have been refused. */
    public static Observation refused(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Refused.class);
        return ((WriteOutcome.Refused) outcome).now().orElseThrow();
    }
}
