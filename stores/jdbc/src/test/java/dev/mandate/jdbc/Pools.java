package dev.mandate.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;

/** The pools that users bring, as they set them up. */
enum Pools {
    HIKARI {
        @Override
        DataSource open(String url, int connections, List<String> settings) {
            return hikari(url, connections, settings, true);
        }
    },
    /** Connections of which come with autocommit off. */
    HIKARI_TRANSACTIONS {
        @Override
        DataSource open(String url, int connections, List<String> settings) {
            return hikari(url, connections, settings, false);
        }
    },
    /** Waits for a free connection for ever. */
    DBCP {
        @Override
        DataSource open(String url, int connections, List<String> settings) {
            BasicDataSource pool = new BasicDataSource();
            pool.setUrl(url);
            pool.setMaxTotal(connections);
            pool.setMaxIdle(connections);
            pool.setConnectionInitSqls(settings);
            return pool;
        }
    };

    /** @param settings statements that each of its connections begins with */
    abstract DataSource open(String url, int connections, List<String> settings);

    private static HikariDataSource hikari(String url, int connections, List<String> settings, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(connections);
        config.setAutoCommit(autoCommit);
        // Else the settings are rolled back with the first user's transaction.
        config.setIsolateInternalQueries(true);
        if (!settings.isEmpty()) {
            config.setConnectionInitSql(String.join("; ", settings));
        }
        return new HikariDataSource(config);
    }

    static void close(DataSource pool) throws SQLException {
        try {
            ((AutoCloseable) pool).close();
        } catch (SQLException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException("the pool can't be closed", e);
        }
    }
}
