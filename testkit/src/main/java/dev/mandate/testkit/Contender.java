package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Uses a store as the engine does, but blocks for every answer: a connection, and a session if the store has them. */
final class Contender {
    private static final int AT_ONCE = 50;
    private static final int PAGE_ITEMS_MAX = 1_000;

    private final ElectionStore store;
    private final Duration answerWithin;
    private final Id incarnation = randomId();
    private final Duration lease;
    private final @Nullable StoreSession session;
    private long renewedNanos = System.nanoTime();
    private boolean hasLostAnswer;

    Contender(ElectionStore store, Duration lease, Duration answerWithin) {
        this.store = store;
        this.answerWithin = answerWithin;
        if (store.traits().leaseScope() == LeaseScope.SESSION) {
            this.session = answer("openSession", () -> store.openSession(lease, call()));
            this.lease = session.granted();
        } else {
            this.session = null;
            this.lease = lease;
        }
    }

    /** Another session on the same connection. */
    Contender again() {
        return new Contender(store, lease, answerWithin);
    }

    ElectionStore store() {
        return store;
    }

    Duration lease() {
        return lease;
    }

    StoreSession session() {
        if (session == null) {
            throw new IllegalStateException("this store has no sessions");
        }
        return session;
    }

    CallContext call() {
        return CallContext.within(answerWithin);
    }

    LeaderRecord proposal(String value) {
        return LeaderRecord.proposal(
                "candidate-" + incarnation, incarnation, randomId(), value, lease, System.currentTimeMillis());
    }

    Observation read(RecordKey key) {
        return answer("read of " + key, () -> store.read(key, call()));
    }

    Observation.Held readHeld(RecordKey key) {
        Observation seen = read(key);
        assertThat(seen).as("read of %s", key).isInstanceOf(Observation.Held.class);
        return (Observation.Held) seen;
    }

    CompletionStage<WriteOutcome> send(RecordKey key, Observation basis, LeaderRecord proposal) {
        return store.acquire(key, basis, proposal, session, call());
    }

    WriteOutcome acquire(RecordKey key, Observation basis, LeaderRecord proposal) {
        return answer("acquire of " + key, () -> send(key, basis, proposal));
    }

    /** Acquires a key that must be free. */
    Observation.Held acquire(RecordKey key) {
        stayAlive();
        LeaderRecord proposal = proposal("value");
        Observation basis = read(key);
        WriteOutcome outcome = settled(
                "acquire of " + key,
                key,
                () -> send(key, basis, proposal),
                now -> now instanceof Observation.Held held && held.isAttempt(proposal.attempt()));
        return written(outcome, "acquire of the vacant " + key);
    }

    /** Acquires keys that must be free, many at a time, so that all are held before the first lease could expire. */
    void acquireAll(Collection<RecordKey> keys) {
        List<RecordKey> left = new ArrayList<>(keys);
        while (!left.isEmpty()) {
            List<RecordKey> some = left.subList(0, Math.min(AT_ONCE, left.size()));
            List<CompletionStage<WriteOutcome>> sent = new ArrayList<>();
            for (RecordKey key : some) {
                sent.add(store.read(key, call()).thenCompose(seen -> send(key, seen, proposal("value"))));
            }
            for (CompletionStage<WriteOutcome> outcome : sent) {
                written(answer("acquire of one of many vacant keys", () -> outcome), "acquire of a vacant key");
            }
            some.clear();
        }
    }

    WriteOutcome update(Observation.Held basis, LeaderRecord record, Intent intent) {
        return settled(
                intent + " at " + basis.key(),
                basis.key(),
                () -> store.update(basis.key(), basis, record, intent, call()),
                now -> now instanceof Observation.Held held
                        && !held.basis().equals(basis.basis())
                        && held.record().equals(record));
    }

    /** Replaces the value, which must succeed. */
    Observation.Held proclaim(Observation.Held basis, String value) {
        LeaderRecord record = basis.record().withTerm(basis.term()).withValue(value);
        return written(update(basis, record, Intent.PROCLAIM), "proclaim at " + basis.key());
    }

    WriteOutcome release(Observation.Held basis) {
        return settled(
                "release of " + basis.key(),
                basis.key(),
                () -> store.release(basis.key(), basis, call()),
                now -> now instanceof Observation.Vacant);
    }

    WriteOutcome erase(Observation.Vacant basis) {
        return answer("erase of " + basis.key(), () -> store.erase(basis, call()));
    }

