package dev.mandate.jdbc;

import dev.mandate.spi.Finding;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Verb;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** An SQLite file whose connections fail, hang and age as a test says. */
final class TrialDatabase implements Database {
    /** Something that may fail as a database does. */
    interface Step {
        void run() throws SQLException;
    }

    private final SqliteDatabase real;

    /** Called, on the thread that connects, before each connection is opened. */
    volatile Step onConnect = () -> {};
    /** Called before each statement. */
    volatile Step onStatement = () -> {};

    volatile long maxAgeNanos = Long.MAX_VALUE;
    /** What an error means; null for what SQLite says. */
    volatile Fault fault;

    /** What earlier writes hang on; null for nothing. */
    volatile String hanging;

    /** How old those had to be, each time that was asked. */
    final List<Long> hangingNanos = new CopyOnWriteArrayList<>();

    /** Tells the sessions of the store that opened the last watch. */
    volatile Predicate<String> own;

    /** For how long each connection that was asked for might take. */
    final List<Long> asked = new CopyOnWriteArrayList<>();

    final List<Connection> opened = new CopyOnWriteArrayList<>();

    TrialDatabase(Path file) {
        this.real = new SqliteDatabase(SqliteSource.file(file, true));
    }

    @Override
    public String name() {
        return "trial";
    }

    @Override
    public StoreTraits traits() {
        return real.traits();
    }

    @Override
    public Sql sql() {
        return real.sql();
    }

    @Override
    public Link connect(long millis) throws SQLException {
        asked.add(millis);
        onConnect.run();
        Link link = real.connect(millis);
        opened.add(link.connection());
        return link;
    }

    @Override
    public long maxAgeNanos() {
        return maxAgeNanos;
    }

    @Override
    public void setUp(Link link, boolean create, long millis) throws SQLException {
        real.setUp(link, create, millis);
    }

    @Override
    public Bounded limit(Link link, long millis, Link.Sync sync) throws SQLException {
        onStatement.run();
        return real.limit(link, millis, sync);
    }

    @Override
    public Optional<String> hanging(Bounded bounded, long nanos) {
        hangingNanos.add(nanos);
        return Optional.ofNullable(hanging);
    }

    @Override
    public Fault fault(SQLException e) {
        return fault == null ? real.fault(e) : fault;
    }

    @Override
    public List<Finding> findings(Worker.Turn turn) throws SQLException {
        return real.findings(turn);
    }

    @Override
    public Optional<String> rightFor(Verb verb) {
        return real.rightFor(verb);
    }

    @Override
    public SqlWatch watch(Predicate<String> ownSessions) {
        own = ownSessions;
        return real.watch(ownSessions);
    }
}
