package dev.mandate.etcd;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Rotation;
import dev.mandate.testkit.ServerProcess;
import io.etcd.jetcd.api.AuthUserChangePasswordRequest;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A password that is changed while a leader leads, which ends all tokens of its user. */
@Execution(ExecutionMode.CONCURRENT)
class EtcdRotationServerIT {
    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final int TOKEN_SECONDS = 2;

    /** The password is changed in the file after the server was told, and then before. */
    @Test
    void aTermOutlivesRotatedPasswords(@TempDir Path folder) throws Exception {
        Path file = Rotation.write(folder.resolve("password"), EtcdAuthScenarios.PASSWORD + "\n");
        try (ServerProcess server = EtcdAuthScenarios.start("--auth-token-ttl", Integer.toString(TOKEN_SECONDS));
                ElectionClient client = ElectionClient.connect(
                        "etcd://app@127.0.0.1:" + server.port("client") + "?lease=12s&passwordFile=" + file);
                Leadership term = client.election("rotated").campaign("x")) {
            changePassword(server, "two");
            Await.passing(Duration.ofSeconds(1));
            Rotation.write(file, "two\n");
            Rotation.isOutlivedBy(term, LEASE);

            Rotation.write(file, "three\n");
            // Long enough for the token to end, and to be asked for anew.
            Await.passing(LEASE.dividedBy(2));
            changePassword(server, "three");
            Rotation.isOutlivedBy(term, LEASE);
        }
    }

    private static void changePassword(ServerProcess server, String password) {
        try (Operator operator = new Operator(server.port("client"))) {
            var changed = EtcdAuthScenarios.asRoot(operator)
                    .userChangePassword(AuthUserChangePasswordRequest.newBuilder()
                            .setName("app")
                            .setPassword(password)
                            .build());
        }
    }
}
