package dev.mandate.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
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

/** A store and one session of it, used by blocking for every answer. */
final class Client implements AutoCloseable {
    static final Duration ANSWER = Duration.ofSeconds(10);

    final ElectionStore store;
    final StoreSession session;
    final Duration lease;

    Client(ElectionStore store, Duration lease) {
        this.store = store;
        this.lease = lease;
        this.session = answer(store.openSession(lease, call()));
    }

    Client(ElectionStore store) {
        this(store, Duration.ofSeconds(10));
    }

    static CallContext call() {
        return CallContext.within(ANSWER);
    }

    /** The answer; a failure is thrown as it is. */
    static <T> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    static Id id() {
        return new Id(
                ThreadLocalRandom.current().nextLong(),
                ThreadLocalRandom.current().nextLong() | 1);
    }

    LeaderRecord proposal(String value) {
        return LeaderRecord.proposal("candidate", id(), id(), value, lease, System.currentTimeMillis());
    }

    Observation read(RecordKey key) {
        return answer(store.read(key, call()));
    }

    Observation.Held readHeld(RecordKey key) {
        return held(read(key));
    }

    WriteOutcome acquire(RecordKey key, Observation basis) {
        return answer(store.acquire(key, basis, proposal("value"), session, call()));
    }

    Observation.Held lead(RecordKey key) {
        return written(acquire(key, read(key)));
    }

    WriteOutcome update(Observation.Held basis, Intent intent) {
        LeaderRecord record = basis.record().withTerm(basis.term());
        return answer(store.update(
                basis.key(),
                basis,
                intent == Intent.PROCLAIM ? record.withValue(record.value() + "+") : record.askedToLeave(),
                intent,
                call()));
    }

    WriteOutcome release(Observation.Held basis) {
        return answer(store.release(basis.key(), basis, call()));
    }

    SessionRenewal renew() {
        return answer(session.renew(call()));
    }

    void end() {
        answer(session.end(call()).thenApply(ended -> true));
    }

    /** Ends the session, too, so that nothing of it is in the way of anybody. */
    @Override
    public void close() {
        session.end(call()).toCompletableFuture().handle((ended, why) -> true).join();
        store.close();
    }

    static Observation.Held held(Observation seen) {
        assertThat(seen).isInstanceOf(Observation.Held.class);
        return (Observation.Held) seen;
    }

    static Observation.Held written(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        return held(((WriteOutcome.Written) outcome).now());
    }

    /** What stands there, by a refusal, which it must be. */
    static Observation refused(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Refused.class);
        return ((WriteOutcome.Refused) outcome).now().orElseThrow();
    }
}
