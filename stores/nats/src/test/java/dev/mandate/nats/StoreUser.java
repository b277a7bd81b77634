package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A store, used by blocking for every answer. */
final class StoreUser implements AutoCloseable {
    static final Duration ANSWER = Duration.ofSeconds(10);

    final ElectionStore store;
    private final Duration lease;

    StoreUser(String url, Duration lease) {
        this.store = open(url);
        this.lease = lease;
    }

    static ElectionStore open(String url) {
        return new NatsStoreProvider().open(StoreUrl.parse(url));
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

    LeaderRecord proposal() {
        return LeaderRecord.proposal("candidate", id(), id(), "value", lease, System.currentTimeMillis());
    }

    Observation read(RecordKey key) {
        return answer(store.read(key, call()));
    }

    /** The same; empty while there is no connection. */
    Optional<Observation> connected(RecordKey key) {
        try {
            return Optional.of(read(key));
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    Observation.Held readHeld(RecordKey key) {
        Observation seen = read(key);
        assertThat(seen).isInstanceOf(Observation.Held.class);
        return (Observation.Held) seen;
    }

    CompletionStage<WriteOutcome> send(RecordKey key, Observation basis, LeaderRecord proposal, Duration within) {
        return store.acquire(key, basis, proposal, null, CallContext.within(within));
    }

    WriteOutcome acquire(RecordKey key, Observation basis) {
        return answer(send(key, basis, proposal(), ANSWER));
    }

    Observation.Held lead(RecordKey key) {
        return written(acquire(key, read(key)));
    }

    WriteOutcome renew(Observation.Held basis) {
        return answer(store.update(basis.key(), basis, basis.record().withTerm(basis.term()), Intent.RENEW, call()));
    }

    WriteOutcome release(Observation.Held basis) {
        return answer(store.release(basis.key(), basis, call()));
    }

    static Observation.Held written(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        return (Observation.Held) ((WriteOutcome.Written) outcome).now();
    }

    @Override
    public void close() {
        store.close();
    }
}
