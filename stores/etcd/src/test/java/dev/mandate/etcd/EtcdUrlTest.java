package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.RotatingSecret;
import dev.mandate.testkit.Certificates;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** URLs of etcd: what they mean, and what is wrong with them. */
class EtcdUrlTest {
    private static final String CANARY = "Canary7yrucse";
    private static final RecordKey KEY = RecordKey.election("a b");

    @TempDir
    Path folder;

    private static EtcdSettings settings(String url) {
        return EtcdUrl.settings(StoreUrl.parse(url));
    }

    @Test
    void theParts() {
        EtcdSettings all = settings("etcd://app:" + CANARY + "@a:1,10.0.0.1,[::1]/team%20a/x?format=raw");

        assertThat(all.hosts()).extracting(Object::toString).containsExactly("a:1", "10.0.0.1:2379", "[::1]:2379");
        assertThat(all.user()).isEqualTo("app");
        assertThat(all.password()).extracting(RotatingSecret::current).isEqualTo(CANARY);
        assertThat(all.raw()).isTrue();
        assertThat(all.isEncrypted()).isFalse();
        assertThat(all.channel()).isInstanceOf(InsecureChannelCredentials.class);
        assertThat(all.keys().path(KEY)).isEqualTo("/team a/x/leaders/a%20b");
        assertThat(all.keys().path(new RecordKey(RecordKey.REGISTRATIONS, List.of("web", "1"))))
                .isEqualTo("/team a/x/mandate/registration/web/1");
        assertThat(all).hasToString("etcd a:1,10.0.0.1:2379,[::1]:2379");
        EtcdSettings few = settings("etcds://h");
        assertThat(few.user()).isEmpty();
        assertThat(few.password()).isNull();
        assertThat(few.raw()).isFalse();
        assertThat(few.isEncrypted()).isTrue();
        assertThat(few.acceptsStaleLeader()).isFalse();
        assertThat(settings("etcd://h?staleLeader=refuse").acceptsStaleLeader()).isFalse();
        assertThat(settings("etcd://h?staleLeader=accept").acceptsStaleLeader()).isTrue();
        assertThat(few.channel()).isInstanceOf(TlsChannelCredentials.class);
        assertThat(few.keys().path(KEY)).isEqualTo("/leaders/a%20b");
        assertThat(settings("etcd://h/").keys().path(KEY)).isEqualTo("/leaders/a%20b");
        assertThat(settings("etcd://h/p/").keys().path(KEY)).isEqualTo("/p/leaders/a%20b");
    }

    @Test
    void aKeyIsTakenAsItIs() {
        assertThat(settings("etcd://h/p?key=MyApp/leader").keys().path(KEY)).isEqualTo("MyApp/leader");
        assertThat(settings("etcd://h?key=/leaders/my%20service").keys().path(KEY))
                .isEqualTo("/leaders/my service");
        assertThat(settings("etcd://h/p?key=/mandate/{election}").keys().path(KEY))
                .isEqualTo("/mandate/a%20b");
    }

    @Test
    void whatIsWrongIsNamed() {
        refused("etcd://h?key=/mandate/{election}", "'/mandate/{election}'", "collide");
        refused("etcd://h/p?key=/p/{election}", "collide", "/p/mandate/");
        refused("etcd://h/{election}", "path", "'key'");
        refused("etcd://h/%00", "path", "U+0000");
        refused("etcd://h?format=xml", "'format'", "'xml'");
        refused("etcd://h?staleLeader=yes", "'staleLeader'", "'yes'", "refuse or accept");
        refused("etcd://h?serverName=x", "'serverName'", "etcds:");
        refused("etcds://h?certFile=x", "certFile", "keyFile");
        refused("etcd://app@h", "'app'", "passwordFile");
        refused("etcd://:" + CANARY + "@h", "no user");
        refused("etcd://app:" + CANARY + "@h?passwordEnv=PATH", "more than one password");
    }

    @Test
    void secretsAsPlainTextAreAnErrorForTheDoctor() {
        assertThat(secrets("etcd://app:" + CANARY + "@h")).hasValueSatisfying(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.ERROR);
            assertThat(finding.sentence())
                    .contains("'app'", "plain text", "etcds:")
                    .doesNotContain(CANARY);
        });
        assertThat(secrets("etcd://localhost,h"))
                .hasValueSatisfying(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
        assertThat(secrets("etcds://app:" + CANARY + "@h"))
                .hasValueSatisfying(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK));
        assertThat(secrets("etcd://app:" + CANARY + "@localhost,127.0.0.1,[::1]"))
                .isEmpty();
    }

    private static Optional<Finding> secrets(String url) {
        return EtcdDiagnosis.secrets(settings(url));
    }

    private static void refused(String url, String... words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(url))
                .withMessageContainingAll(words)
                .withMessageNotContaining(CANARY);
    }

    @Test
    void aKeyWithAPasswordIsToldHowToConvert() throws Exception {
        Path certificate = new Certificates(folder).certificate("ca");
        for (String content : List.of(
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\n" + CANARY + "\n-----END ENCRYPTED PRIVATE KEY-----\n",
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + CANARY
                        + "\n-----END RSA PRIVATE KEY-----\n",
                "-----BEGIN EC PRIVATE KEY-----\n" + CANARY + "\n-----END EC PRIVATE KEY-----\n")) {
            Path key = Files.writeString(folder.resolve("some.key"), content);

            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> settings("etcds://h?certFile=" + certificate + "&keyFile=" + key))
                    .withMessageContainingAll("some.key", "keyFile", "openssl pkcs8 -topk8 -nocrypt")
                    .withMessageNotContaining(CANARY);
        }
    }
}
