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
 * Lets only the newest leader write to a resource in the user's own database. A leader that was paused and goes on as if nothing had happened
 * finds its statements refused, which no lease can do.
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
 * <p>What is <em>not</em> promised: anything about statements that bypass the fence, and anything outside of this database. Tokens of different
 * elections are not comparable, so a resource belongs to one election; another one's token is refused.
 *
 * <p>How it works. A row per resource holds the newest token seen. The first statement of every guarded transaction writes its own token over
 * it, unless it is the older one, and so keeps a lock on the row until the transaction ends. For an older transaction <i>O</i> and a newer
 * token <i>N</i>:
 *
 * <ol>
 *   <li><i>O has locked the row.</i> N waits. O commits: it came before N. O fails or is thrown out: it wrote nothing. Then N raises the token.
 *   <li><i>N has locked the row.</i> O waits, finds N's token, and is refused.
 *   <li><i>O stands still inside its transaction.</i> N waits until the database throws O out, after the idle time-out; N's own lock time-out is
 *       longer. Databases without an idle time-out make N fail instead; trying again is right.
 * </ol>
 *
 * <p>Guarded transactions of one resource run one after the other; give what may run side by side resources of their own, and advance each.
 * Known are PostgreSQL and SQLite; any other database gets plain SQL, and must lock a row it updates until the transaction ends, at the
 * isolation level it is used with.
 *
 * <p>Thread-safe, blocking; uses a connection per call.
 */
public final class SqlFence {
    /** How long a guarded transaction may stand still, by default. */
    public static final Duration IDLE_DEFAULT = Duration.ofSeconds(5);

    /** How long one waits for another, by default. */
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
     * A fence around one resource: all statements that must not be mixed up by two leaders.
     *
     * @param dataSource the database the statements go to
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
     * This fence with other time-outs, in whole milliseconds.
     *
     * @param newIdle how long a guarded transaction may stand still before the database ends it (PostgreSQL only)
     * @param newLock how long one waits for another; longer than {@code newIdle}, so that a frozen leader can't make
     *     the next one fail
     */
    public SqlFence withTimeouts(Duration newIdle, Duration newLock) {
        if (newIdle.toMillis() < 1 || newIdle.compareTo(newLock) >= 0 || newLock.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("idle time-out " + newIdle + " and lock time-out " + newLock
                    + " do not fit: idle must be at least 1 ms, lock longer than that and at most 1 h");
        }
        return new SqlFence(dataSource, resource, newIdle, newLock);
    }

    /** The statement that makes the table, for those who make tables by hand. */
    public static String ddl() {
        return CREATE + ";";
    }

    /**
     * Makes the table if it is missing. Idempotent; several may do it together.
     *
     * @throws StoreSetupException if it is missing and can't be made; prints the statement
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

    /** Ends what a statement began where the connection is not in autocommit: nothing goes on in a transaction that failed. */
    private static void undo(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    /**
     * Makes this the newest token: when it returns, every older one is refused for good. Call it, and let it return,
     * before the work of a term begins. Idempotent.
     *
     * @throws StaleTokenException if a newer one was seen: do not begin
     * @throws SQLException if it is not known to be done: do not begin; trying again is right
     */
    public void advance(FencingToken token) throws SQLException {
        if (!hasRow()) {
            insertRow(token);
        }
        run(token, connection -> true);
    }

    private boolean hasRow() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return seen(connection).isPresent();
        }
    }

    private void insertRow(FencingToken token) throws SQLException {
        // Need not wait for the disk: the transaction that follows does, and takes this one with it.
        try (Connection connection = dataSource.getConnection()) {
            Jdbc.update(connection, INSERT, resource, token.election(), token.value());
            commit(connection);
        } catch (SQLException e) {
            // Somebody else was first, unless it still is not there.
            if (!hasRow()) {
                throw e;
            }
        }
    }

    /**
     * Runs statements in one transaction, if the token is not stale; {@link #advance} comes first.
     *
     * @return what {@code work} returned
     * @throws StaleTokenException if a newer token was seen; {@code work} was not run
     * @throws IllegalStateException if the resource was never advanced; {@code work} was not run
     * @throws IllegalArgumentException if the resource belongs to another election; {@code work} was not run
     * @throws SQLException if the database, or {@code work}, failed. Nothing was written, unless it was the commit that
     *     failed: then it is not known
     */
    public <T> T run(FencingToken token, FencedWork<T> work) throws SQLException {
        return transact(connection -> {
            admit(connection, token);
            return work.run(FencedConnection.of(connection));
        });
    }

    private <T> T transact(FencedWork<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            List<String> restoring = FenceDialect.of(connection).restoring(connection);
            boolean wasAutoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            T result;
            try {
                result = work.run(connection);
                connection.commit();
            } catch (Throwable e) {
                // Other languages throw checked exceptions that no method declares.
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
            // Never back into autocommit, or into a pool, with a transaction open: either might commit it.
            connection.abort(Runnable::run);
            return;
        }
        restore(connection, wasAutoCommit, restoring);
    }

    /** After the end of the transaction, whose outcome stands: a connection that can't be set back is thrown away. */
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
     * Checks the token at the beginning of a transaction that the caller has begun and will commit, for those whose
     * framework owns transactions. The first statement of the transaction must be this one; the row stays locked until
     * its end.
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
        // The row was not found though the token is good: it changed in between, or the driver counts changed rows
        // instead of found ones. No lock, so no admission.
        throw new SQLException("resource '" + resource + "' could not be locked at token " + value
                + "; the driver must report found rows, not changed ones (MySQL: useAffectedRows=false)");
    }

    /** Writes the token and so locks the row, if it is there and the token is not stale. */
    private boolean raise(Connection connection, FencingToken token) throws SQLException {
        FenceDialect dialect = FenceDialect.of(connection);
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

    /** The newest token that was seen; empty if there was none. For people: it may be older than this answer. */
    public Optional<FencingToken> newest() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return seen(connection).map(seen -> new FencingToken(seen.election(), seen.token()));
        }
    }

    /**
     * For operators: sets the newest token, down as well as up, and the election. Needed when the store of the election
     * was lost or replaced and its tokens began anew below the ones seen here, or when the resource moves to another
     * election.
     *
     * <p>Dangerous: tokens between the new and the old value are good again. Stop every leader first.
     */
    public void reset(FencingToken token) throws SQLException {
        transact(connection -> {
            FenceDialect.of(connection).bound(connection, idle, lock);
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
