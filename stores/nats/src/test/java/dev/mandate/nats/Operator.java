package dev.mandate.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.KeyValue;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.KeyValueEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Somebody with the {@code nats} command at hand. Blocks. */
final class Operator implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(20);

    final Connection connection;
    private final String bucket;

    Operator(int port, String bucket) throws IOException, InterruptedException {
        this("nats://127.0.0.1:" + port, bucket);
    }

    Operator(String url, String bucket) throws IOException, InterruptedException {
        this.connection = Nats.connect(
                new Options.Builder().server(url).connectionTimeout(ANSWER).build());
        this.bucket = bucket;
    }

    KeyValue kv() throws IOException {
        return connection.keyValue(bucket);
    }

    long put(String key, String value) throws IOException, JetStreamApiException {
        return kv().put(key, value.getBytes(StandardCharsets.UTF_8));
    }

    Optional<KeyValueEntry> get(String key) throws IOException, JetStreamApiException {
        return Optional.ofNullable(kv().get(key));
    }

    void delete(String key) throws IOException, JetStreamApiException {
        kv().delete(key);
    }

    void purge(String key) throws IOException, JetStreamApiException {
        kv().purge(key);
    }

    void deleteBucket() throws IOException, JetStreamApiException {
        connection.keyValueManagement().delete(bucket);
    }

    @Override
    public void close() throws InterruptedException {
        connection.close();
    }
}
