package dev.mandate.azureblob;

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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A store, used by blocking for every answer. */
final class Client implements AutoCloseable {
    static final Duration ANSWER = Duration.ofSeconds(10);

    final ElectionStore store;

    Client(String url) {
        this.store = new AzureBlobStoreProvider().open(StoreUrl.parse(url));
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

    static RecordKey key(String name) {
        return RecordKey.election(
                name + "-" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36));
    }

    static LeaderRecord proposal(String value, Duration lease) {
        return LeaderRecord.proposal("candidate", id(), id(), value, lease, System.currentTimeMillis());
    }

    private static Id id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Id(random.nextLong(), random.nextLong() | 1);
    }

    Observation read(RecordKey key) {
        return answer(store.read(key, call()));
    }

    Observation.Held readHeld(RecordKey key) {
        return held(read(key));
    }

    WriteOutcome acquire(RecordKey key, Observation basis, LeaderRecord proposal, Duration within) {
        return answer(store.acquire(key, basis, proposal, null, CallContext.within(within)));
    }

    Observation.Held lead(RecordKey key) {
        return lead(key, Duration.ofSeconds(60));
    }

    Observation.Held lead(RecordKey key, Duration lease) {
        return written(acquire(key, read(key), proposal("value", lease), ANSWER));
    }

    WriteOutcome renew(Observation.Held held) {
        return answer(store.update(held.key(), held, held.record(), Intent.RENEW, call()));
    }

    WriteOutcome proclaim(Observation.Held held, String value) {
        return answer(store.update(held.key(), held, held.record().withValue(value), Intent.PROCLAIM, call()));
    }

    WriteOutcome release(Observation.Held held) {
        return answer(store.release(held.key(), held, call()));
    }

    @Override
    public void close() {
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
