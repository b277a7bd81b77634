package dev.mandate.nats;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Certificates;
import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.Rotation;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each kind of secret changes while a leader leads; the server ends the connections of those that are over. */
@Execution(ExecutionMode.CONCURRENT)
class NatsRotationServerIT {
    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @BeforeEach
    void require() {
        ServerBinary.named(NatsServer.V215).require();
    }

    private ServerProcess start(String config, String... more) {
        return NatsServer.alone(ServerProcess.of(ServerBinary.named(NatsServer.V215)))
                .arguments("-c", config(config).toString())
                .arguments(more)
                .start();
    }

    private Path config(String text) {
        return Rotation.write(folder.resolve("server.conf"), text + "\n");
    }

    private void reload(ServerProcess server, String text) throws Exception {
        config(text);
        int failed = new ProcessBuilder("kill", "-HUP", Long.toString(server.pid()))
                .start()
                .waitFor();
        if (failed != 0) {
            throw new AssertionError("kill -HUP ended with " + failed);
        }
    }

    private static String url(int port, String user, String parameters) {
        return "nats://" + user + "127.0.0.1:" + port + "/" + NatsUrl.BUCKET + "?lease=12s&" + parameters;
    }

    /** The secret is changed in the file after the server was told, and then before. */
    private void outlives(String user, String parameter, String[] config, String[] secret) throws Exception {
        Path file = Rotation.write(folder.resolve("secret"), secret[0] + "\n");
        try (ServerProcess server = start(config[0]);
                FaultProxy network = FaultProxy.to("127.0.0.1", server.port("client"));
                ElectionClient client = ElectionClient.connect(url(network.port(), user, parameter + "=" + file));
                Leadership term = client.election("rotated").campaign("x")) {
            reload(server, config[1]);
            Await.passing(Duration.ofSeconds(1));
            Rotation.write(file, secret[1] + "\n");
            Rotation.isOutlivedBy(term, LEASE);

            Rotation.write(file, secret[2] + "\n");
            network.reset();
            Await.passing(Duration.ofSeconds(2));
            reload(server, config[2]);
            Rotation.isOutlivedBy(term, LEASE);
        }
    }

    @Test
    void aTermOutlivesRotatedPasswords() throws Exception {
        String config = "authorization { users = [ { user: app, password: %s } ] }";
        outlives(
                "app@",
                "passwordFile",
                new String[] {config.formatted("one"), config.formatted("two"), config.formatted("three")},
                new String[] {"one", "two", "three"});
    }

    @Test
    void aTermOutlivesRotatedTokens() throws Exception {
        String config = "authorization { token: %s }";
        outlives(
                "",
                "tokenFile",
                new String[] {config.formatted("one"), config.formatted("two"), config.formatted("three")},
                new String[] {"one", "two", "three"});
    }

    @Test
    void aTermOutlivesRotatedKeys() throws Exception {
        String config = "authorization { users = [ { nkey: %s } ] }";
        Jwt[] users = {new Jwt(NKey.USER), new Jwt(NKey.USER), new Jwt(NKey.USER)};
        outlives(
                "",
                "nkeyFile",
                new String[] {
                    config.formatted(users[0].name()),
                    config.formatted(users[1].name()),
                    config.formatted(users[2].name())
                },
                new String[] {users[0].seed(), users[1].seed(), users[2].seed()});
    }

    /** The server ends a connection when its JWT ends. */
    @Test
    void aTermOutlivesItsCredentials() throws Exception {
        Jwt operator = new Jwt(Jwt.OPERATOR);
        Jwt system = new Jwt(Jwt.ACCOUNT);
        Jwt account = new Jwt(Jwt.ACCOUNT);
        Jwt user = new Jwt(NKey.USER);
        Path file = folder.resolve("app.creds");
        try (ServerProcess server = start(NatsCredentialsServerIT.accounts(operator, system, account))) {
            Instant end = Instant.now().plusSeconds(12);
            Rotation.write(file, user.creds(account.sign(user, NatsCredentialsServerIT.RIGHTS, end)));
            try (ElectionClient client = ElectionClient.connect(url(server.port("client"), "", "credsFile=" + file));
                    Leadership term = client.election("rotated").campaign("x")) {
                Jwt another = new Jwt(NKey.USER);
                Rotation.write(file, another.creds(account.sign(another, NatsCredentialsServerIT.RIGHTS)));
                Await.until("the end of the first", MINUTE, () -> Instant.now().isAfter(end));
                Rotation.isOutlivedBy(term, LEASE);
            }
        }
    }

    /** The first certificate ends, and with it whatever connection is made again. */
    @Test
    void aTermOutlivesItsClientsCertificate() throws Exception {
        Certificates certificates = new Certificates(folder).sign("server", "-ext", "san=ip:127.0.0.1");
        Path certificate = folder.resolve("rotated.pem");
        Path key = folder.resolve("rotated-key.pem");
        try (ServerProcess server = start(
                        "",
                        "--tlsverify",
                        "--tlscert",
                        certificates.certificate("server").toString(),
                        "--tlskey",
                        certificates.key("server").toString(),
                        "--tlscacert",
                        certificates.certificate("ca").toString());
                FaultProxy network = FaultProxy.to("127.0.0.1", server.port("client"))) {
            certificates.sign("second").signFor(Duration.ofSeconds(40), "first");
            Rotation.copy(certificates.certificate("first"), certificate);
            Rotation.copy(certificates.key("first"), key);
            String url = url(network.port(), "", "caFile=" + certificates.certificate("ca"))
                    .replace("nats:", "tls:");
            try (ElectionClient client = ElectionClient.connect(url + "&certFile=" + certificate + "&keyFile=" + key);
                    Leadership term = client.election("rotated").campaign("x")) {
                Rotation.copy(certificates.certificate("second"), certificate);
                Rotation.copy(certificates.key("second"), key);
                Await.until(
                        "the end of the first",
                        MINUTE,
                        () -> Instant.now().isAfter(certificates.end("first").plusSeconds(1)));
                network.reset();
                Rotation.isOutlivedBy(term, LEASE);
            }
        }
    }
}
