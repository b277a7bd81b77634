package dev.mandate.etcd;

import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Registered instances on a real server, killed, frozen, cut off and deleted by hand. History is compacted while a
 * watch is cut off.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = EtcdServer.PEACE, mode = ResourceAccessMode.READ)
class Etcd35RegistrationsServerIT extends RegistrationTrials {
    private static final String REGISTRATIONS = "/mandate/registration/";

    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V35);

    private static int port() {
        return ETCD.server().port("client");
    }

    private static String parameters() {
        return "?lease=" + EtcdTrials.LEASE.toSeconds() + "s";
    }

    private static String url(int port) {
        return EtcdServer.url(port) + parameters();
    }

    @Override
    protected String url() {
        return url(port());
    }

    @Override
    protected Duration lease() {
        return EtcdTrials.LEASE;
    }

    @Override
    protected Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(port(), Etcd35RegistrationsServerIT::url));
    }

    /** Whose user may write {@code /leaders/} and nothing else. */
    @Override
    protected Optional<Restricted> restricted() {
        ServerProcess server = EtcdAuthScenarios.start("--auth-token", "simple");
        String url = EtcdAuthScenarios.url("app", server.port("client")) + parameters();
        return Optional.of(new Restricted(url, List.of("reading registration/", "lacks rights"), server));
    }

    @Override
    protected Optional<OwnStore> own() {
        TrialServer server = TrialServer.of(EtcdServer.alone(EtcdServer.V35), "client");
        return Optional.of(OwnStore.of(server, url(server.port())));
    }

    @Override
    protected void delete(String service, String id) {
        try (Operator operator = new Operator(port())) {
            operator.delete(REGISTRATIONS + service + "/" + id);
        }
    }

    @Override
    protected List<String> left(String service) {
        try (Operator operator = new Operator(port())) {
            return operator.keys(REGISTRATIONS + service + "/");
        }
    }

    /** What the watch has missed is forgotten, so that it can't go on where it was. */
    @Override
    protected void whileCutOff() {
        try (Operator operator = new Operator(port())) {
            operator.compact();
        }
    }
}
