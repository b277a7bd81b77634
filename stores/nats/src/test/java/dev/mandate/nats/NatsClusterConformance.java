package dev.mandate.nats;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.StoreClient;
import dev.mandate.testkit.StoreConformance;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The suite of all stores on three servers: each connection goes to another one than that before it, so that the races
 * are run across them.
 */
abstract class NatsClusterConformance extends StoreConformance {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final AtomicInteger opened = new AtomicInteger();

    abstract NatsCluster cluster();

    /** One for all cases of a class. */
    abstract String bucket();

    /** Parameters of the URL, with the question mark. */
    abstract String parameters();

    @Override
    protected ElectionStore open() {
        String url = cluster().url(opened.getAndIncrement() % 3, bucket(), parameters());
        // Right after its start a cluster has no leader yet, and a new bucket none.
        return Await.value("an answer", PATIENCE, () -> {
            ElectionStore store = new NatsStoreProvider().open(StoreUrl.parse(url));
            try {
                StoreClient.answer(store.read(RecordKey.PROBE, StoreClient.call()));
                return Optional.of(store);
            } catch (RuntimeException e) {
                store.close();
                return Optional.empty();
            }
        });
    }

    /** Each write is one of three servers here. */
    @Override
    protected int terms() {
        return 300;
    }
}
