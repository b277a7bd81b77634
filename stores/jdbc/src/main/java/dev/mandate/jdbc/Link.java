package dev.mandate.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** One connection and what was last set on it. Used by one thread at a time. */
final class Link {
    private final Connection connection;
    private Farewell farewell;
    private final long openedNanos = System.nanoTime();

    /** The time-out that was last set on it, in milliseconds; -1 for none. */
    long timeoutMillis = -1;
    /** Where the file is, for the next field; null where there is none. */
    @Nullable
    Path path;
    /** The file that was opened, whatever stands at its path by now; null where that does not matter. */
    @Nullable
    Object file;
    /** Whether its commits wait for the disk. */
    Sync sync = Sync.UNSET;

    /** How far a commit goes before it is confirmed. */
    enum Sync {
        UNSET,
        WRITTEN,
        ON_DISK
    }

    Link(Connection connection) {
        this(connection, theirs -> {});
    }

    /** Undoes the settings that were made on a connection. */
    @FunctionalInterface
    interface Farewell {
        void say(Connection connection) throws SQLException;
    }

    /** A connection that others will use again. */
    Link(Connection connection, Farewell farewell) {
        this.connection = connection;
        this.farewell = farewell;
    }

    Connection connection() {
        return connection;
    }

    /** More to undo, before the rest. */
    void beforeClosing(Farewell first) {
        Farewell rest = farewell;
        farewell = theirs -> {
            first.say(theirs);
            rest.say(theirs);
        };
    }

    boolean isOlderThan(long nanos) {
        return System.nanoTime() - openedNanos > nanos;
    }

    /** Gives the connection back as it came. One that can't be set back is cut first, so that nobody gets it. */
    void close() {
        try (connection) {
            setBack();
        } catch (SQLException | RuntimeException | Error e) {
            // It is gone either way.
        }
    }

    private void setBack() {
        try {
            farewell.say(connection);
        } catch (SQLException | RuntimeException | Error e) {
            abort();
        }
    }

    /** Cuts the connection from another thread, so that a call which hangs on it ends. */
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException | Error e) {
            // Not every driver can; the thread that hangs is a daemon.
        }
    }
}
