package dev.mandate.jdbc;

import dev.mandate.spi.Finding;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Verb;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What differs between databases: connections, timeouts, the meaning of errors, and change notification. */
interface Database {
    /** Its name in messages, without secrets. */
    String name();

    /** What the store promises and assumes. */
    StoreTraits traits();

    /** The statements. */
    Sql sql();

    /**
     * Opens a connection in autocommit, ready for use.
     *
     * @param millis roughly how long it may take
     * @throws dev.mandate.StoreSetupException if the error shows without asking the database
     */
    Link connect(long millis) throws SQLException;

    /** The age in nanoseconds at which a connection is replaced: pools expect theirs back now and then. */
    long maxAgeNanos();

    /** Creates missing tables if allowed, and checks that they can be written to. Idempotent. */
    void setUp(Link link, boolean create, long millis) throws SQLException;

    /** Sets the next statement's timeouts, by settings of the connection or by a prologue. */
    Bounded limit(Link link, long millis, Link.Sync sync) throws SQLException;

    /**
     * What earlier writes are blocked by; empty unless several that began at least {@code nanos} ago hang. One more
     * would hang as well, in yet another session.
     */
    default Optional<String> hanging(Bounded bounded, long nanos) throws SQLException {
        return Optional.empty();
    }

    /** What an error means. */
    Fault fault(SQLException e);

    /** The doctor's findings about the server or the file. Read-only. */
    List<Finding> findings(Worker.Turn turn) throws SQLException;

    /** The rights that a user needs for {@code verb}; empty if the database has none. */
    Optional<String> rightFor(Verb verb);

    /** Creates the shared watch. {@code own} recognizes this store's sessions, whose renewals are not reported. */
    SqlWatch watch(Predicate<String> own);
}
