package dev.mandate.jdbc;

import dev.mandate.Guarantee;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.Verb;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** PostgreSQL: one primary, read committed, no statement that waits for ever. */
final class PostgresDatabase implements Database {
    private static final Sql SQL = Sql.of(Dialect.POSTGRESQL);
    private static final int VERSION_MIN = 100_000;
    private static final int CREATE_TRIES = 5;
    /** The server's own time-outs may answer first. */
    private static final long ANSWER_MILLIS = 250;

    private static final String SERVER =
            "SELECT pg_is_in_recovery(), CAST(current_setting('server_version_num') AS integer),"
                    + " current_setting('server_encoding'), current_setting('synchronous_commit')";
    private static final String BOUNDS = "SET lock_timeout = '1s'; SET statement_timeout = '10s'";
    private static final String NO_BOUNDS =
            "RESET lock_timeout; RESET statement_timeout; RESET synchronous_commit; UNLISTEN *";
    private static final String MISSING_RIGHTS = "SELECT t.name || ': ' || t.privilege FROM (VALUES"
            + " ('mandate_session', 'SELECT'), ('mandate_session', 'INSERT'), ('mandate_session', 'UPDATE'),"
            + " ('mandate_session', 'DELETE'), ('mandate_election', 'SELECT'), ('mandate_election', 'INSERT'),"
            + " ('mandate_election', 'UPDATE')) AS t (name, privilege)"
            + " WHERE NOT has_table_privilege(t.name, t.privilege)";

    private final PostgresSource source;
    private final StoreTraits traits;

