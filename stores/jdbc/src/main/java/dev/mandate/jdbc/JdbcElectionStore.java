package dev.mandate.jdbc;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.support.OwnObservation;
import dev.mandate.support.RecordJson;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Elections in two tables of a SQL database.
 *
 * <ul>
 *   <li>{@code mandate_session}: one row per client. {@code version} rises with every renewal; {@code ended} goes from
 *       0 to 1 and never back. An id is random and inserted only once.
 *   <li>{@code mandate_election}: one row per key that was ever held, until it is erased. {@code version} rises with
 *       every write; {@code session} names the session that keeps it. A row is <em>held</em> while that session exists
 *       and has not ended, else <em>vacant</em>. Erased rows leave a {@link Mark}.
 * </ul>
 *
 * <p>Every write is one conditional statement in its own transaction, sent in one message. Acquiring a held
 * row takes two:
 *
 * <ol>
 *   <li><b>depose</b>: end the old session, if it still has the version that the challenger saw for a full lease, and
 *       the challenger's session lives;
 *   <li><b>take</b>: write the row, if it still has the version seen, its session has ended, and the
 *       challenger's has not.
 * </ol>
 *
 * <p>Why no two candidates believe at once. <i>S</i> is a session at version <i>n</i>, <i>A</i> and
 * <i>B</i> are challengers:
 *
 * <ol>
 *   <li><i>S renews before A deposes.</i> The row of S is at n+1, depose changes nothing, take finds S alive and
 *       changes nothing: refused.
 *   <li><i>A deposes before S renews.</i> S finds itself ended: gone. Both statements change one row, so one of them
 *       comes first. The holder's belief ended before: it counts a lease from the <em>send</em> of a confirmed renewal,
 *       A from a later read of it.
 *   <li><i>A deposes and dies before it takes.</i> The row names an ended session: vacant, at the same version.
 *   <li><i>A and B depose together.</i> One ends S, the other changes nothing. Both take: the row's version lets
 *       only one succeed.
 *   <li><i>A deposes, S's holder writes the row at the same time</i> (a new value, the leave flag). If the write comes
 *       first, the version has changed and A is refused, with a vacant row. If the take comes first, the write is
 *       refused: neither its version nor its session matches. If the write only overlaps the end of S, the row belongs
 *       to an ended session, whatever it contains.
 *   <li><i>A's take arrives late.</i> It is refused if anything was written to the row since A read it, because
 *       versions never repeat. If not, it acquires, provided that A's session lives. If that ends while the take is
 *       under way, the row at worst names an ended session: vacant.
 *   <li><i>A's depose arrives late.</i> It ends S only if S was not renewed in the meantime.
 *   <li><i>A renewal of S arrives late.</i> If S lives at version n, it raises n to n+1, and a challenger waits another
 *       lease; else it changes nothing. The holder gains nothing by it: only a statement confirmed within its call
 *       renews the lease.
 *   <li><i>A release arrives late.</i> It requires the row version and the session of its term; a later term
 *       has another version.
 *   <li><i>The row of an ended session is deleted.</i> Missing means ended. A renewal changes nothing: gone. Nothing
 *       inserts the id again.
 * </ol>
 *
 * <p>No two clocks are compared: challengers measure a lease on their own monotonic clock. The database's
 * clock only makes tokens large: the statement that acquires computes the larger of the last token + 1 and the
 * time in milliseconds.
 *
 * <p><em>Threads:</em> all methods except {@link #open} and {@link #close} return at once; one daemon thread per store
 * does the work. Thread-safe.
 */
public final class JdbcElectionStore implements ElectionStore, Diagnosable {
    private static final int PAGE_ROWS = 200;
    private static final int PATH_MAX = 2_500;
    private static final Duration SETUP_TIMEOUT = Duration.ofSeconds(8);
    private static final Duration SWEEP_TIMEOUT = Duration.ofSeconds(1);

    private final Database database;
    private final Sql sql;
    private final Worker worker;
    private final Sweep sweep;
    private final SecureRandom random = new SecureRandom();

    /** The sessions opened here and not ended yet: the watch does not report their renewals. */
    private final Set<String> own = ConcurrentHashMap.newKeySet();

    /** Guards the fields below, while a watch is opened or the store is closed. */
    private final Object watching = new Object();

    /** Shared by all watches; null until the first. */
    private @Nullable SqlWatch watch;

    private boolean closed;

    private JdbcElectionStore(Database database) {
        this.database = database;
        this.sql = database.sql();
        this.worker = new Worker(database);
        this.sweep = new Sweep(database.sql());
    }

    /**
     * Opens a store on the user's own connections: one for all calls, one for all watches. Creates missing tables.
     *
     * @param dialect the kind of database
     * @throws dev.mandate.StoreSetupException if the setup has to change first
     * @throws StoreUnavailableException if it may work later
     */
    public static JdbcElectionStore open(DataSource dataSource, Dialect dialect) {
        return open(dataSource, dialect, true);
    }

    /**
     * Opens a store on the user's own connections; see {@link #open(DataSource, Dialect)}.
     *
     * @param create whether to create missing tables; if not, the exception contains the statements that create them
     */
    public static JdbcElectionStore open(DataSource dataSource, Dialect dialect, boolean create) {
        Database database = switch (dialect) {
            case SQLITE -> new SqliteDatabase(SqliteSource.of(dataSource));
            case POSTGRESQL -> new PostgresDatabase(PostgresSource.of(dataSource));
        };
        return open(database, create);
    }

    static JdbcElectionStore open(Database database, boolean create) {
        JdbcElectionStore store = new JdbcElectionStore(database);
        store.worker.start();
        boolean ready = false;
        try {
            store.setUp(create);
            ready = true;
            return store;
        } finally {
            if (!ready) {
                store.close();
            }
        }
    }

    private void setUp(boolean create) {
        CompletableFuture<Boolean> done =
                worker.submit(Worker.Lane.ORDINARY, "opening", CallContext.within(SETUP_TIMEOUT), turn -> {
                    turn.next();
                    database.setUp(turn.link(), create, Math.max(1, turn.remainingMillis()));
                    return true;
                });
        try {
            done.get(SETUP_TIMEOUT.toMillis() + 1_000, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ElectionException known) {
                throw known;
            }
            throw new StoreUnavailableException(database.name() + ": opening: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(
                    database.name() + ": no answer within " + SETUP_TIMEOUT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(database.name() + ": interrupted while opening", e);
        }
    }

    Worker worker() {
        return worker;
    }

    Sql sql() {
        return sql;
    }

    /** Sweeps after a renewal, when it is quiet; failures are ignored. */
    void renewed(String session) {
        if (sweep.isDue()) {
            worker.submit(Worker.Lane.ORDINARY, "sweeping", CallContext.within(SWEEP_TIMEOUT), turn -> {
                sweep.step(turn, session);
                return true;
            });
        }
    }

    /** The session has ended. */
    void forget(String session) {
        own.remove(session);
    }

    /** The session was ended; deletes its row in the background. */
    void ended(String session) {
        forget(session);
        worker.submit(
                Worker.Lane.ORDINARY,
                "sweeping",
                CallContext.within(SWEEP_TIMEOUT),
                turn -> Jdbc.update(turn.nextWrite(), Sweep.DELETE_ONE, session));
    }

    @Override
    public StoreTraits traits() {
        return database.traits();
    }

    @Override
    public CompletionStage<Observation> read(RecordKey key, CallContext call) {
        return worker.submit(Worker.Lane.ORDINARY, "reading " + key, call, turn -> read(turn, key));
    }

    private Observation read(Worker.Turn turn, RecordKey key) throws SQLException {
        return Rows.observation(
                key,
                Jdbc.query(
                        turn.next(), sql.read(), row -> Rows.observationOrMark(key, row), key.path(), Mark.path(key)));
    }

    @Override
    public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        return worker.submit(Worker.Lane.ORDINARY, "listing " + prefix, call, turn -> list(turn, prefix, from));
    }

    private Page<Observation> list(Worker.Turn turn, RecordKey prefix, Cursor from) throws SQLException {
        String top = prefix.path();
        List<Observation> items = new ArrayList<>();
        if (from.equals(Cursor.START) && !prefix.segments().isEmpty()) {
            Optional.of(read(turn, prefix)).filter(seen -> !Rows.isNone(seen)).ifPresent(items::add);
        }
        // Paths below the prefix begin with it and a slash; '0' is the character after the slash.
        String after = from.equals(Cursor.START) ? top + '/' : from.opaque();
        List<String> paths = new ArrayList<>();
        List<Optional<Observation>> rows = Jdbc.query(
                turn.next(),
                sql.list(),
                row -> {
                    paths.add(row.getString(1));
                    return Rows.observation(row);
                },
                after,
                top + '0',
                PAGE_ROWS);
        rows.forEach(row -> row.ifPresent(items::add));
        return new Page<>(items, rows.size() < PAGE_ROWS ? null : new Cursor(paths.get(PAGE_ROWS - 1)));
    }

    @Override
    public CompletionStage<WriteOutcome> acquire(
            RecordKey key, Observation basis, LeaderRecord proposal, @Nullable StoreSession session, CallContext call) {
        if (!(session instanceof JdbcSession mine) || !mine.isOf(this)) {
            throw new IllegalArgumentException(
                    "acquiring " + key + " needs a session that this store opened, not " + session);
        }
        String path = path(key);
        String json = RecordJson.write(proposal);
        String own = mine.id();
        SessionAlive former =
                basis instanceof Observation.Held held ? OwnObservation.liveness(SessionAlive.class, held) : null;
        VacantAt at = basis instanceof Observation.Held held
                ? new VacantAt(OwnObservation.basis(HeldAt.class, held).version(), true)
                : OwnObservation.basis(VacantAt.class, basis);
        return worker.submit(Worker.Lane.ORDINARY, "acquiring " + key, call, turn -> {
            if (former != null) {
                // The number of rows does not matter: the next statement checks the session itself.
                Jdbc.update(turn.nextWrite(), sql.depose(), former.session(), former.version(), own, own);
            }
            Jdbc.Mapper<WriteOutcome> asWritten = written(key, proposal, own);
            // The data behind a token must survive a power failure.
            Mark.Write write = at.hasRow()
                    ? () -> Jdbc.first(onDisk(turn), sql.take(), asWritten, own, json, path, at.version(), own)
                    : () -> Jdbc.first(
                            onDisk(turn), sql.insert(), asWritten, path, own, json, Mark.path(key), at.version(), own);
            return outcome(turn, key, basis, write);
        });
    }

    /**
     * Runs a write on {@code basis}. If its mark is missing, the write is refused although the basis still holds: then
     * creates the mark and tries again.
     */
    private WriteOutcome outcome(Worker.Turn turn, RecordKey key, Observation basis, Mark.Write write)
            throws SQLException {
        Optional<WriteOutcome> written = write.run();
        if (written.isPresent()) {
            return written.get();
        }
        WriteOutcome.Refused refused = refused(turn, key);
        boolean stands = basis instanceof Observation.Vacant
                && refused.now().map(Observation::basis).equals(Optional.of(basis.basis()));
        if (stands && Jdbc.update(turn.nextWrite(), Sql.MARK, Mark.path(key)) == 1) {
            written = write.run();
            return written.isPresent() ? written.get() : refused(turn, key);
        }
        return refused;
    }

    private static Bounded onDisk(Worker.Turn turn) throws SQLException {
        return turn.nextWrite(Link.Sync.ON_DISK);
    }

    private static Jdbc.Mapper<WriteOutcome> written(RecordKey key, LeaderRecord record, String session) {
        return row ->
                WriteOutcome.written(Rows.held(key, row.getLong(1), row.getLong(2), session, row.getLong(3), record));
    }

    /** The write changed no row and never will. Reports what the key shows, if it can be read. */
    private WriteOutcome.Refused refused(Worker.Turn turn, RecordKey key) {
        try {
            return WriteOutcome.refused(read(turn, key));
        } catch (SQLException e) {
            turn.failed(e);
            return WriteOutcome.refused();
        } catch (StoreUnavailableException e) {
            return WriteOutcome.refused();
        }
    }

    @Override
    public CompletionStage<WriteOutcome> update(
            RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
        if (intent == Intent.RENEW) {
            throw new IllegalArgumentException("the lease of " + key + " is kept by a session; renew that");
        }
        HeldAt at = OwnObservation.basis(HeldAt.class, basis);
        String json = RecordJson.write(record);
        return worker.submit(Worker.Lane.ORDINARY, "updating " + key, call, turn -> {
            Optional<WriteOutcome> written = Jdbc.first(
                    turn.nextWrite(),
                    sql.update(),
                    written(key, record, at.session()),
                    json,
                    path(key),
                    at.version(),
                    at.session());
            return written.isPresent() ? written.get() : refused(turn, key);
        });
    }

    @Override
    public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
        HeldAt at = OwnObservation.basis(HeldAt.class, basis);
        return worker.submit(Worker.Lane.ORDINARY, "releasing " + key, call, turn -> {
            Optional<WriteOutcome> written = Jdbc.first(
                    turn.nextWrite(),
                    sql.release(),
                    row -> WriteOutcome.written(Rows.vacant(key, row.getLong(1))),
                    path(key),
                    at.version(),
                    at.session());
            return written.isPresent() ? written.get() : refused(turn, key);
        });
    }

    /** {@inheritDoc} Deletes the row; its {@link Mark} stays. */
    @Override
    public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
        RecordKey key = basis.key();
        VacantAt at = OwnObservation.basis(VacantAt.class, basis);
        return worker.submit(Worker.Lane.ORDINARY, "erasing " + key, call, turn -> {
            if (!at.hasRow()) {
                return WriteOutcome.compared(basis, read(turn, key));
            }
            return outcome(turn, key, basis, () -> Mark.erase(turn, sql, key, path(key), at.version()));
        });
    }

    /** {@inheritDoc} The lease is rounded up to whole milliseconds. */
    @Override
    public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
        Duration granted = granted(lease);
        String id = randomId();
        return worker.submit(Worker.Lane.URGENT, "opening a session", call, turn -> {
            Jdbc.update(turn.nextWrite(), sql.open(), id, granted.toMillis());
            own.add(id);
            return new JdbcSession(this, id, granted);
        });
    }

    private Duration granted(Duration lease) {
        Duration min = traits().leaseMin();
        Duration max = traits().leaseMax();
        Duration bounded = lease.compareTo(min) < 0 ? min : lease.compareTo(max) > 0 ? max : lease;
        return Duration.ofMillis(bounded.plusNanos(999_999).toMillis());
    }

    private String randomId() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        StringBuilder id = new StringBuilder(32);
        for (byte b : bytes) {
            id.append(String.format(Locale.ROOT, "%02x", b));
        }
        return id.toString();
    }

    /** {@inheritDoc} All watches share one connection and one thread; closing the last watch releases both. */
    @Override
    public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
        synchronized (watching) {
            if (closed) {
                throw new IllegalStateException(database.name() + ": the store is closed");
            }
            if (watch == null) {
                watch = database.watch(own::contains);
            }
            return watch.open(prefix, hints);
        }
    }

    @Override
    public CompletionStage<List<Finding>> diagnose(Duration lease, CallContext call) {
        return worker.submit(Worker.Lane.ORDINARY, "diagnosing", call, database::findings);
    }

    /** {@inheritDoc} All rights were checked when the store was opened. */
    @Override
    public Optional<String> rightFor(Verb verb, RecordKey key) {
        return database.rightFor(verb);
    }

    /** {@inheritDoc} Takes up to about four seconds if a call hangs. */
    @Override
    public void close() {
        SqlWatch last;
        synchronized (watching) {
            closed = true;
            last = watch;
        }
        if (last != null) {
            last.close();
        }
        worker.close();
    }

    private static String path(RecordKey key) {
        String path = key.path();
        if (path.length() > PATH_MAX) {
            throw new StoreSetupException("the key '" + path.substring(0, 40) + "…' takes " + path.length()
                    + " characters, and a SQL store takes " + PATH_MAX + "; make its names shorter");
        }
        return path;
    }

    /** The database, without secrets. */
    @Override
    public String toString() {
        return database.name();
    }
}
