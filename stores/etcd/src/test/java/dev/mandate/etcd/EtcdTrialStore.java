package dev.mandate.etcd;

import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialServer;
import dev.mandate.testkit.TrialStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A real server with clients. History is compacted while a watch is cut off. */
record EtcdTrialStore(String version, ServerExtension etcd) implements TrialStore {
    private int port() {
        return etcd.server().port("client");
    }

    private static String parameters(Duration lease) {
        return "?lease=" + lease.toSeconds() + "s";
    }

    private String url(int port) {
        return EtcdServer.url(port) + parameters(lease());
    }

    @Override
    public String url(Duration lease) {
        return EtcdServer.url(port()) + parameters(lease);
    }

    @Override
    public Duration lease() {
        return EtcdTrials.LEASE;
    }

    @Override
    public Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(port(), this::url));
    }

    /** Whose user may write {@code /leaders/} and nothing else. */
    @Override
    public Optional<Restricted> restricted(String space, Duration lease) {
        ServerProcess server = EtcdAuthScenarios.start("--auth-token", "simple");
        String url = EtcdAuthScenarios.url("app", server.port("client")) + parameters(lease);
        return Optional.of(new Restricted(url, List.of(space + "/", "lacks rights"), server));
    }

    @Override
    public Optional<OwnStore> own() {
        TrialServer server = TrialServer.of(EtcdServer.alone(version), "client");
        return Optional.of(OwnStore.of(server, url(server.port())));
    }

    @Override
    public void delete(RecordKey key) {
        try (Operator operator = new Operator(port())) {
            operator.delete("/mandate/" + key.path());
        }
    }

    @Override
    public List<String> left(RecordKey prefix) {
        try (Operator operator = new Operator(port())) {
            return operator.keys("/mandate/" + prefix.path() + "/");
        }
    }

    /** What the watch has missed is forgotten, so that it can't go on where it was. */
    @Override
    public void whileCutOff() {
        try (Operator operator = new Operator(port())) {
            operator.compact();
        }
    }
}
