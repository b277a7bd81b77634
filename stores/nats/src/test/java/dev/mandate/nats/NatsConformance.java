package dev.mandate.nats;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Deviation;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreConformance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The suite of all stores, on a real server. */
abstract class NatsConformance extends StoreConformance {
    /** The server. */
    abstract ServerExtension nats();

    /** Parameters of the URL, with the question mark. */
    abstract String parameters();

    /** One for all cases of a class. */
    abstract String bucket();

    int port() {
        return nats().server().port("client");
    }

    /** Whether nothing may expire while a case runs, whatever the time to live of the bucket. */
    private boolean isLong;

    @Override
    protected ElectionStore open() {
        String url = isLong
                ? NatsServer.url(port(), bucket() + "L", parameters().replaceAll("ttl=[0-9]+s", "ttl=60s"))
                : NatsServer.url(port(), bucket(), parameters());
        return new NatsStoreProvider().open(StoreUrl.parse(url));
    }

    @Test
    @Override
    @Deviation("in a bucket with a longer time to live: a busy machine takes a while to make so many records")
    protected void aListingShowsEveryKeyOnce() {
        isLong = true;
        super.aListingShowsEveryKeyOnce();
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.of(() -> new NatsStoreProvider()
                .open(StoreUrl.parse(NatsServer.url(port(), NatsServer.bucket(), "?create=false"))));
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        return Map.of(
                "nats:host", List.of("names no host", "nats://host:4222"),
                "nats://", List.of("the host ''"),
                "nats://a:70000", List.of("'a:70000'", "65535"),
                "nats://h/a.b", List.of("'a.b'", "bucket"),
                "nats://h?key=a*b", List.of("'key'", "'a*b'"),
                "nats://h?expiring=never", List.of("'expiring'", "'never'", "key or bucket"),
                "nats://h?replicas=9", List.of("'replicas'", "'9'", "5"),
                "nats://u@h", List.of("no password"),
                "nats://h?passwordEnv=PATH", List.of("no user"),
                "nats://h?caFile=/x", List.of("'caFile'", "tls:"));
    }

    @Override
    protected boolean writeForeign(RecordKey key, String text) throws Exception {
        try (Operator operator = new Operator(port(), bucket())) {
            operator.put(key.name(), text);
        }
        return true;
    }
}
