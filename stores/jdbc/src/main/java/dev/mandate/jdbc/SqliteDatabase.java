package dev.mandate.jdbc;

import dev.mandate.Guarantee;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Finding;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Verb;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** An SQLite file with a write-ahead log. Waits for other writers, and syncs what must survive a power failure. */
final class SqliteDatabase implements Database {
    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int READONLY = 8;
    private static final int IOERR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANTOPEN = 14;
    private static final int NOTADB = 26;
    private static final int GENERIC_ERROR = 1;

    private static final long PROBE_MILLIS = 50;

    private static final Sql SQL = Sql.of(Dialect.SQLITE);

    private final SqliteSource source;
    private final StoreTraits traits;

    SqliteDatabase(SqliteSource source) {
        this.source = source;
        this.traits = StoreTraits.of("SQLite", Expiry.OBSERVER_JUDGES, LeaseScope.SESSION)
                .withGuarantee(Guarantee.FENCED)
                .withWatch(true)
                .withAssumptions(
                        "All candidates run on the machine that has the file on a local disk; no network file system.",
                        "A process frozen inside a write statement keeps all writers waiting until it goes on or is killed.",
                        "Nobody deletes, replaces or restores the file while candidates run.",
                        "The disk keeps what it confirmed as synced.");
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
    public Link connect(long millis) throws SQLException {
        Link link = source.open(millis);
        boolean ready = false;
        try {
            if (!link.connection().getAutoCommit()) {
                link.connection().setAutoCommit(true);
            }
            useWriteAheadLog(link, millis);
            ready = true;
            return link;
        } finally {
            if (!ready) {
                link.close();
            }
        }
    }

    @Override
    public long maxAgeNanos() {
        return source.maxAgeNanos();
    }

    /** Retries, since SQLite ignores the busy timeout here: processes that open a new file at once collide. */
    private void useWriteAheadLog(Link link, long millis) throws SQLException {
        Connection connection = link.connection();
        long endNanos = System.nanoTime() + millis * 1_000_000;
        Jdbc.run(connection, "PRAGMA busy_timeout = " + millis);
        while (true) {
            try {
                String mode = pragma(connection, "journal_mode");
                if (!mode.equals("wal")) {
                    requireOurs(connection);
                    mode = pragma(connection, "journal_mode = wal");
                }
                if (!mode.equals("wal")) {
                    throw new StoreSetupException(name() + ": it keeps no write-ahead log (journal mode is '" + mode
                            + "'); use a file on a local disk that may be written to, in a directory that may be, too");
                }
                return;
            } catch (SQLException e) {
                if (!isBusy(e) || System.nanoTime() - endNanos > 0) {
                    throw e;
                }
                LockSupport.parkNanos(5_000_000);
            }
        }
    }

    /** If nothing may be created, leaves another program's file unchanged. */
    private void requireOurs(Connection connection) throws SQLException {
        if (!source.mayCreate() && !hasTables(connection)) {
            throw new StoreSetupException(
                    name() + ": it has no tables of Mandate's; check the path, or make them with:\n" + Ddl.text(SQL));
        }
    }

    private static String pragma(Connection connection, String pragma) throws SQLException {
        return Jdbc.first(connection, "PRAGMA " + pragma, row -> row.getString(1))
                .orElse("unknown")
                .toLowerCase(Locale.ROOT);
    }

    @Override
    public void setUp(Link link, boolean create, long millis) throws SQLException {
        Connection connection = link.connection();
        requireVersion(connection);
        limit(link, millis, Link.Sync.ON_DISK);
        if (create && !hasTables(connection)) {
            createTables(connection);
        }
        for (String probe : Sql.PROBE) {
            Jdbc.query(connection, probe, row -> 0);
        }
        requireWritable(link, millis);
    }

    private static boolean hasTables(Connection connection) throws SQLException {
        return !Jdbc.query(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'mandate_election_version'", row -> 1)
                .isEmpty();
    }

    private static void createTables(Connection connection) throws SQLException {
        // A deferred transaction would fail without waiting if another process does the same.
        Jdbc.run(connection, "BEGIN IMMEDIATE");
        boolean done = false;
        try {
            Jdbc.run(connection, SQL.create());
            Jdbc.run(connection, "COMMIT");
            done = true;
        } finally {
            if (!done) {
                rollBack(connection);
            }
        }
    }

    /** Only a statement that might write shows whether the file is writable; this one changes no row. */
    private void requireWritable(Link link, long millis) throws SQLException {
        limit(link, Math.min(millis, PROBE_MILLIS), Link.Sync.WRITTEN);
        try {
            Jdbc.run(link.connection(), "UPDATE mandate_session SET version = version WHERE 1 = 0");
        } catch (SQLException e) {
            // Another process is writing, so the file is writable. A client that only reads need not wait.
            if (!isBusy(e)) {
                throw e;
            }
        }
    }

    private static void rollBack(Connection connection) {
        try {
            Jdbc.run(connection, "ROLLBACK");
        } catch (SQLException e) {
            // The earlier error is the one to report.
        }
    }

    private void requireVersion(Connection connection) throws SQLException {
        String version = Jdbc.first(connection, "SELECT sqlite_version()", row -> row.getString(1))
                .orElse("");
        String[] parts = version.split("\\.", -1);
        if (parts.length < 2 || !parts[0].equals("3") || Integer.parseInt(parts[1]) < 35) {
            throw new StoreSetupException(name() + ": SQLite is " + version + "; 3.35 or newer is needed");
        }
    }

    @Override
    public Bounded limit(Link link, long millis, Link.Sync sync) throws SQLException {
        source.requireSameFile(link);
        if (link.sync != sync) {
            Jdbc.run(link.connection(), "PRAGMA synchronous = " + (sync == Link.Sync.ON_DISK ? "FULL" : "NORMAL"));
            link.sync = sync;
        }
        if (link.timeoutMillis != millis) {
            Jdbc.run(link.connection(), "PRAGMA busy_timeout = " + millis);
            link.timeoutMillis = millis;
        }
        return Bounded.plain(link.connection());
    }

    static boolean isBusy(SQLException e) {
        return e.getErrorCode() == BUSY || e.getErrorCode() == LOCKED;
    }

    @Override
    public Fault fault(SQLException e) {
        int code = e.getErrorCode() & 0xFF;
        String text = String.valueOf(e.getMessage());
        return switch (code) {
            case BUSY, LOCKED -> Fault.passing("another process was writing all the time; nothing was written");
            case READONLY ->
                Fault.permanent("the file is read-only for this process; let it write the file and its directory");
            case FULL -> Fault.permanent("the disk is full; make room");
            case CANTOPEN -> Fault.permanent(source.cannotOpen());
            case NOTADB -> Fault.permanent("the file is not an SQLite database; name another one");
            case CORRUPT -> Fault.permanent("the file is damaged; restore it or name another one: " + text);
            case IOERR -> Fault.broken("the disk failed: " + text);
            case GENERIC_ERROR -> schemaFault(text);
            default -> Fault.broken(text);
        };
    }

    private static Fault schemaFault(String text) {
        return text.contains("no such table") || text.contains("no such column") || text.contains("has no column")
                ? Fault.permanent("its tables are missing or others (" + text + "); make them with:\n" + Ddl.text(SQL))
                : Fault.broken(text);
    }

    @Override
    public List<Finding> findings(Worker.Turn turn) throws SQLException {
        return SqliteDiagnosis.of(turn.next().connection());
    }

    @Override
    public Optional<String> rightFor(Verb verb) {
        return Optional.empty();
    }

    @Override
    public SqlWatch watch(Predicate<String> own) {
        return new SqliteWatch(this, own, true);
    }
}
