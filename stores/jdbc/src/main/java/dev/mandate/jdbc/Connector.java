package dev.mandate.jdbc;

import dev.mandate.StoreUnavailableException;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections, and gives them back, on threads of its own: a pool may take as long as it likes for either. One is
 * opened at a time; who needs it waits as long as it wants to, and finds it later if it came too late.
 *
 * <p>For one thread, but for {@link #close}.
 */
final class Connector {
    private final Database database;
    private @Nullable Attempt attempt;
    private boolean closed;

    Connector(Database database) {
        this.database = database;
    }

    /** One connection on its way. Ends either taken, or given back. */
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
                // An Error, too, is for whoever waits.
                result.completeExceptionally(e);
            }
        }
    }

    /** Whether one is on its way, or has come and was not taken. */
    synchronized boolean isUnderWay() {
        return attempt != null;
    }

    /** Begins to open one. Nothing must be under way. */
    synchronized void begin(long millis) {
        if (closed) {
            throw new StoreUnavailableException(database.name() + ": the store is closed");
        }
        Attempt begun = new Attempt(millis);
        attempt = begun;
        begun.thread.start();
    }

    /**
     * The connection that is under way, which belongs to the caller from now on; null if it does not come in time, and stays
     * under way.
     *
     * @throws SQLException or what else {@link Database#connect} threw; nothing is under way any more
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

    /** Gives a connection back. Returns at once. */
    void giveBack(Link link) {
        thread("return", link::close).start();
    }

    private Thread thread(String what, Runnable work) {
        Thread thread = new Thread(
                work, "mandate-jdbc-" + what + "-" + database.traits().name());
        thread.setDaemon(true);
        return thread;
    }

    /** Waits for nothing: what is under way is given back when it comes. On any thread. Idempotent. */
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
            // Pools stop waiting then.
            last.thread.interrupt();
        } else {
            last.result.thenAccept(Link::close);
        }
    }
}
