package dev.mandate.etcd;

import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Clients and an operator of one real server, and what a watch told. */
abstract class EtcdFixture {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<AutoCloseable> toClose = new ArrayList<>();
    final BlockingQueue<Hint> hints = new LinkedBlockingQueue<>();
    int port;
    Operator operator;

    abstract ServerExtension etcd();

    @BeforeEach
    void open() {
        port = etcd().server().port("client");
        operator = closing(new Operator(port));
    }

    @AfterEach
    void close() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
    }

    <T extends AutoCloseable> T closing(T resource) {
        toClose.add(resource);
        return resource;
    }

    StoreClient client() {
        return closing(EtcdServer.client(EtcdServer.url(port)));
    }

    StoreClient client(String parameters) {
        return closing(EtcdServer.client(EtcdServer.url(port) + parameters));
    }

    void listen(StoreClient watcher) {
        Subscription watch = watcher.store().watch(RecordKey.elections(), hints::add);
        toClose.add(watch);
    }

    Hint hint(String what, Predicate<Hint> isWanted) {
        return Await.value(what, PATIENCE, () -> {
            for (Hint hint = hints.poll(); hint != null; hint = hints.poll()) {
                if (isWanted.test(hint)) {
                    return Optional.of(hint);
                }
            }
            return Optional.empty();
        });
    }

    Observation seen(RecordKey key, Predicate<Observation> isWanted) {
        Hint told =
                hint("a hint of " + key, hint -> isOf(key, hint) && isWanted.test(((Hint.Seen) hint).observation()));
        return ((Hint.Seen) told).observation();
    }

    static boolean isOf(RecordKey key, Hint hint) {
        return hint instanceof Hint.Seen seen && seen.observation().key().equals(key);
    }

    static boolean isVacant(Observation seen) {
        return seen instanceof Observation.Vacant;
    }

    static String path(RecordKey key) {
        return "/leaders/" + key.name();
    }

    static long lease(Observation.Held held) {
        return ((HeldAt) held.basis()).lease();
    }

    FaultProxy proxy() throws Exception {
        return closing(FaultProxy.to("127.0.0.1", port));
    }

    /** Opens the watch and waits until it tells. */
    void watch(StoreClient watcher) {
        listen(watcher);
        StoreClient prober = client();
        RecordKey probe = StoreClient.key("probe");
        Await.until("the watch", PATIENCE, () -> {
            prober.release(prober.lead(probe));
            return hints.poll(100, TimeUnit.MILLISECONDS) != null;
        });
        hints.clear();
    }
}
