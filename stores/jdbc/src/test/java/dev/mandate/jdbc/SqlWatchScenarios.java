package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.StoreClient;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a watch of the tables tells. */
abstract class SqlWatchScenarios extends SharedWatchScenarios {
    @Test
    void aWatchTellsOfEveryKindOfChange() throws Exception {
        StoreClient holder = client();
        StoreClient watcher = client();
        RecordKey key = key("watched");
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        Subscription watch = watchReady(watcher, hints);

        Observation.Held led = holder.lead(key);
        assertThat(heldWith(hints, key, led)).isTrue();
        Observation.Held proclaimed = StoreClient.written(holder.update(led, Intent.PROCLAIM));
        assertThat(heldWith(hints, key, proclaimed)).isTrue();
        WriteOutcome released = holder.release(proclaimed);
        assertThat(vacantIn(hints, key).basis())
                .isEqualTo(((WriteOutcome.Written) released).now().basis());
        Observation.Held again = holder.lead(key);
        assertThat(heldWith(hints, key, again)).isTrue();
        holder.end();
        assertThat(vacantIn(hints, key)).isNotNull();
        watch.close();
        hints.clear();
        StoreClient late = client();
        late.lead(key);

        assertThat(hints).isEmpty();
    }

    private static boolean heldWith(BlockingQueue<Hint> hints, RecordKey key, Observation.Held expected)
            throws InterruptedException {
        while (true) {
            Observation seen = seen(hints, key);
            if (seen instanceof Observation.Held held && held.basis().equals(expected.basis())) {
                return held.record().attempt().equals(expected.record().attempt()) && held.term() == expected.term();
            }
        }
    }

    private static Observation vacantIn(BlockingQueue<Hint> hints, RecordKey key) throws InterruptedException {
        while (true) {
            Observation seen = seen(hints, key);
            if (seen instanceof Observation.Vacant) {
                return seen;
            }
        }
    }

    private static Observation seen(BlockingQueue<Hint> hints, RecordKey key) throws InterruptedException {
        while (true) {
            Hint hint = hints.poll(10, TimeUnit.SECONDS);
            assertThat(hint).as("a hint of %s", key).isNotNull();
            if (hint instanceof Hint.Seen seen && seen.observation().key().equals(key)) {
                return seen.observation();
            }
        }
    }

    @Test
    void tooManyChangesAtOnceAreToldAsAGap() throws Exception {
        StoreClient watcher = client();
        BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
        Subscription watch = watchReady(watcher, hints);

        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 1_500; i++) {
            rows.append(i == 0 ? "" : ",")
                    .append("('")
                    .append(key("gap").path())
                    .append("',")
                    .append(9_000_000_000_000_000L + i)
                    .append(",1,NULL,NULL)");
        }
        run("INSERT INTO mandate_election (path, version, term, session, record) VALUES " + rows, tellAnything());

        Hint hint;
        do {
            hint = hints.poll(10, TimeUnit.SECONDS);
            // The last ones of the watch's own probe may come yet.
        } while (hint instanceof Hint.Seen seen
                && seen.observation().key().name().startsWith("probe"));
        watch.close();
        assertThat(hint).isEqualTo(Hint.Gap.INSTANCE);
    }
}