    PostgresDatabase(PostgresSource source) {
        this.source = source;
        this.traits = StoreTraits.of("PostgreSQL", Expiry.OBSERVER_JUDGES, LeaseScope.SESSION)
                .withGuarantee(Guarantee.FENCED)
                .withWatch(true)
                .withAssumptions(
                        "There is one primary, and a failover loses no confirmed transaction.",
                        "The server runs with fsync and full_page_writes on; synchronous_commit is never off here.",
                        "Nobody restores an older state of the tables while candidates run.");
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public Sql sql() {
        return SQL;
    }

    @Override
    public long maxAgeNanos() {
        return source.maxAgeNanos();
    }

    @Override
    public Link connect(long millis) throws SQLException {
        Connection connection = source.open(millis);
        Link link = source.isShared() ? shared(connection) : new Link(connection);
        boolean ready = false;
        try {
            connection.setAutoCommit(true);
            limit(link, millis, Link.Sync.ON_DISK);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            Jdbc.run(connection, BOUNDS);
            requireUsable(connection);
            ready = true;
            return link;
        } finally {
            if (!ready) {
                link.close();
            }
        }
    }

    /** Somebody else's: it goes back as it came. */
    private static Link shared(Connection theirs) throws SQLException {
        boolean ready = false;
        try {
            boolean autoCommit = theirs.getAutoCommit();
            int isolation = theirs.getTransactionIsolation();
            int networkTimeout = theirs.getNetworkTimeout();
            ready = true;
            return new Link(theirs, connection -> {
                Jdbc.run(connection, NO_BOUNDS);
                connection.setTransactionIsolation(isolation);
                connection.setNetworkTimeout(Runnable::run, networkTimeout);
                connection.setAutoCommit(autoCommit);
            });
        } finally {
            if (!ready) {
                new Link(theirs).close();
            }
        }
    }

    private void requireUsable(Connection connection) throws SQLException {
        Server server = Jdbc.first(
                        connection,
                        SERVER,
                        row -> new Server(row.getBoolean(1), row.getInt(2), row.getString(3), row.getString(4)))
                .orElseThrow();
        if (server.version() < VERSION_MIN) {
            throw new StoreSetupException(
                    name() + ": the server's version is " + server.version() + "; 10 or newer is needed");
        }
        if (!server.encoding().equals("UTF8")) {
            throw new StoreSetupException(name() + ": the database is encoded in " + server.encoding()
                    + ", which not every value can be written in; make one with ENCODING 'UTF8'");
        }
        if (server.isStandby()) {
            throw new SQLException("the server is a standby; connect to the primary", "25006");
        }
        if (server.synchronousCommit().equals("off")) {
            // Else a crash of the server may forget who leads, though it was confirmed.
            Jdbc.run(connection, "SET synchronous_commit = on");
        }
    }

    private record Server(boolean isStandby, int version, String encoding, String synchronousCommit) {}

    @Override
    public void setUp(Link link, boolean create, long millis) throws SQLException {
        limit(link, millis, Link.Sync.ON_DISK);
        Connection connection = link.connection();
        for (int i = 1; create && !hasTables(connection); i++) {
            try {
                Jdbc.run(connection, SQL.create());
            } catch (SQLException e) {
                // Two clients that make the same table together collide in the catalog, whatever IF NOT EXISTS says.
                boolean isCollision = List.of("23505", "42P07", "42710").contains(state(e));
                if (!isCollision || i == CREATE_TRIES) {
                    throw e;
                }
            }
        }
        if (hasTables(connection)) {
            requireRights(connection);
        }
        for (String probe : Sql.PROBE) {
            Jdbc.query(connection, probe, row -> 0);
        }
    }

    private void requireRights(Connection connection) throws SQLException {
        List<String> missing = Jdbc.query(connection, MISSING_RIGHTS, row -> row.getString(1));
        if (!missing.isEmpty()) {
            throw StoreSetupException.denied(
                    name() + ": this user lacks rights: " + String.join(", ", missing) + "; GRANT them", null);
        }
    }

    private static boolean hasTables(Connection connection) throws SQLException {
        return Jdbc.first(
                        connection,
                        "SELECT to_regclass('mandate_session') IS NOT NULL"
                                + " AND to_regclass('mandate_election') IS NOT NULL",
                        row -> row.getBoolean(1))
                .orElse(false);
    }

    @Override
    public void limit(Link link, long millis, Link.Sync sync) throws SQLException {
        if (link.timeoutMillis != millis) {
            link.connection()
                    .setNetworkTimeout(Runnable::run, (int) Math.min(Integer.MAX_VALUE, millis + ANSWER_MILLIS));
            link.timeoutMillis = millis;
        }
    }

    private static String state(SQLException e) {
        return e.getSQLState() == null ? "" : e.getSQLState();
    }

    @Override
    public Fault fault(SQLException e) {
        // The server puts details and hints into lines of their own.
        String text = String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", "; ");
        String state = state(e);
        return switch (state) {
            case "28P01", "28000" -> Fault.denied("the server refuses this user or password: " + text);
            case "3D000", "3F000" -> Fault.permanent(text + "; create it or name another one");
            case "42P01", "42703" ->
                Fault.permanent("its tables are missing or others (" + text + "); make them with:\n" + Ddl.text(SQL));
            case "42501" ->
                Fault.denied("this user may not do that (" + text
                        + "); GRANT it, or make the tables as their owner with:\n" + Ddl.text(SQL));
            case "53100" -> Fault.permanent("the server's disk is full; make room");
            case "55P03" -> Fault.passing("another transaction holds a lock on the row; nothing was written");
            case "57014", "40001", "40P01" -> Fault.passing(text);
            case "25006" -> Fault.broken("the server takes no writes, it is a standby or read-only: " + text);
            case "08001", "08006", "08004" -> Fault.broken(unreachable(e, text));
            default -> Fault.broken(text);
        };
    }

    private static String unreachable(SQLException e, String text) {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return "the host is not known: " + cause.getMessage();
            }
            if (cause instanceof ConnectException) {
                return "nobody listens there (" + cause.getMessage() + ")";
            }
            if (cause instanceof SocketTimeoutException) {
                return "no answer in time";
            }
        }
        return text;
    }

    @Override
    public List<Finding> findings(Worker.Turn turn) throws SQLException {
        return PostgresFindings.of(turn);
    }

    @Override
    public Optional<String> rightFor(Verb verb) {
        return Optional.of(
                switch (verb) {
                    case SESSION -> "SELECT, INSERT, UPDATE, DELETE on mandate_session";
                    case READ, LIST, WATCH -> "SELECT on mandate_session and mandate_election";
                    case ACQUIRE, UPDATE, RELEASE ->
                        "SELECT, INSERT, UPDATE on mandate_election, SELECT, UPDATE on mandate_session";
                });
    }

    @Override
    public boolean isDenied(SQLException e) {
        return state(e).equals("42501");
    }

    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints, Predicate<String> own) {
        try {
            PostgresWatch watch = new PostgresWatch(this, prefix, hints);
            watch.start();
            return watch;
        } catch (LinkageError e) {
            throw new StoreSetupException(name() + ": a watch needs the driver org.postgresql:postgresql", e);
        }
    }
}
