/**
 * Elections in SQLite and PostgreSQL, and the fence for the user's own tables.
 *
 * <p>The application brings the driver. On the module path, {@code java.sql} finds it as a service.
 */
module dev.mandate.jdbc {
    requires transitive dev.mandate;
    requires transitive java.sql;
    requires dev.mandate.support;
    requires static org.postgresql.jdbc;
    requires static org.xerial.sqlitejdbc;
    requires static org.jspecify;

    exports dev.mandate.jdbc;

    provides dev.mandate.spi.ElectionStoreProvider with
            dev.mandate.jdbc.JdbcStoreProvider;
}
