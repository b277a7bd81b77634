package dev.mandate.jdbc;

import dev.mandate.Guarantee;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Finding;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Verb;
import dev.mandate.support.NetworkFaults;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PostgreSQL: one primary, read committed, timeouts on every statement.
 *
 * <p>Settings apply to a statement's own transaction only: a pool gets its connection back unchanged, and a pooler may
 * run every transaction in another session.
 */
final class PostgresDatabase implements Database {
    private static final NetworkFaults NETWORK = new NetworkFaults("sslmode=disable", true);
    private static final Sql SQL = Sql.of(Dialect.POSTGRESQL);
    private static final int VERSION_MIN = 100_000;
    private static final int CREATE_TRIES = 5;
    /** Lets the server's own timeouts fire first. */
    private static final long ANSWER_MILLIS = 250;
    /** The lock timeout leaves this fraction of a call's time, enough for the answer. */
    private static final long LOCK_SHARE = 8;

    private static final String SERVER =
            "SELECT pg_is_in_recovery(), CAST(current_setting('server_version_num') AS integer),"
                    + " current_setting('server_encoding'), current_setting('synchronous_commit')";
    /**
     * Settings for one transaction. The isolation level must come first: {@code SET TRANSACTION} would log a warning
     * each time, and after a {@code SELECT} it is too late. Then lock_timeout and statement_timeout; and
     * synchronous_commit, because a server that crashes must not forget what it confirmed.
     */
    private static final List<String> PROLOGUE = List.of(
            "SET transaction_isolation = 'read committed'",
            "SELECT set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true),"
                    + " set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'"
                    + " ELSE current_setting('synchronous_commit') END, true)");

    /** This user's writes that run too long: they hang in their commit, which no timeout ends. */
    private static final String RUNNING = "SELECT coalesce(wait_event, 'nothing') FROM pg_stat_activity"
            + " WHERE datname = current_database() AND usename = session_user AND state = 'active'"
            + " AND backend_xid IS NOT NULL AND query LIKE '%mandate\\_%'"
            + " AND query_start < clock_timestamp() - CAST(? AS double precision) * INTERVAL '1 millisecond'";

    /** A single write may hang while the next succeeds. */
    private static final int HANGING_MAX = 2;

    private static final String MISSING_RIGHTS = "SELECT t.name || ': ' || t.privilege FROM (VALUES"
            + " ('mandate_session', 'SELECT'), ('mandate_session', 'INSERT'), ('mandate_session', 'UPDATE'),"
            + " ('mandate_session', 'DELETE'), ('mandate_election', 'SELECT'), ('mandate_election', 'INSERT'),"
            + " ('mandate_election', 'UPDATE')) AS t (name, privilege)"
            + " WHERE NOT has_table_privilege(t.name, t.privilege)";

    /** The driver's messages name this class in every language. */
    private static final String NAME_CHECK = "HostnameVerifier";

    /** SQLSTATE: a right is missing, or a row security policy refuses. */
    private static final String DENIED = "42501";

