package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.RotatingSecret;
import java.nio.file.Path;
import java.util.Properties;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** What the parts of a URL mean. */
class UrlTest {
    private static PostgresSource source(String url) {
        StoreUrl parsed = StoreUrl.parse(url);
        return PostgresUrl.source(parsed.rest(), parsed);
    }

    private static Path path(String url) {
        StoreUrl parsed = StoreUrl.parse(url);
        return SqliteUrl.path(parsed.rest(), parsed);
    }

    @Test
    void theProviderIsFoundByItsSchemes() {
        assertThat(ServiceLoader.load(ElectionStoreProvider.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(JdbcStoreProvider.class::isInstance))
                .singleElement()
                .satisfies(provider -> {
                    assertThat(provider.schemes())
                            .containsExactlyInAnyOrder("sqlite", "postgresql", "postgres", "jdbc");
                    assertThat(provider.parameters()).containsKeys("create", "passwordEnv", "sslmode");
                });
    }

    @Test
    void partsAreDecodedAndPasswordsStayHidden() {
        PostgresSource source = source("postgresql://app%40x:p%2F%3A%40ss@db1:5433,[::1]:5432/my%20db");
        Properties properties = source.properties();

        assertThat(properties)
                .containsEntry("user", "app@x")
                .containsEntry("targetServerType", "primary")
                .doesNotContainKey("password");
        assertThat(source.password()).extracting(RotatingSecret::current).isEqualTo("p/:@ss");
        assertThat(source.name()).isEqualTo("PostgreSQL db1:5433,[::1]:5432/my db");
    }

    @Test
    void anAuthorityToTrustMeansThatTheServerIsVerified() {
        String url = "postgresql://db/x?caFile=/ca.pem&certFile=/c.pem&keyFile=/k.pem";

        assertThat(source(url).properties())
                .containsEntry("sslrootcert", "/ca.pem")
                .containsEntry("sslmode", "verify-full")
                .containsEntry("sslcert", "/c.pem")
                .containsEntry("sslkey", "/k.pem")
                .containsEntry("sslfactory", PostgresTls.class.getName());
        assertThat(source(url + "&sslmode=verify-ca").properties()).containsEntry("sslmode", "verify-ca");
        assertThat(source("postgresql://db/x").properties()).doesNotContainKeys("sslmode", "sslfactory");
        assertThat(source("postgresql://db/x?sslmode=verify-full").properties()).containsKey("sslfactory");
        assertThat(source(url + "&sslmode=require").properties()).doesNotContainKey("sslfactory");
        assertThat(StoreUrl.parse(url).holdsSecret()).isFalse();
        assertThat(StoreUrl.parse("postgresql://db/x?passwordEnv=DB_PASSWORD").holdsSecret())
                .isFalse();
    }

    @Test
    void aSchemaIsOneNameWhateverItHolds() {
        assertThat(source("postgresql://db/x?schema=a%2Cb%22c&prepareThreshold=0")
                        .properties())
                .containsEntry("currentSchema", "\"a,b\"\"c\"")
                .containsEntry("prepareThreshold", "0");
    }

    @Test
    void filesAreAbsoluteRelativeOrEncoded() {
        assertThat(path("sqlite:/a/b.db")).isEqualTo(Path.of("/a/b.db"));
        assertThat(path("sqlite:///a/b.db")).isEqualTo(Path.of("/a/b.db"));
        assertThat(path("sqlite:b.db")).isEqualTo(Path.of("b.db").toAbsolutePath());
        assertThat(path("sqlite:/a/50%25+1 ä.db")).isEqualTo(Path.of("/a/50%+1 ä.db"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> path("sqlite:/a/what%3F.db"))
                .withMessageContaining("'/a/what?.db'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> path("sqlite:/a/%00.db"))
                .withMessageContaining("names no possible file");
    }

    private static void refused(String url, String... words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> {
                    if (url.startsWith("sqlite")) {
                        path(url);
                    } else {
                        source(url);
                    }
                })
                .withMessageContainingAll(words);
    }

    @Test
    void aFileIsOnThisMachineAndPlain() {
        refused("sqlite:", "names no file; write sqlite:/path/file.db");
        refused("sqlite://", "names a host");
        refused("sqlite://server/a.db", "names a host", "sqlite:/path/file.db");
        refused("sqlite::memory:", "names no plain file");
        refused("sqlite:file:a.db", "names no plain file");
        refused("sqlite:/a/%zz.db", "badly percent-encoded; write % as %25");
        assertThat(path("sqlite:/a/../b.db")).isEqualTo(Path.of("/b.db"));
    }

    @Test
    void aServersUrlNamesHostAndDatabase() {
        refused("postgresql:x", "names no host; write postgresql://user@host:5432/database");
        refused("postgresql://db", "names no database; write postgresql://user@host:5432/database");
        refused("postgresql://db/", "names no database");
        Properties one = source("postgresql://db/x").properties();
        assertThat(one).containsEntry("ApplicationName", "mandate").doesNotContainKeys("user", "targetServerType");
        assertThat(source("postgresql://db/x").password()).isNull();
        assertThat(source("postgresql://db/x").name()).isEqualTo("PostgreSQL db/x");
        assertThat(source("postgresql://db/x").isShared()).isFalse();
        assertThat(source("postgresql://db/x").maxAgeNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aParameterHasAValueThatTheDriverKnows() {
        refused(
                "postgresql://db/x?sslmode=always",
                "'sslmode' of the store URL is 'always'",
                "allow, disable, prefer, require, verify-ca, verify-full");
        refused("postgresql://db/x?certFile=/c.pem", "gives one of certFile and keyFile");
        refused("postgresql://db/x?keyFile=/k.pem", "gives one of certFile and keyFile");
        for (String odd : new String[] {"-1", "10000", "x"}) {
            refused("postgresql://db/x?prepareThreshold=" + odd, "'prepareThreshold'", "'" + odd + "'", "0 to 9999");
        }
        assertThat(source("postgresql://db/x?prepareThreshold=9999").properties())
                .containsEntry("prepareThreshold", "9999");
        assertThat(source("postgresql://db/x").properties()).doesNotContainKeys("prepareThreshold", "currentSchema");
    }
}
