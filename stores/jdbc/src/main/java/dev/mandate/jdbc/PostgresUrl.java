package dev.mandate.jdbc;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * {@code postgresql://user:password@host:5432,host2/database?parameter=value}. Never puts a password into a message.
 */
final class PostgresUrl {
    static final Map<String, String> PARAMETERS = Map.of(
            "passwordFile", "a file whose first line is the password (PostgreSQL)",
            "passwordEnv", "the environment variable that holds the password (PostgreSQL)",
            "schema", "the schema of the tables, if it is not the user's first one (PostgreSQL)",
            "sslmode", "disable, allow, prefer, require, verify-ca or verify-full (PostgreSQL)",
            "caFile", "PEM file of the authorities to trust; then sslmode is verify-full unless given (PostgreSQL)",
            "certFile", "PEM file of the client's certificate (PostgreSQL)",
            "keyFile", "file of the client's key, PKCS-8 DER or PKCS-12 (PostgreSQL)",
            "prepareThreshold", "0 behind a pooler that forgets prepared statements (PostgreSQL)");

    private static final Set<String> SSL_MODES =
            Set.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full");
    private static final int PASSWORD_FILE_BYTES_MAX = 4096;
    private static final String FORM = "; write postgresql://user@host:5432/database";

    private PostgresUrl() {}

    static PostgresSource source(String rest, StoreUrl url) {
        if (!rest.startsWith("//")) {
            throw new IllegalArgumentException("the store URL names no host" + FORM);
        }
        int slash = rest.indexOf('/', 2);
        String authority = slash < 0 ? rest.substring(2) : rest.substring(2, slash);
        String database = slash < 0 ? "" : decode("database", rest.substring(slash + 1));
        if (database.isEmpty()) {
            throw new IllegalArgumentException("the store URL names no database" + FORM);
        }
        int at = authority.lastIndexOf('@');
        String hosts = authority.substring(at + 1);
        requireHosts(hosts);
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "mandate");
        if (hosts.contains(",")) {
            properties.setProperty("targetServerType", "primary");
        }
        credentials(at < 0 ? "" : authority.substring(0, at), url, properties);
        parameters(url, properties);
        String name = "PostgreSQL " + hosts + "/" + database;
        return PostgresSource.server(
                name,
                "jdbc:postgresql://" + hosts + "/" + URLEncoder.encode(database, StandardCharsets.UTF_8),
                properties);
    }

    private static void requireHosts(String hosts) {
        for (String host : hosts.split(",", -1)) {
            if (!host.matches("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%a-z]+])(:[0-9]{1,5})?")
                    || host.matches(".*[^:]:[0-9]{5}") && port(host) > 65_535) {
                throw new IllegalArgumentException("the store URL names the host '" + host
                        + "'; write a name or an address ([in brackets] if it has colons),"
                        + " and after a colon a port up to 65535");
            }
        }
    }

    private static int port(String host) {
        return Integer.parseInt(host.substring(host.lastIndexOf(':') + 1));
    }

    private static void credentials(String userInfo, StoreUrl url, Properties properties) {
        int colon = userInfo.indexOf(':');
        String user = decode("user", colon < 0 ? userInfo : userInfo.substring(0, colon));
        if (!user.isEmpty()) {
            properties.setProperty("user", user);
        }
        Optional<String> file = url.parameter("passwordFile");
        Optional<String> variable = url.parameter("passwordEnv");
        int given = (colon < 0 ? 0 : 1) + (file.isPresent() ? 1 : 0) + (variable.isPresent() ? 1 : 0);
        if (given > 1) {
            throw new IllegalArgumentException(
                    "the store URL gives more than one password; keep user:password@, passwordFile or passwordEnv");
        }
        if (colon >= 0) {
            properties.setProperty("password", decode("password", userInfo.substring(colon + 1)));
        }
        file.ifPresent(path -> properties.setProperty("password", passwordIn(Path.of(path))));
        variable.ifPresent(name -> properties.setProperty("password", passwordOf(name)));
    }

    private static String passwordIn(Path file) {
        try {
            if (Files.size(file) > PASSWORD_FILE_BYTES_MAX) {
                throw new StoreSetupException(
                        "the password file " + file + " has more than " + PASSWORD_FILE_BYTES_MAX + " bytes");
            }
            return Files.readString(file).lines().findFirst().orElse("");
        } catch (IOException e) {
            throw new StoreSetupException("the password file " + file + " can't be read: " + e, e);
        }
    }

    private static String passwordOf(String variable) {
        String password = System.getenv(variable);
        if (password == null) {
            throw new StoreSetupException(
                    "the environment variable " + variable + ", named by passwordEnv, is not set");
        }
        return password;
    }

    private static void parameters(StoreUrl url, Properties properties) {
        url.parameter("schema").ifPresent(schema -> properties.setProperty("currentSchema", quoted(schema)));
        url.parameter("caFile").ifPresent(file -> {
            properties.setProperty("sslrootcert", file);
            properties.setProperty("sslmode", "verify-full");
        });
        url.parameter("certFile").ifPresent(file -> properties.setProperty("sslcert", file));
        url.parameter("keyFile").ifPresent(file -> properties.setProperty("sslkey", file));
        url.parameter("sslmode").ifPresent(mode -> {
            if (!SSL_MODES.contains(mode)) {
                throw new IllegalArgumentException(
                        "the parameter 'sslmode' of the store URL is '" + mode + "'; write one of "
                                + String.join(", ", SSL_MODES.stream().sorted().toList()));
            }
            properties.setProperty("sslmode", mode);
        });
        url.parameter("prepareThreshold").ifPresent(threshold -> {
            if (!threshold.matches("[0-9]{1,4}")) {
                throw new IllegalArgumentException("the parameter 'prepareThreshold' of the store URL is '" + threshold
                        + "'; write a number from 0 to 9999");
            }
            properties.setProperty("prepareThreshold", threshold);
        });
    }

    /** The driver takes a search path; a schema's name may hold what separates one. */
    private static String quoted(String schema) {
        return '"' + schema.replace("\"", "\"\"") + '"';
    }

    private static String decode(String what, String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // The cause would quote what may be a password.
            throw new IllegalArgumentException(
                    "the " + what + " in the store URL is badly percent-encoded; write % as %25");
        }
    }
}
