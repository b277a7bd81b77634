package dev.mandate.jdbc;

import dev.mandate.FencingToken;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.RecordKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Lets only the newest leader write to a resource in the user's own database. A leader that was paused and continues
 * unaware has its statements refused, which no lease can guarantee.
 *
 * <pre>{@code
 * SqlFence fence = SqlFence.of(dataSource, "invoices");
 * election.runWhileLeader(address, leadership -> {
 *     fence.advance(leadership.fencingToken());          // from here on, every older token is refused
 *     while (leadership.isValid()) {
 *         fence.run(leadership.fencingToken(), connection -> book(connection));
 *     }
 * });
 * }</pre>
 *
 * <p><em>Not</em> protected: statements that bypass the fence, and anything outside this database. Tokens of different
 * elections are not comparable, so a resource belongs to one election; tokens of others are refused.
 *
 * <p>How it works. A row per resource holds the newest token seen. The first statement of every guarded transaction
 * writes its own token there, unless that is older, and so locks the row until the transaction ends. For an older
 * transaction <i>O</i> and a newer token <i>N</i>:
 *
 * <ol>
 *   <li><i>O has locked the row.</i> N waits. If O commits, it came before N. If O fails or the database ends it, it
 *       wrote nothing. Then N raises the token.
 *   <li><i>N has locked the row.</i> O waits, finds N's token, and is refused.
 *   <li><i>O pauses inside its transaction.</i> N waits until the database ends O at the idle timeout; N's lock timeout
 *       is longer. In databases without an idle timeout, N fails instead and should retry.
 * </ol>
 *
 * <p>Guarded transactions of one resource run one after the other. For parallel work use several resources, and advance
 * each. PostgreSQL and SQLite are supported. Any other database gets plain SQL; at the isolation level in use, it must
 * lock an updated row until the transaction ends.
 *
 * <p>Thread-safe, blocking; uses a connection per call.
 */
public final class SqlFence {
    /** How long a guarded transaction may be idle, by default. */
    public static final Duration IDLE_DEFAULT = Duration.ofSeconds(5);

    /** How long one transaction waits for another, by default. */
    public static final Duration LOCK_DEFAULT = Duration.ofSeconds(10);

    private static final int RESOURCE_MAX = 255;

    private static final String CREATE = "CREATE TABLE mandate_fence (resource VARCHAR(255) NOT NULL PRIMARY KEY,"
            + " election VARCHAR(512) NOT NULL, token BIGINT NOT NULL)";
    private static final String SEEN = "SELECT election, token FROM mandate_fence WHERE resource = ?";
    private static final String INSERT = "INSERT INTO mandate_fence (resource, election, token) VALUES (?, ?, ?)";
    private static final String RAISE =
            "UPDATE mandate_fence SET token = ? WHERE resource = ? AND election = ? AND token <= ?";
    private static final String RESET = "UPDATE mandate_fence SET election = ?, token = ? WHERE resource = ?";

    private final DataSource dataSource;
    private final String resource;
    private final Duration idle;
    private final Duration lock;

