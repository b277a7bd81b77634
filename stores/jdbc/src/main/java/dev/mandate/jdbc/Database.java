package dev.mandate.jdbc;

import dev.mandate.spi.Finding;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.Verb;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What differs between databases: connections, time-outs, the meaning of errors, and where news come from. */
interface Database {
    /** What messages call it; no secrets. */
    String name();

    /** What the store promises and assumes. */
    StoreTraits traits();

    /** The statements. */
    Sql sql();

    /**
     * Opens a connection in autocommit, ready for use.
     *
     * @param millis how long it may take, about
     * @throws dev.mandate.StoreSetupException if what is wrong can be told before asking the database
     */
    Link connect(long millis) throws SQLException;

    /** After how long a connection is exchanged for another one, in nanoseconds: pools want to see theirs now and then. */
    long maxAgeNanos();

    /** Makes the tables if that is allowed and needed, and finds out whether they can be written to. Idempotent. */
    void setUp(Link link, boolean create, long millis) throws SQLException;

    /** Bounds the next statement, by settings of the connection or by what it is sent behind. */
    Bounded limit(Link link, long millis, Link.Sync sync) throws SQLException;

    /**
     * What earlier writes hang on; empty unless several that began at least {@code nanos} ago do. One more would hang
     * as well, in a session of its own.
     */
    default Optional<String> hanging(Bounded bounded, long nanos) throws SQLException {
        return Optional.empty();
    }

    /** What an error means. */
    Fault fault(SQLException e);

    /** What is worth knowing about the server or the file. Reads only. */
    List<Finding> findings(Worker.Turn turn) throws SQLException;

    /** What a user has to be granted for {@code verb}; empty where nothing is granted. */
    Optional<String> rightFor(Verb verb);

    /** A watch for all who listen; {@code own} tells the sessions of this store, whose renewals are no news to them. */
    SqlWatch watch(Predicate<String> own);
}
