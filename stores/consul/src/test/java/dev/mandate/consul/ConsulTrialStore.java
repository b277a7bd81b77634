package dev.mandate.consul;

import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
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

/** A real Consul with clients; {@code folder} takes the file of a token. */
record ConsulTrialStore(ServerExtension consul, Path folder) implements TrialStore {
    private static final String KEYS = "/v1/kv/mandate/";

    private int port() {
        return consul.server().port("http");
    }

    @Override
    public String url(Duration lease) {
        return ConsulTrialsServerIT.through(port(), lease);
    }

    @Override
    public Duration lease() {
        return ConsulTrialsServerIT.LEASE;
    }

    @Override
    public Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(port(), ConsulTrialsServerIT::through));
    }

    /** Whose token may write {@code service/}, and read everything. */
    @Override
    public Optional<Restricted> restricted(String space, Duration lease) throws Exception {
        ServerProcess server = ConsulAclServerIT.started();
        String rules = ConsulAclServerIT.CANDIDATE + " key_prefix \"\" { policy = \"read\" }";
        Path token = Files.writeString(folder.resolve("token"), ConsulAclServerIT.token(server, rules));
        return Optional.of(new Restricted(
                ConsulTrialsServerIT.through(server.port("http"), lease) + "&tokenFile=" + token,
                List.of("acquiring " + space + "/", "Permission denied"),
                server));
    }

    @Override
    public Optional<OwnStore> own() {
        TrialServer server = TrialServer.of(ConsulServer.durable().start(), "http");
        return Optional.of(OwnStore.of(server, ConsulTrialsServerIT.through(server.port())));
    }

    @Override
    public void delete(RecordKey key) throws Exception {
        ConsulServer.delete(consul.server(), KEYS + key.path());
    }

    @Override
    public List<String> left(RecordKey prefix) throws Exception {
        return ConsulServer.get(consul.server(), KEYS + prefix.path() + "/?keys")
                .lines()
                .toList();
    }
}
