package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Certificates;
import dev.mandate.testkit.StoreClient;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A real PostgreSQL with TLS, whom we trust, and who we are. */
@ExtendWith(PostgresServer.class)
class PostgresTlsServerIT {
    @TempDir
    static Path folder;

    private static Certificates certificates;
    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void start() throws Exception {
        certificates = new Certificates(folder);
        certificates.sign("server", "-ext", "san=dns:localhost", "-startdate", "-1d", "-validity", "30");
        certificates.sign("client", "-startdate", "-1d", "-validity", "30");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(certificates.key("server"), PosixFilePermissions.fromString("rw-------"));
        postgres = EmbeddedPostgres.builder()
                .setServerConfig("ssl", "on")
                .setServerConfig(
                        "ssl_cert_file", certificates.certificate("server").toString())
                .setServerConfig("ssl_key_file", certificates.key("server").toString())
                .setServerConfig("ssl_ca_file", certificates.certificate("ca").toString())
                .start();
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            Jdbc.run(connection, "CREATE ROLE known LOGIN SUPERUSER");
            Path rules = Path.of(Jdbc.first(connection, "SHOW hba_file", row -> row.getString(1))
                    .orElseThrow());
            Files.writeString(
                    rules,
                    "hostssl all known all trust clientcert=verify-ca\nhost all known all reject\n"
                            + Files.readString(rules));
            Jdbc.run(connection, "SELECT pg_reload_conf()");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (postgres != null) {
            postgres.close();
        }
    }

    private static void leads(String user, String host, String parameters) {
        try (StoreClient client = new StoreClient(new JdbcStoreProvider()
                .open(StoreUrl.parse(
                        "postgresql://" + user + "@" + host + ":" + postgres.getPort() + "/postgres?" + parameters)))) {
            RecordKey key = StoreClient.key("tls");
            client.release(client.lead(key));
        }
    }

    private static void refused(String parameters, String... words) {
        refusedAt("localhost", parameters, words);
    }

    private static void refusedAt(String host, String parameters, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> leads("postgres", host, parameters))
                .withMessageContainingAll(words);
    }

    private static String ca() {
        return "caFile=" + certificates.certificate("ca");
    }

    @Test
    void theServerIsProvenByItsAuthority() {
        leads("postgres", "localhost", ca());
        leads("postgres", "localhost", "sslmode=require");
        leads("postgres", "127.0.0.1", ca() + "&sslmode=verify-ca");
        refused("caFile=" + folder.resolve("none.crt"), "caFile", "none.crt");
    }

    @Test
    void aServerOfAnotherNameIsRefusedForGood() {
        refusedAt("127.0.0.1", ca(), "names another host", "127.0.0.1", "sslmode=verify-ca");
    }

    @Test
    void theClientIsProvenByPemFiles() {
        String certificate = "&certFile=" + certificates.certificate("client") + "&keyFile=";

        leads("known", "localhost", ca() + certificate + certificates.key("client"));

        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> leads("known", "localhost", ca()))
                .withMessageContaining("refuses this user");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> leads("known", "localhost", "keyFile=" + certificates.key("client")))
                .withMessageContaining("needs both");
    }

    @Test
    void withoutAnAuthorityTheTrustOfTheJvmCounts() throws Exception {
        refused("sslmode=verify-full", "the server's certificate is not accepted", "caFile");
        Path trusted = folder.resolve("trusted.p12");
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream in = new FileInputStream(certificates.certificate("ca").toFile());
                OutputStream out = new FileOutputStream(trusted.toFile())) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
            store.store(out, "changeit".toCharArray());
        }
        System.setProperty("javax.net.ssl.trustStore", trusted.toString());
        System.setProperty("javax.net.ssl.trustStorePassword", "changeit");
        try {
            leads("postgres", "localhost", "sslmode=verify-full");
            leads(
                    "known",
                    "localhost",
                    "certFile=" + certificates.certificate("client") + "&keyFile=" + certificates.key("client"));
        } finally {
            System.clearProperty("javax.net.ssl.trustStore");
            System.clearProperty("javax.net.ssl.trustStorePassword");
        }
    }
}
