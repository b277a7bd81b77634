package dev.mandate.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** One connection and its current settings. Used by one thread at a time. */
final class Link {
    private final Connection connection;
    private Farewell farewell;
    private final long openedNanos = System.nanoTime();

    /** The timeout last set, in milliseconds; -1 for none. */
    long timeoutMillis = -1;
    /** The path of the database file; null if there is none. */
    @Nullable
    Path path;
    /** The key of the file opened, which its path may no longer name; null if not known. */
    @Nullable
    Object file;
    /** Whether commits wait for the disk. */
    Sync sync = Sync.UNSET;

    /** When a commit is confirmed. */
    enum Sync {
        UNSET,
        WRITTEN,
        ON_DISK
    }

    Link(Connection connection) {
        this(connection, theirs -> {});
    }

    /** Restores a connection's original settings. */
    @FunctionalInterface
    interface Farewell {
        void say(Connection connection) throws SQLException;
    }

    /** A connection that others will use afterwards. */
    Link(Connection connection, Farewell farewell) {
        this.connection = connection;
        this.farewell = farewell;
    }

    Connection connection() {
        return connection;
    }

    /** Adds an action that runs before the others. */
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

    /** Returns the connection with its original settings, or aborts it if they can't be restored. */
    void close() {
        try (connection) {
            setBack();
        } catch (SQLException | RuntimeException | Error e) {
            // Closed either way.
        }
    }

    private void setBack() {
        try {
            farewell.say(connection);
        } catch (SQLException | RuntimeException | Error e) {
            abort();
        }
    }

    /** Aborts the connection from another thread, to end a call that hangs. */
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException | Error e) {
            // Not every driver supports it; the hanging thread is a daemon.
        }
    }
}
