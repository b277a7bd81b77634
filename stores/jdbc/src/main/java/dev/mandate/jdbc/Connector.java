package dev.mandate.jdbc;

import dev.mandate.StoreUnavailableException;
import dev.mandate.support.StoreThreads;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Opens and returns connections on separate threads, because a pool may take any time for either. Only one is opened at
 * a time. The caller waits as long as it likes, and can take a late connection with a later call.
 *
 * <p>For one thread, except for {@link #close}.
 */
final class Connector {
    private final Database database;
    private @Nullable Attempt attempt;
    private boolean closed;

    Connector(Database database) {
        this.database = database;
    }

    /** A connection being opened. It is either taken or returned. */
    private final class Attempt {
        private final CompletableFuture<Link> result = new CompletableFuture<>();
        private final Thread thread;

        Attempt(long millis) {
            thread = thread("connect", () -> open(millis));
        }

        private void open(long millis) {
            try {
                Link opened = database.connect(millis);
                if (!result.complete(opened)) {
                    opened.close();
                }
            } catch (Throwable e) {
                // An Error, too, goes to the caller that waits.
                result.completeExceptionally(e);
            }
        }
    }

    /** Whether a connection is being opened, or is open and not taken yet. */
    synchronized boolean isUnderWay() {
        return attempt != null;
    }

    /** Starts to open a connection. None may be under way. */
    synchronized void begin(long millis) {
        if (closed) {
            throw new StoreUnavailableException(database.name() + ": the store is closed");
        }
        Attempt begun = new Attempt(millis);
        attempt = begun;
        begun.thread.start();
    }

    /**
     * Takes the connection under way; the caller owns it. Null if it is not open in time: then it stays under way.
     *
     * @throws SQLException or whatever {@link Database#connect} threw; then none is under way any more
     */
    @Nullable
    Link take(long millis) throws SQLException {
        Attempt current;
        synchronized (this) {
            current = attempt;
        }
        if (current == null) {
            return null;
        }
        try {
            Link opened = current.result.get(millis, TimeUnit.MILLISECONDS);
            return isTaken(current) ? opened : null;
        } catch (TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException e) {
            isTaken(current);
            throw failure(e.getCause());
        }
    }

    private synchronized boolean isTaken(Attempt done) {
        boolean isMine = attempt == done;
        attempt = null;
        return isMine;
    }

    private SQLException failure(@Nullable Throwable cause) {
        if (cause instanceof RuntimeException e) {
            throw e;
        }
        if (cause instanceof Error e) {
            throw e;
        }
        return cause instanceof SQLException e ? e : new SQLException(String.valueOf(cause), cause);
    }

    /** Closes a connection in the background. */
    void giveBack(Link link) {
        thread("return", link::close).start();
    }

    private Thread thread(String what, Runnable work) {
        return StoreThreads.daemon(
                "mandate-jdbc-" + what + "-" + database.traits().name(), work);
    }

    /** Does not wait: a connection under way is closed when it is open. On any thread. Idempotent. */
    void close() {
        Attempt last;
        synchronized (this) {
            closed = true;
            last = attempt;
            attempt = null;
        }
        if (last == null) {
            return;
        }
        RuntimeException why = new StoreUnavailableException(database.name() + ": the store was closed first");
        if (last.result.completeExceptionally(why)) {
            // Ends the wait of a pool.
            last.thread.interrupt();
        } else {
            last.result.thenAccept(Link::close);
        }
    }
}
