package dev.mandate.nats;

import dev.mandate.ElectionClient;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialServer;
import dev.mandate.testkit.TrialStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A bucket of a real server with clients; {@code folder} takes the configuration of another one. */
record NatsTrialStore(String version, ServerExtension nats, String bucket, Path folder) implements TrialStore {
    private static final Duration LEASE = Duration.ofSeconds(3);

    private int port() {
        return nats.server().port("client");
    }

    /** Before 2.11 one lease is that of the bucket, whoever makes it. */
    private boolean hasOneLease() {
        return !version.equals(NatsServer.V215);
    }

    private String parameters(Duration lease) {
        String seconds = lease.toSeconds() + "s";
        String ofBucket = hasOneLease() ? "&ttl=" + seconds : "";
        return "?lease=" + seconds + "&registrationLease=" + seconds + ofBucket;
    }

    private String url(int port) {
        return NatsServer.url(port, bucket, parameters(LEASE));
    }

    @Override
    public String url(Duration lease) {
        String own = hasOneLease() && !lease.equals(LEASE) ? bucket + "-" + lease.toSeconds() : bucket;
        return NatsServer.url(port(), own, parameters(lease));
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(port(), this::url));
    }

    /** Whose user may publish everything but what is in that space. */
    @Override
    public Optional<Restricted> restricted(String space, Duration lease) throws Exception {
        String denied = "$KV." + bucket + ".=mandate." + space + ".";
        Path config = Files.writeString(
                folder.resolve("server.conf"),
                "authorization { users = [\n{ user: all, password: x },\n"
                        + "{ user: app, password: x, permissions: { publish: { allow: \">\", deny: \"" + denied
                        + ">\" }, subscribe: \"_INBOX.>\" } }\n] }\n");
        ServerProcess server = NatsServer.alone(ServerProcess.of(ServerBinary.named(version)))
                .arguments("-c", config.toString())
                .start();
        String url = "127.0.0.1:" + server.port("client") + "/" + bucket + parameters(lease);
        // Makes the bucket.
        ElectionClient.connect("nats://all:x@" + url).close();
        return Optional.of(new Restricted("nats://app:x@" + url, List.of("lacks rights", denied), server));
    }

    /**
     * Clients that knew the bucket make it again only when no leader of the lost one can believe any more, in ten
     * minutes. The newcomer of the trial makes it at once.
     */
    @Override
    public Optional<OwnStore> own() {
        TrialServer server = TrialServer.of(
                NatsServer.alone(ServerProcess.of(ServerBinary.named(version))).start(), "client");
        return Optional.of(OwnStore.of(server, url(server.port())));
    }

    /** By the words of its path, which need no encoding, and what ends the name of a record. */
    @Override
    public void delete(RecordKey key) throws Exception {
        try (Operator operator = new Operator(port(), bucket)) {
            operator.delete("=mandate." + key.path().replace('/', '.') + ".=");
        }
    }

    @Override
    public List<String> left(RecordKey prefix) throws Exception {
        String start = "=mandate." + prefix.path().replace('/', '.') + ".";
        try (Operator operator = new Operator(port(), bucket)) {
            return operator.kv().keys().stream()
                    .filter(key -> key.startsWith(start))
                    .toList();
        }
    }
}