    private final PostgresSource source;
    private final StoreTraits traits;
    private volatile boolean waitsForNoStandby;

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
        return waitsForNoStandby
                ? traits.withAssumptions(Stream.concat(
                                traits.assumptions().stream(),
                                Stream.of(
                                        "synchronous_commit is local, so no standby is waited for: nobody promotes one"
                                                + " while candidates run."))
                        .toArray(String[]::new))
                : traits;
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
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            Bounded bounded = limit(link, millis, Link.Sync.ON_DISK);
            requireUsable(bounded);
            ready = true;
            return link;
        } finally {
            if (!ready) {
                link.close();
            }
        }
    }

    /** A connection from a data source, which gets it back unchanged. */
    private static Link shared(Connection theirs) throws SQLException {
        boolean ready = false;
        try {
            boolean autoCommit = theirs.getAutoCommit();
            int networkTimeout = theirs.getNetworkTimeout();
            if (!autoCommit) {
                // So that the statements below begin no transaction.
                theirs.setAutoCommit(true);
            }
            ready = true;
            return new Link(theirs, connection -> {
                connection.setNetworkTimeout(Runnable::run, PostgresSource.FAREWELL_MILLIS);
                if (!autoCommit) {
                    connection.setAutoCommit(false);
                }
                connection.setNetworkTimeout(Runnable::run, networkTimeout);
            });
        } finally {
            if (!ready) {
                new Link(theirs).close();
            }
        }
    }

    private void requireUsable(Bounded bounded) throws SQLException {
        Server server = Jdbc.first(
                        bounded,
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
        waitsForNoStandby = server.synchronousCommit().equals("local");
    }

    private record Server(boolean isStandby, int version, String encoding, String synchronousCommit) {}

    @Override
    public void setUp(Link link, boolean create, long millis) throws SQLException {
        Bounded bounded = limit(link, millis, Link.Sync.ON_DISK);
        Connection connection = link.connection();
        for (int i = 1; create && !hasTables(connection); i++) {
            try {
                for (String statement : SQL.create()) {
                    Jdbc.update(bounded, statement);
                }
            } catch (SQLException e) {
                if (state(e).equals(DENIED)) {
                    throw StoreSetupException.denied(
                            name() + ": its tables are missing, and this user may not make them (" + line(e)
                                    + "); GRANT it, or make them as their owner with:\n" + Ddl.text(SQL),
                            e);
                }
                // Two clients that create the same table at once collide in the catalog, even with IF NOT EXISTS.
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

    /** The server's lock timeout fires first, then its statement timeout, then the network timeout. */
    @Override
    public Bounded limit(Link link, long millis, Link.Sync sync) throws SQLException {
        long bounded = Math.max(1, Math.min(millis, Integer.MAX_VALUE - ANSWER_MILLIS));
        if (link.timeoutMillis != millis) {
            link.connection().setNetworkTimeout(Runnable::run, (int) (bounded + ANSWER_MILLIS));
            link.timeoutMillis = millis;
        }
        long lockMillis = Math.max(1, bounded - bounded / LOCK_SHARE);
        return new Bounded(link.connection(), PROLOGUE, List.of(Long.toString(lockMillis), Long.toString(bounded)));
    }

    /**
     * {@inheritDoc} A commit that waits for a standby outlives timeouts and its client. It is not cancelled: that would
     * end the wait but not the transaction, and make visible what no standby has.
     */
    @Override
    public Optional<String> hanging(Bounded bounded, long nanos) throws SQLException {
        List<String> waits =
                Jdbc.query(bounded, RUNNING, row -> row.getString(1), TimeUnit.NANOSECONDS.toMillis(nanos));
        return waits.size() < HANGING_MAX
                ? Optional.empty()
                : Optional.of(waits.size() + " earlier writes of this user still hang on the server, waiting for "
                        + waits.stream().distinct().sorted().collect(Collectors.joining(", "))
                        + (waits.contains("SyncRep")
                                ? ": start the standby, or take it out of synchronous_standby_names"
                                : "; see pg_stat_activity"));
    }

    private static String state(SQLException e) {
        return e.getSQLState() == null ? "" : e.getSQLState();
    }

    /** Joins the lines of a message: the server puts details and hints on separate lines. */
    private static String line(SQLException e) {
        return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", "; ");
    }

    @Override
    public Fault fault(SQLException e) {
        String text = line(e);
        String state = state(e);
        for (Throwable cause : Causes.chain(e)) {
            if (cause instanceof StoreSetupException setup) {
                return Fault.permanent(String.valueOf(setup.getMessage()));
            }
            if (cause instanceof CertificateException || cause instanceof CertPathBuilderException) {
                return Fault.permanent("the server's certificate is not accepted: " + Causes.line(cause)
                        + "; name its authority by caFile, and the server as its certificate does");
            }
        }
        if (text.contains(NAME_CHECK)) {
            return Fault.permanent("the server's certificate names another host (" + text
                    + "); write the URL's host as the certificate does, or sslmode=verify-ca");
        }
        return switch (state) {
            case "26000", "42P05" ->
                Fault.broken("a pooler on the way forgets prepared statements; set prepareThreshold=0 (" + text + ")");
            case "28P01", "28000" -> Fault.denied("the server refuses this user or password: " + text);
            case "3D000", "3F000" -> Fault.permanent(text + "; create it or name another one");
            case "42P01", "42703" ->
                Fault.permanent("its tables are missing or others (" + text + "); make them with:\n" + Ddl.text(SQL));
            case DENIED -> Fault.denied("this user may not do that (" + text + "); GRANT it");
            case "53100" -> Fault.permanent("the server's disk is full; make room");
            case "55P03" -> Fault.passing("another transaction holds a lock on the row; nothing was written");
            case "57014", "40001", "40P01" -> Fault.passing(text);
            case "25006" -> Fault.broken("the server takes no writes, it is a standby or read-only: " + text);
            case "08001", "08006", "08004" -> Fault.broken(unreachable(e, text));
            default -> Fault.broken(text);
        };
    }

    private static String unreachable(SQLException e, String text) {
        boolean isNamed = Causes.has(e, UnknownHostException.class)
                || Causes.has(e, ConnectException.class)
                || Causes.has(e, SocketTimeoutException.class);
        return isNamed ? NETWORK.find("", e).map(Throwable::getMessage).orElse(text) : text;
    }

    @Override
    public List<Finding> findings(Worker.Turn turn) throws SQLException {
        return PostgresDiagnosis.of(turn, this);
    }

    @Override
    public Optional<String> rightFor(Verb verb) {
        return Optional.of(
                switch (verb) {
                    case SESSION -> "SELECT, INSERT, UPDATE, DELETE on mandate_session";
                    case READ, LIST, WATCH -> "SELECT on mandate_session and mandate_election";
                    case ACQUIRE, UPDATE, RELEASE ->
                        "SELECT, INSERT, UPDATE on mandate_election, SELECT, UPDATE on mandate_session";
                    case ERASE -> "SELECT, INSERT, UPDATE, DELETE on mandate_election, SELECT on mandate_session";
                });
    }

    @Override
    public SqlWatch watch(Predicate<String> own) {
        try {
            return new PostgresWatch(this, source.isShared());
        } catch (LinkageError e) {
            throw new StoreSetupException(name() + ": a watch needs the driver org.postgresql:postgresql", e);
        }
    }
}
