package dev.mandate.jdbc;

import dev.mandate.spi.StoreUrl;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreSecret;
import dev.mandate.support.StoreTls;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** {@code postgresql://user:password@host:5432,host2/database?parameter=value}. Messages contain no password. */
final class PostgresUrl {
    static final Map<String, String> PARAMETERS = Map.of(
            "passwordFile", "a file whose first line is the password (PostgreSQL)",
            "passwordEnv", "the environment variable that holds the password (PostgreSQL)",
            "schema", "the schema of the tables, if it is not the user's first one (PostgreSQL)",
            "sslmode", "disable, allow, prefer, require, verify-ca or verify-full (PostgreSQL)",
            "caFile",
                    "PEM file of the authorities to trust; with any of these files sslmode is verify-full unless given",
            "certFile", "PEM file of the client's certificate (PostgreSQL)",
            "keyFile", "PEM file of the client's key, without a password (PostgreSQL)",
            "prepareThreshold", "0 behind a pooler that forgets prepared statements (PostgreSQL)");

    private static final Set<String> SSL_MODES =
            Set.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full");
    /** Only named here, not loaded: it needs the driver, whose absence is reported later. */
    private static final String TLS_FACTORY = "dev.mandate.jdbc.PostgresTls";

    private static final Map<String, String> TLS_FILES = Map.of(
            StoreTls.CA_FILE, PostgresTls.CA_FILE,
            StoreTls.CERT_FILE, PostgresTls.CERT_FILE,
            StoreTls.KEY_FILE, PostgresTls.KEY_FILE);
    private static final String FORM = "postgresql://user@host:5432/database";

    private PostgresUrl() {}

    static PostgresSource source(String rest, StoreUrl url) {
        StoreAuthority authority = StoreAuthority.parse(rest, FORM);
        String database = StoreAuthority.decode("database", authority.path());
        if (database.isEmpty()) {
            throw new IllegalArgumentException("the store URL names no database; write " + FORM);
        }
        String hosts = authority.hostsText();
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "mandate");
        if (hosts.contains(",")) {
            properties.setProperty("targetServerType", "primary");
        }
        if (!authority.user().isEmpty()) {
            properties.setProperty("user", authority.user());
        }
        parameters(url, properties);
        return PostgresSource.server(
                "PostgreSQL " + hosts + "/" + database,
                "jdbc:postgresql://" + hosts + "/" + URLEncoder.encode(database, StandardCharsets.UTF_8),
                properties,
                StoreSecret.of(url, "password", authority.password().orElse(null))
                        .orElse(null));
    }

    private static void parameters(StoreUrl url, Properties properties) {
        url.parameter("schema").ifPresent(schema -> properties.setProperty("currentSchema", quoted(schema)));
        if (url.parameter(StoreTls.CERT_FILE).isPresent()
                != url.parameter(StoreTls.KEY_FILE).isPresent()) {
            throw new IllegalArgumentException(
                    "the store URL gives one of certFile and keyFile; a client's certificate needs both");
        }
        TLS_FILES.forEach((name, property) -> url.parameter(name).ifPresent(file -> {
            properties.setProperty(property, file);
            properties.setProperty("sslmode", "verify-full");
        }));
        url.parameter("sslmode").ifPresent(mode -> {
            if (!SSL_MODES.contains(mode)) {
                throw new IllegalArgumentException(
                        "the parameter 'sslmode' of the store URL is '" + mode + "'; write one of "
                                + String.join(", ", SSL_MODES.stream().sorted().toList()));
            }
            properties.setProperty("sslmode", mode);
        });
        if (properties.getProperty("sslmode", "").startsWith("verify-")) {
            properties.setProperty("sslfactory", TLS_FACTORY);
        }
        url.parameter("prepareThreshold").ifPresent(threshold -> {
            if (!threshold.matches("[0-9]{1,4}")) {
                throw new IllegalArgumentException("the parameter 'prepareThreshold' of the store URL is '" + threshold
                        + "'; write a number from 0 to 9999");
            }
            properties.setProperty("prepareThreshold", threshold);
        });
    }

    /** Quotes a schema's name: the driver takes a search path, and a name may contain its separator. */
    private static String quoted(String schema) {
        return '"' + schema.replace("\"", "\"\"") + '"';
    }
}
