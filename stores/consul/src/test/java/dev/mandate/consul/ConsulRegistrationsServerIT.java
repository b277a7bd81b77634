package dev.mandate.consul;

import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Registered instances on a real Consul, killed, frozen, cut off and deleted by hand. Its leases are long, so the
 * trials run side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
class ConsulRegistrationsServerIT extends RegistrationTrials {
    private static final String REGISTRATIONS = "/v1/kv/mandate/registration/";

    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    @TempDir
    Path folder;

    private static String url(int port) {
        return ConsulTrialsServerIT.through(port);
    }

    private static int port() {
        return CONSUL.server().port("http");
    }

    @Override
    protected String url() {
        return url(port());
    }

    @Override
    protected Duration lease() {
        return ConsulTrialsServerIT.LEASE;
    }

    @Override
    protected Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(port(), ConsulRegistrationsServerIT::url));
    }

    /** Whose token may write {@code service/}, and read everything. */
    @Override
    protected Optional<Restricted> restricted() throws Exception {
        ServerProcess server = ConsulAclServerIT.started();
        String rules = ConsulAclServerIT.CANDIDATE + " key_prefix \"\" { policy = \"read\" }";
        Path token = Files.writeString(folder.resolve("token"), ConsulAclServerIT.token(server, rules));
        return Optional.of(new Restricted(
                url(server.port("http")) + "&tokenFile=" + token,
                List.of("acquiring registration/", "Permission denied"),
                server));
    }

    @Override
    protected Optional<OwnStore> own() {
        TrialServer server = TrialServer.of(ConsulServer.durable().start(), "http");
        return Optional.of(OwnStore.of(server, url(server.port())));
    }

    @Override
    protected void delete(String service, String id) throws Exception {
        ConsulServer.delete(CONSUL.server(), REGISTRATIONS + service + "/" + id);
    }

    @Override
    protected List<String> left(String service) throws Exception {
        return ConsulServer.get(CONSUL.server(), REGISTRATIONS + service + "/?keys")
                .lines()
                .toList();
    }
}
