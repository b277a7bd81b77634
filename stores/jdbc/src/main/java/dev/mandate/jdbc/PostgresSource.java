package dev.mandate.jdbc;

import dev.mandate.StoreSetupException;
import dev.mandate.support.RotatingSecret;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens connections to PostgreSQL. */
final class PostgresSource {
    /** The timeout for restoring a shared connection. */
    static final int FAREWELL_MILLIS = 2_000;

    /** SQLSTATEs of a rejected user or password. */
    private static final Set<String> REJECTED = Set.of("28P01", "28000");

    private final String name;
    private final @Nullable String url;
    private final Properties properties;
    private final @Nullable RotatingSecret<String> password;
    private final @Nullable DataSource dataSource;
    private final long maxAgeNanos;

    private PostgresSource(
            String name,
            @Nullable String url,
            Properties properties,
            @Nullable RotatingSecret<String> password,
            @Nullable DataSource dataSource,
            long maxAgeNanos) {
        this.name = name;
        this.url = url;
        this.properties = properties;
        this.password = password;
        this.dataSource = dataSource;
        this.maxAgeNanos = maxAgeNanos;
    }

    /**
     * A server.
     *
     * @param name for messages, without secrets
     * @param url for the driver, without secrets
     * @param properties for the driver: the user and the like
     * @param password null for none
     */
    static PostgresSource server(
            String name, String url, Properties properties, @Nullable RotatingSecret<String> password) {
        return new PostgresSource(name, url, properties, password, null, Long.MAX_VALUE);
    }

    /** The user's data source. */
    static PostgresSource of(DataSource dataSource) {
        return of(dataSource, Duration.ofMinutes(5));
    }

    /** The same; a connection is replaced after {@code maxAge}. */
    static PostgresSource of(DataSource dataSource, Duration maxAge) {
        return new PostgresSource("PostgreSQL data source", null, new Properties(), null, dataSource, maxAge.toNanos());
    }

    String name() {
        return name;
    }

    /** The driver's properties, without the password. */
    Properties properties() {
        return properties;
    }

    /** The password; null for none. */
    @Nullable
    RotatingSecret<String> password() {
        return password;
    }

    /** Whether connections go back to a data source that others use. */
    boolean isShared() {
        return dataSource != null;
    }

    long maxAgeNanos() {
        return maxAgeNanos;
    }

    /**
     * Opens a connection. If the server rejects the password and its file has a new one, tries that, too.
     *
     * @param millis how long it may take, rounded up to seconds; a data source may take any time
     */
    Connection open(long millis) throws SQLException {
        if (dataSource != null) {
            return dataSource.getConnection();
        }
        if (password == null) {
            return connect(millis, null);
        }
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        String first = password.forLogin();
        try {
            return connect(millis, first);
        } catch (SQLException e) {
            long left = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
            if (left > 0 && REJECTED.contains(String.valueOf(e.getSQLState())) && password.rejected(first)) {
                return connect(left, password.current());
            }
            throw e;
        }
    }

    private Connection connect(long millis, @Nullable String secret) throws SQLException {
        Properties all = new Properties();
        all.putAll(properties);
        if (secret != null) {
            all.setProperty("password", secret);
        }
        String seconds = Long.toString(Math.max(1, (millis + 999) / 1000));
        all.setProperty("connectTimeout", seconds);
        all.setProperty("loginTimeout", seconds);
        all.setProperty("socketTimeout", seconds);
        all.setProperty("tcpKeepAlive", "true");
        Connection connection;
        try {
            connection = new org.postgresql.Driver().connect(String.valueOf(url), all);
        } catch (LinkageError e) {
            throw new StoreSetupException(
                    name + ": the driver of PostgreSQL is missing; add org.postgresql:postgresql to the class path", e);
        }
        if (connection == null) {
            throw new SQLException("the driver does not know the URL", "08001");
        }
        return connection;
    }
}