    private SqlFence(DataSource dataSource, String resource, Duration idle, Duration lock) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.resource = resource;
        this.idle = idle;
        this.lock = lock;
    }

    /**
     * A fence around one resource: all statements that must not interleave between two leaders.
     *
     * @param dataSource the database of the statements
     * @param resource any name, 1 to 255 characters; the key in table {@code mandate_fence}
     */
    public static SqlFence of(DataSource dataSource, String resource) {
        RecordKey.requireName("resource", resource);
        if (resource.length() > RESOURCE_MAX) {
            throw new IllegalArgumentException(
                    "resource has " + resource.length() + " characters; the limit is " + RESOURCE_MAX);
        }
        return new SqlFence(dataSource, resource, IDLE_DEFAULT, LOCK_DEFAULT);
    }

    /**
     * This fence with other timeouts, in whole milliseconds.
     *
     * @param newIdle how long a guarded transaction may be idle before the database ends it (PostgreSQL only)
     * @param newLock how long one transaction waits for another; longer than {@code newIdle}, so that a frozen leader
     *     can't make the next one fail
     */
    public SqlFence withTimeouts(Duration newIdle, Duration newLock) {
        if (newIdle.toMillis() < 1 || newIdle.compareTo(newLock) >= 0 || newLock.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("idle time-out " + newIdle + " and lock time-out " + newLock
                    + " do not fit: idle must be at least 1 ms, lock longer than that and at most 1 h");
        }
        return new SqlFence(dataSource, resource, newIdle, newLock);
    }

    /** The statement that creates the table, to run by hand. */
    public static String ddl() {
        return CREATE + ";";
    }

    /**
     * Creates the table if it is missing. Idempotent; concurrent calls are fine.
     *
     * @throws StoreSetupException if it is missing and can't be created; contains the statement
     */
    public SqlFence createTable() {
        try (Connection connection = dataSource.getConnection()) {
            if (!hasTable(connection)) {
                try {
                    Jdbc.run(connection, CREATE);
                    commit(connection);
                } catch (SQLException e) {
                    undo(connection);
                    if (!hasTable(connection)) {
                        throw e;
                    }
                }
            }
            return this;
        } catch (SQLException e) {
            throw new StoreSetupException(
                    "table mandate_fence can't be made (" + e.getMessage() + "); make it with:\n" + ddl(), e);
        }
    }

    private static boolean hasTable(Connection connection) throws SQLException {
        boolean isThere;
        try {
            Jdbc.query(connection, "SELECT resource, election, token FROM mandate_fence WHERE 1 = 0", row -> 0);
            isThere = true;
        } catch (SQLException e) {
            isThere = false;
        }
        undo(connection);
        return isThere;
    }

    /** Rolls back unless in autocommit: a failed transaction can't continue. */
    private static void undo(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    /**
     * Makes this the newest token: once it returns, every older one is refused for good. Begin the work of a term only
     * after it has returned. Idempotent.
     *
     * @throws StaleTokenException if a newer token was seen: do not begin
     * @throws SQLException if the outcome is unknown: do not begin, but retry
     */
    public void advance(FencingToken token) throws SQLException {
        if (!hasRow()) {
            insertRow(token);
        }
        run(token, connection -> {});
    }

    private boolean hasRow() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return seen(connection).isPresent();
        }
    }

    private void insertRow(FencingToken token) throws SQLException {
        // Need not wait for the disk: the next transaction does, and flushes this one, too.
        try (Connection connection = dataSource.getConnection()) {
            Jdbc.update(connection, INSERT, resource, token.election(), token.value());
            commit(connection);
        } catch (SQLException e) {
            // Another client was first, unless the row is still missing.
            if (!hasRow()) {
                throw e;
            }
        }
    }

    /**
     * {@link #call} without a result.
     *
     * @throws SQLException and others as {@link #call}
     */
    public void run(FencingToken token, FencedStatements statements) throws SQLException {
        call(token, connection -> {
            statements.run(connection);
            return true;
        });
    }

    /**
     * Runs statements in one transaction, if the token is not stale. Call {@link #advance} first.
     *
     * @return what {@code work} returned
     * @throws StaleTokenException if a newer token was seen; {@code work} was not run
     * @throws IllegalStateException if the resource was never advanced; {@code work} was not run
     * @throws IllegalArgumentException if the resource belongs to another election; {@code work} was not run
     * @throws SQLException if the database or {@code work} failed. Nothing was written; if the commit failed, the
     *     outcome is unknown
     */
    public <T> T call(FencingToken token, FencedWork<T> work) throws SQLException {
        return transact(connection -> {
            admit(connection, token);
            return work.run(FencedConnection.of(connection));
        });
    }

    private <T> T transact(FencedWork<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            List<String> restoring = FenceTimeouts.of(connection).restoring(connection);
            boolean wasAutoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            T result;
            try {
                result = work.run(connection);
                connection.commit();
            } catch (Throwable e) {
                // Throwable, because other JVM languages throw undeclared checked exceptions.
                rollBack(connection, wasAutoCommit, restoring, e);
                throw e;
            }
            restore(connection, wasAutoCommit, restoring);
            return result;
        }
    }

    private static void rollBack(Connection connection, boolean wasAutoCommit, List<String> restoring, Throwable cause)
            throws SQLException {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
            // Aborts: with an open transaction, a return to autocommit or to a pool might commit it.
            connection.abort(Runnable::run);
            return;
        }
        restore(connection, wasAutoCommit, restoring);
    }

    /** Restores the settings after the transaction; if that fails, discards the connection and keeps the outcome. */
    private static void restore(Connection connection, boolean wasAutoCommit, List<String> restoring)
            throws SQLException {
        try {
            connection.setAutoCommit(wasAutoCommit);
            Jdbc.run(connection, restoring.toArray(String[]::new));
        } catch (SQLException e) {
            connection.abort(Runnable::run);
        }
    }

    /**
     * Checks the token in a transaction of the caller, for frameworks that own transactions. It must be the
     * transaction's first statement; the row stays locked until its end.
     *
     * @throws StaleTokenException if a newer token was seen: roll back
     * @throws IllegalStateException if the connection is in autocommit, where a check proves nothing, or the resource
     *     was never advanced
     * @throws IllegalArgumentException if the resource belongs to another election
     */
    public void check(Connection connection, FencingToken token) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("resource '" + resource
                    + "' is checked on a connection in autocommit; begin a transaction, or use run(…)");
        }
        admit(connection, token);
    }

    private void admit(Connection connection, FencingToken token) throws SQLException {
        long value = token.value();
        if (value < 1) {
            throw new IllegalArgumentException(
                    "token of resource '" + resource + "' is " + value + "; tokens are positive");
        }
        if (raise(connection, token)) {
            return;
        }
        Seen seen = seen(connection)
                .orElseThrow(() -> new IllegalStateException("resource '" + resource
                        + "' was never advanced; call advance(token) before the work of a term begins"));
        if (!seen.election().equals(token.election())) {
            throw new IllegalArgumentException("resource '" + resource + "' belongs to election " + seen.election()
                    + ", but the token is of election " + token.election() + "; a reset can change that");
        }
        if (seen.token() > value) {
            throw new StaleTokenException(resource, token, seen.token());
        }
        // The token is good but no row was updated: it changed in between, or the driver counts changed rows, not found
        // ones. Without the lock, the token is not admitted.
        throw new SQLException("resource '" + resource + "' could not be locked at token " + value
                + "; the driver must report found rows, not changed ones (MySQL: useAffectedRows=false)");
    }

    /** Writes the token and so locks the row, if the row exists and the token is not stale. */
    private boolean raise(Connection connection, FencingToken token) throws SQLException {
        FenceTimeouts dialect = FenceTimeouts.of(connection);
        dialect.bound(connection, idle, lock);
        try (PreparedStatement statement = connection.prepareStatement(RAISE)) {
            dialect.bound(statement, lock);
            statement.setLong(1, token.value());
            statement.setString(2, resource);
            statement.setString(3, token.election());
            statement.setLong(4, token.value());
            return statement.executeUpdate() == 1;
        }
    }

    private record Seen(String election, long token) {}

    private Optional<Seen> seen(Connection connection) throws SQLException {
        return Jdbc.first(connection, SEEN, row -> new Seen(row.getString(1), row.getLong(2)), resource);
    }

    /** The newest token seen; empty if there was none. For people: a newer one may have been seen since. */
    public Optional<FencingToken> newest() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return seen(connection).map(seen -> new FencingToken(seen.election(), seen.token()));
        }
    }

    /**
     * For operators: sets the newest token, up or down, and the election. Needed if the election's store was lost or
     * replaced and its tokens restarted below those seen here, or if the resource moves to another election.
     *
     * <p>Dangerous: tokens between the new and the old value become valid again. Stop every leader first.
     */
    public void reset(FencingToken token) throws SQLException {
        transact(connection -> {
            FenceTimeouts.of(connection).bound(connection, idle, lock);
            int changed = Jdbc.update(connection, RESET, token.election(), token.value(), resource);
            return changed > 0 ? changed : Jdbc.update(connection, INSERT, resource, token.election(), token.value());
        });
    }

    /** Some pools hand out connections that are not in autocommit. */
    private static void commit(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }
}
