package dev.mandate.jdbc;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code sqlite:/path/to/file.db} and {@code postgresql://user@host:5432/database}. Both may also begin with
 * {@code jdbc:}, as in JDBC URLs.
 */
public final class JdbcStoreProvider implements ElectionStoreProvider {
    private static final String JDBC = "jdbc";
    private static final String SQLITE = "sqlite";
    private static final Set<String> POSTGRES = Set.of("postgresql", "postgres");

    /** Found by {@link java.util.ServiceLoader}. */
    public JdbcStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(SQLITE, "postgresql", "postgres", JDBC);
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("create", "whether missing tables (and the SQLite file) are made: true (default) or false");
        parameters.putAll(PostgresUrl.PARAMETERS);
        return Map.copyOf(parameters);
    }

    @Override
    public Set<String> secretVariables() {
        return Set.of();
    }

    @Override
    public ElectionStore open(StoreUrl url) {
        String scheme = url.scheme();
        String rest = url.rest();
        if (scheme.equals(JDBC)) {
            int colon = rest.indexOf(':');
            scheme = colon < 0 ? "" : rest.substring(0, colon);
            rest = rest.substring(colon + 1);
        }
        boolean create = url.mayCreate();
        if (scheme.equals(SQLITE)) {
            PostgresUrl.PARAMETERS.keySet().forEach(name -> refuse(url, name));
            return JdbcElectionStore.open(
                    new SqliteDatabase(SqliteSource.file(SqliteUrl.path(rest, url), create)), create);
        }
        if (POSTGRES.contains(scheme)) {
            return JdbcElectionStore.open(new PostgresDatabase(PostgresUrl.source(rest, url)), create);
        }
        throw new IllegalArgumentException(
                "the store URL " + url + " names no known database; write jdbc:sqlite:… or jdbc:postgresql:…");
    }

    private static void refuse(StoreUrl url, String name) {
        if (url.parameter(name).isPresent()) {
            throw new IllegalArgumentException(
                    "the parameter '" + name + "' of the store URL is for PostgreSQL; leave it out for SQLite");
        }
    }
}