    /** Lists everything below {@code prefix}, in bounded pages. */
    List<Observation> list(RecordKey prefix) {
        List<Observation> all = new ArrayList<>();
        Cursor cursor = Cursor.START;
        while (cursor != null) {
            Cursor from = cursor;
            Page<Observation> page = answer("list of " + prefix, () -> store.list(prefix, from, call()));
            assertThat(page.items()).hasSizeLessThanOrEqualTo(PAGE_ITEMS_MAX);
            all.addAll(page.items());
            cursor = page.next().orElse(null);
            assertThat(cursor).as("a cursor that moves on").isNotEqualTo(from);
        }
        return all;
    }

    /** Renews the lease of {@code held}, and returns whether that worked. */
    boolean renew(Observation.Held held) {
        if (session != null) {
            return answer("renewal of a session", () -> session.renew(call())) instanceof SessionRenewal.Renewed;
        }
        Observation now = read(held.key());
        if (!(now instanceof Observation.Held mine)
                || !mine.isAttempt(held.record().attempt())) {
            return false;
        }
        LeaderRecord record = mine.record().withTerm(mine.term());
        return update(mine, record, Intent.RENEW) instanceof WriteOutcome.Written;
    }

    /** Renews the session, if any, after a third of its lease: a thousand calls may take longer than a lease. */
    void stayAlive() {
        long now = System.nanoTime();
        if (session != null && now - renewedNanos > lease.toNanos() / 3) {
            SessionRenewal renewal = answer("renewal of a session", () -> session.renew(call()));
            assertThat(renewal).isInstanceOf(SessionRenewal.Renewed.class);
            renewedNanos = now;
        }
    }

    void endSession() {
        answer("end of a session", () -> session().end(call()).thenApply(ended -> true));
    }

    /** Ends the session, if there is one and it can be ended. */
    void leave() {
        if (session != null) {
            outcome("end of a session", () -> session.end(call()).thenApply(ended -> true));
        }
    }

    static Observation.Held written(WriteOutcome outcome, String what) {
        assertThat(outcome).as(what).isInstanceOf(WriteOutcome.Written.class);
        Observation now = ((WriteOutcome.Written) outcome).now();
        assertThat(now).as("what stands after the %s", what).isInstanceOf(Observation.Held.class);
        return (Observation.Held) now;
    }

    static Id randomId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Id(random.nextLong(), random.nextLong() | 1);
    }

    /**
     * The outcome of a write. Its answer may be lost once, as happens to a good store on a good network: JDKs before 25
     * lose some answers on busy machines (JDK-8338569, JDK-8357639). Then what stands must show the write.
     *
     * @param isDone whether what stands shows that the write took effect
     */
    private WriteOutcome settled(
            String what, RecordKey key, Supplier<CompletionStage<WriteOutcome>> write, Predicate<Observation> isDone) {
        Outcome<WriteOutcome> outcome = outcome(what, write);
        if (!hasLostAnswer && outcome.failure() instanceof StoreUnavailableException) {
            hasLostAnswer = true;
            Observation now = read(key);
            if (isDone.test(now)) {
                return WriteOutcome.written(now);
            }
        }
        return outcome.orElseThrow(failure -> new AssertionError(what + " failed: " + failure, failure));
    }

    /** Returns the answer, which must come. */
    <T> T answer(String what, Supplier<CompletionStage<T>> call) {
        return outcome(what, call).orElseThrow(failure -> new AssertionError(what + " failed: " + failure, failure));
    }

    <T> Outcome<T> outcome(String what, Supplier<CompletionStage<T>> call) {
        return outcome(what, answerWithin, call);
    }

    /** Returns the answer or the failure, one of which must come soon after the deadline. */
    static <T> Outcome<T> outcome(String what, Duration answerWithin, Supplier<CompletionStage<T>> call) {
        try {
            CompletableFuture<T> future = call.get().toCompletableFuture();
            long bound = 2 * answerWithin.toMillis() + 5_000;
            return new Outcome<>(future.get(bound, TimeUnit.MILLISECONDS), null);
        } catch (ExecutionException e) {
            return new Outcome<>(null, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError(
                    what + ": neither answered nor failed long after the call's deadline of " + answerWithin.toMillis()
                            + " ms",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(what + " was interrupted", e);
        } catch (RuntimeException e) {
            return new Outcome<>(null, e);
        }
    }

    /** An answer, or why there is none. */
    record Outcome<T>(@Nullable T answer, @Nullable Throwable failure) {
        Optional<T> optional() {
            return Optional.ofNullable(answer);
        }

        <E extends Throwable> T orElseThrow(Function<Throwable, E> error) throws E {
            if (answer == null) {
                throw error.apply(failure == null ? new IllegalStateException("answered with null") : failure);
            }
            return answer;
        }
    }
}
