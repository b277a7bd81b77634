package dev.mandate.nats;

import dev.mandate.ElectionClient;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.ServerBinary;
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

/** Registered instances on a real server, killed, frozen, cut off and deleted by hand. */
@Execution(ExecutionMode.CONCURRENT)
class Nats215RegistrationsServerIT extends RegistrationTrials {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final String PARAMETERS =
            "?lease=" + LEASE.toSeconds() + "s&registrationLease=" + LEASE.toSeconds() + "s";
    private static final String BUCKET = NatsServer.bucket();
    private static final String REGISTRATIONS = "=mandate.registration.";

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    @TempDir
    Path folder;

    private static int port() {
        return NATS.server().port("client");
    }

    private static String url(int port) {
        return NatsServer.url(port, BUCKET, PARAMETERS);
    }

    @Override
    protected String url() {
        return url(port());
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }

    @Override
    protected Optional<StoreWay> way() throws Exception {
        return Optional.of(StoreWay.through(port(), Nats215RegistrationsServerIT::url));
    }

    /** Whose user may publish everything but registrations. */
    @Override
    protected Optional<Restricted> restricted() throws Exception {
        Path config = Files.writeString(
                folder.resolve("server.conf"),
                "authorization { users = [\n{ user: all, password: x },\n"
                        + "{ user: app, password: x, permissions: { publish: { allow: \">\", deny: \"$KV." + BUCKET
                        + "."
                        + REGISTRATIONS + ">\" }, subscribe: \"_INBOX.>\" } }\n] }\n");
        ServerProcess server = NatsServer.alone(ServerProcess.of(ServerBinary.named(NatsServer.V215)))
                .arguments("-c", config.toString())
                .start();
        String url = "127.0.0.1:" + server.port("client") + "/" + BUCKET + PARAMETERS;
        // Makes the bucket.
        ElectionClient.connect("nats://all:x@" + url).close();
        return Optional.of(new Restricted(
                "nats://app:x@" + url, List.of("lacks rights", "$KV." + BUCKET + "." + REGISTRATIONS), server));
    }

    /**
     * Clients that knew the bucket make it again only when no leader of the lost one can believe any more, in ten
     * minutes. The newcomer of the trial makes it at once.
     */
    @Override
    protected Optional<OwnStore> own() {
        TrialServer server = TrialServer.of(
                NatsServer.alone(ServerProcess.of(ServerBinary.named(NatsServer.V215)))
                        .start(),
                "client");
        return Optional.of(OwnStore.of(server, url(server.port())));
    }

    @Override
    protected void delete(String service, String id) throws Exception {
        try (Operator operator = new Operator(port(), BUCKET)) {
            operator.delete(REGISTRATIONS + service + "." + id + ".=");
        }
    }

    @Override
    protected List<String> left(String service) throws Exception {
        try (Operator operator = new Operator(port(), BUCKET)) {
            return operator.kv().keys().stream()
                    .filter(key -> key.startsWith(REGISTRATIONS + service + "."))
                    .toList();
        }
    }
}
