package dev.mandate.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What random operations on four keys reach rarely or never. */
class ModelStoreTest {
    private static final LeaderRecord PROPOSAL =
            LeaderRecord.proposal("c", new Id(1, 1), new Id(2, 1), "v", Duration.ofSeconds(10), 0);

    @Test
    void forgetsVacantKeysButNoVersionAndNoToken() {
        ModelStore store = new ModelStore(
                StoreTraits.of("model", Expiry.OBSERVER_JUDGES, LeaseScope.RECORD),
                ModelOptions.DEFAULT.with(ModelOptions.Token.CLOCK));
        RecordKey first = RecordKey.election("first");
        Observation.Held held = acquireAndRelease(store, first);

        for (int i = 0; i < ModelStore.VACANT_ROWS_MAX; i++) {
            acquireAndRelease(store, RecordKey.election("e" + i));
        }

        assertThat(store.list(RecordKey.elections(), Cursor.START, Integer.MAX_VALUE, 0)
                        .items())
                .hasSizeLessThan(10);
        Observation again = store.read(first, 0);
        assertThat(((Version) again.basis()).number()).isGreaterThan(((Version) held.basis()).number());
        assertThat(acquireAndRelease(store, first).term()).isGreaterThan(held.term());
    }

    @Test
    void tellsOnceWhatBecameVacantByItself() {
        ModelStore store = new ModelStore(
                StoreTraits.of("model", Expiry.OBSERVER_JUDGES, LeaseScope.SESSION), ModelOptions.DEFAULT);
        long old = store.openSession(1, 0);
        Observation.Held first = acquire(store, RecordKey.election("first"), old);
        Observation.Held second = acquire(store, RecordKey.election("second"), old);
        long own = store.openSession(1, 0);

        store.acquire(first.key(), first, PROPOSAL, own, 0, 5);

        assertThat(store.expire(0)).extracting(Observation::key).containsExactly(second.key());
        assertThat(store.expire(0)).isEmpty();
    }

    @Test
    void aForeignRecordEndsALockDelay() {
        ModelStore store = new ModelStore(
                StoreTraits.of("model", Expiry.STORE_REMOVES, LeaseScope.SESSION)
                        .withLockDelay(Duration.ofSeconds(15)),
                ModelOptions.DEFAULT);
        RecordKey key = RecordKey.election("locked");
        acquire(store, key, store.openSession(1, 0));
        store.endLease(key, 0);
        Observation.Held foreign = (Observation.Held) store.overwriteForeign(key, "other", null, 0);
        store.release(foreign, 0);

        acquire(store, key, store.openSession(1, 0));
    }

    @Test
    void anUpdateMakesAForeignRecordOurs() {
        ModelStore store =
                new ModelStore(StoreTraits.of("model", Expiry.STORE_REMOVES, LeaseScope.RECORD), ModelOptions.DEFAULT);
        RecordKey key = RecordKey.election("foreign");
        Observation.Held foreign = (Observation.Held) store.overwriteForeign(key, "other", null, 0);

        store.update(foreign, PROPOSAL, Intent.PROCLAIM, 0);

        assertThat(((Observation.Held) store.read(key, 0)).isForeign()).isFalse();
        assertThat(((Observation.Held) store.read(key, 0)).record()).isEqualTo(PROPOSAL);
    }

    private static Observation.Held acquire(ModelStore store, RecordKey key, long session) {
        WriteOutcome outcome = store.acquire(key, store.read(key, 0), PROPOSAL, session, 0, 5);
        return (Observation.Held) ((WriteOutcome.Written) outcome).now();
    }

    private static Observation.Held acquireAndRelease(ModelStore store, RecordKey key) {
        WriteOutcome outcome = store.acquire(key, store.read(key, 0), PROPOSAL, 0, 0, 5);
        Observation.Held held = (Observation.Held) ((WriteOutcome.Written) outcome).now();
        assertThat(store.release(held, 0)).isInstanceOf(WriteOutcome.Written.class);
        return held;
    }
}
