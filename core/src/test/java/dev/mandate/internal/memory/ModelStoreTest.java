package dev.mandate.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What random operations on four keys can't reach: bounds. */
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

    private static Observation.Held acquireAndRelease(ModelStore store, RecordKey key) {
        WriteOutcome outcome = store.acquire(key, store.read(key, 0), PROPOSAL, 0, 0, 5);
        Observation.Held held = (Observation.Held) ((WriteOutcome.Written) outcome).now();
        assertThat(store.release(held, 0)).isInstanceOf(WriteOutcome.Written.class);
        return held;
    }
}
