package dev.mandate.jdbc;

import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.StoreClient;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long write statements take at the pace of heartbeats, and so which share of its life a process is inside
 * one: how likely it is that a process frozen at a random moment keeps others from writing. Run by hand; the figures
 * are in {@code docs/evidence.md}.
 */
final class WriteShare {
    private static final int SAMPLES = 200;

    private WriteShare() {}

    private interface Step {
        void run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        try (JdbcElectionStore store = (JdbcElectionStore) new JdbcStoreProvider().open(StoreUrl.parse(arguments[0]))) {
            StoreClient client = new StoreClient(store);
            RecordKey key = RecordKey.election("share-" + System.nanoTime());
            Sql sql = store.sql();
            for (Link.Sync sync : new Link.Sync[] {Link.Sync.WRITTEN, Link.Sync.ON_DISK}) {
                report(
                        "renewal statement, " + sync,
                        inside(
                                store,
                                sync,
                                sql.end().replace("ended = 1", "ended = 0"),
                                client.session().id()));
            }
            report("renew, call to answer", outside(client::renew));
            Observation[] seen = {client.read(key)};
            report("acquire, call to answer (release between)", outside(() -> {
                Observation.Held held = StoreClient.written(client.acquire(key, seen[0]));
                client.release(held);
                seen[0] = client.read(key);
            }));
        }
    }

    private static long[] inside(JdbcElectionStore store, Link.Sync sync, String statement, String id) {
        long[] nanos = new long[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            nanos[i] = StoreClient.answer(
                    store.worker().submit(Worker.Lane.URGENT, "measuring", StoreClient.call(), turn -> {
                        var connection = turn.next(sync);
                        long start = System.nanoTime();
                        Jdbc.update(connection, statement, id);
                        return System.nanoTime() - start;
                    }));
        }
        return nanos;
    }

    private static long[] outside(Step step) throws Exception {
        long[] nanos = new long[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            long start = System.nanoTime();
            step.run();
            nanos[i] = System.nanoTime() - start;
        }
        return nanos;
    }

    private static void report(String what, long[] nanos) {
        Arrays.sort(nanos);
        double median = nanos[SAMPLES / 2] / 1e6;
        double mean = Arrays.stream(nanos).average().orElse(0) / 1e6;
        System.out.printf(
                Locale.ROOT,
                "%-45s median %.3f ms, p99 %.3f ms, max %.3f ms; at one per 3.3 s a share of %.5f %%%n",
                what,
                median,
                nanos[SAMPLES * 99 / 100] / 1e6,
                nanos[SAMPLES - 1] / 1e6,
                mean / 3_333 * 100);
    }
}
