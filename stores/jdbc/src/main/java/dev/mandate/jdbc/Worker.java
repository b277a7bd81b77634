package dev.mandate.jdbc;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Does the blocking work: one daemon thread, one connection, one bounded queue. {@link #submit} is callable from any
 * thread and never blocks.
 *
 * <ul>
 *   <li>Urgent calls, such as renewals, overtake all others that wait.
 *   <li>A call fails without sending its next statement if its deadline has passed.
 *   <li>After a failed connection, the next tries wait 100 ms to 5 s, doubling; calls in between fail at once with the
 *       reason.
 *   <li>Abandoned statements may hang on the server for ever, each in a separate session. While several do, no more
 *       writes are sent.
 * </ul>
 */
final class Worker {
    /** How many calls may wait. */
    static final int QUEUE_MAX = 20_000;

    private static final long CONNECT_MAX_MILLIS = 5_000;
    private static final long BACK_OFF_MIN_MILLIS = 100;
    private static final long BACK_OFF_MAX_MILLIS = 5_000;
    private static final long CLOSE_MILLIS = 1_500;

    /** The pause before asking a pool again that had no other connection. */
    private static final long EXCHANGE_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Database database;
    private final LongSupplier nanos;
    private final Connector connector;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition submitted = lock.newCondition();
    private final Deque<Task<?>> urgent = new ArrayDeque<>();
    private final Deque<Task<?>> ordinary = new ArrayDeque<>();
    private boolean closed;

    /** Written by the worker only; read by {@link #close} to abort a call that hangs. */
    private volatile @Nullable Link link;

    private volatile @Nullable Task<?> running;

    private long backOffMillis;
    private long connectAfterNanos;
    private long exchangeAfterNanos;
    private @Nullable RuntimeException connectFailure;

    /** When the last statement was sent. */
    private long sentNanos;

    /** Whether the last connection broke under a statement, which may hang on the server. */
    private boolean isAbandoned;

    /** Roughly when that statement began there. */
    private long abandonedNanos;

    Worker(Database database) {
        this(database, System::nanoTime);
    }

    /** Uses another monotonic clock. */
    Worker(Database database, LongSupplier nanos) {
        this.database = database;
        this.nanos = nanos;
        this.exchangeAfterNanos = nanos.getAsLong();
        this.connector = new Connector(database);
        this.thread = new Thread(this::loop, "mandate-jdbc-" + database.traits().name());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** The work of a call; runs on the worker. */
    interface Work<T> {
        T run(Turn turn) throws SQLException;
    }

    /** Whether a call overtakes others. */
    enum Lane {
        URGENT,
        ORDINARY
    }

    /** Queues a call. */
    <T> CompletableFuture<T> submit(Lane lane, String what, CallContext call, Work<T> work) {
        Task<T> task = new Task<>(what, call, work);
        lock.lock();
        try {
            if (closed) {
                task.fail("the store is closed");
            } else if (urgent.size() + ordinary.size() >= QUEUE_MAX) {
                task.fail(QUEUE_MAX + " calls are waiting already");
            } else {
                (lane == Lane.URGENT ? urgent : ordinary).add(task);
                submitted.signal();
            }
        } finally {
            lock.unlock();
        }
        // Completed outside the lock, because continuations are not our code.
        task.publishFailure();
        return task.result;
    }

    /** Fails waiting calls, aborts the running one unless it ends soon, and gives the connection back. Idempotent. */
    void close() {
        List<Task<?>> left = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            left.addAll(urgent);
            left.addAll(ordinary);
            urgent.clear();
            ordinary.clear();
            submitted.signal();
        } finally {
            lock.unlock();
        }
        for (Task<?> task : left) {
            task.fail("the store was closed first");
            task.publishFailure();
        }
        connector.close();
        if (Thread.currentThread() != thread) {
            join();
            Task<?> hanging = running;
            if (hanging != null) {
                hanging.fail("the store was closed while it hung");
                hanging.publishFailure();
            }
        }
    }

    private void join() {
        boolean interrupted = false;
        for (int i = 0; i < 2 && thread.isAlive(); i++) {
            Link hanging = link;
            if (i > 0 && hanging != null) {
                hanging.abort();
            }
            try {
                thread.join(CLOSE_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() {
        for (Task<?> task = next(); task != null; task = next()) {
            running = task;
            try {
                task.run();
            } catch (Throwable e) {
                // Even if error handling failed, the thread that renews the session must go on.
                task.result.completeExceptionally(e);
            }
            running = null;
        }
        Link last = link;
        link = null;
        if (last != null) {
            last.close();
        }
    }

    private @Nullable Task<?> next() {
        lock.lock();
        try {
            while (!closed && urgent.isEmpty() && ordinary.isEmpty()) {
                submitted.awaitUninterruptibly();
            }
            return closed ? null : urgent.isEmpty() ? ordinary.poll() : urgent.poll();
        } finally {
            lock.unlock();
        }
    }

    private Link connected(CallContext call) throws SQLException {
        Link current = link;
        if (current == null) {
            current = connect(call);
        } else if (current.isOlderThan(database.maxAgeNanos())) {
            current = exchanged(current);
        }
        link = current;
        return current;
    }

    /** Replaces an old connection that works: never waits, and keeps the old one until the new one is open. */
    private Link exchanged(Link old) {
        try {
            if (connector.isUnderWay()) {
                Link other = connector.take(0);
                if (other != null) {
                    connector.giveBack(old);
                    return other;
                }
            } else if (nanos.getAsLong() - exchangeAfterNanos >= 0) {
                connector.begin(CONNECT_MAX_MILLIS);
            }
        } catch (SQLException | RuntimeException e) {
            exchangeAfterNanos = nanos.getAsLong() + EXCHANGE_PAUSE_NANOS;
        }
        return old;
    }

    private Link connect(CallContext call) throws SQLException {
        long millis = Math.max(1, call.remainingMillis());
        if (!connector.isUnderWay()) {
            requireTimeToConnect();
            connector.begin(Math.min(CONNECT_MAX_MILLIS, millis));
        }
        try {
            Link opened = connector.take(millis);
            if (opened == null) {
                throw new StoreUnavailableException(database.name() + ": connecting: no connection within " + millis
                        + " ms: the server does not answer, or a pool has none to give");
            }
            backOffMillis = 0;
            connectFailure = null;
            return opened;
        } catch (SQLException e) {
            throw noted(database.fault(e).exception(database.name(), "connecting", e), millis);
        } catch (RuntimeException e) {
            throw noted(e, millis);
        }
    }

    private void requireTimeToConnect() {
        if (connectFailure != null && nanos.getAsLong() - connectAfterNanos < 0) {
            String message = connectFailure.getMessage() + " (tried less than " + backOffMillis + " ms ago)";
            throw connectFailure instanceof StoreSetupException
                    ? new StoreSetupException(message, connectFailure)
                    : new StoreUnavailableException(message, connectFailure);
        }
    }

    /**
     * Sets the pause before the next try to connect. It grows with every failure, but never beyond the time of one
     * call, which the bound for recovery after an outage includes. The caller spaces its own calls.
     */
    private RuntimeException noted(RuntimeException failure, long callMillis) {
        backOffMillis =
                Math.max(BACK_OFF_MIN_MILLIS, Math.min(callMillis, Math.min(BACK_OFF_MAX_MILLIS, 2 * backOffMillis)));
        // Clients that lost the same server should not reconnect in step.
        long spread = ThreadLocalRandom.current().nextLong(backOffMillis / 4);
        connectAfterNanos = nanos.getAsLong() + (backOffMillis - spread) * 1_000_000;
        connectFailure = failure;
        return failure;
    }

    private void drop() {
        Link current = link;
        link = null;
        if (current != null) {
            // It began on the server after it was sent and before it was abandoned.
            isAbandoned = true;
            abandonedNanos = sentNanos + (nanos.getAsLong() - sentNanos) / 2;
            connector.giveBack(current);
        }
    }

    /** One call while it runs. */
    final class Turn {
        private final Link link;
        private final CallContext call;
        private final String what;

        private Turn(Link link, CallContext call, String what) {
            this.link = link;
            this.call = call;
            this.what = what;
        }

        /** The connection, limited to the rest of the call's time. To be called before every statement. */
        Bounded next(Link.Sync sync) throws SQLException {
            long millis = call.remainingMillis();
            if (millis == 0) {
                throw new StoreUnavailableException(
                        database.name() + ": " + what + ": its time was over before the statement was sent");
            }
            sentNanos = nanos.getAsLong();
            return database.limit(link, millis, sync);
        }

        Bounded next() throws SQLException {
            return next(Link.Sync.WRITTEN);
        }

        /** The same for a write; fails while several earlier writes hang. */
        Bounded nextWrite(Link.Sync sync) throws SQLException {
            if (isAbandoned) {
                Optional<String> hanging = database.hanging(next(), nanos.getAsLong() - abandonedNanos);
                if (hanging.isPresent()) {
                    throw new StoreUnavailableException(
                            database.name() + ": " + what + ": nothing was written, because " + hanging.get());
                }
                isAbandoned = false;
            }
            return next(sync);
        }

        Bounded nextWrite() throws SQLException {
            return nextWrite(Link.Sync.WRITTEN);
        }

        /** Notes an error that is not the call's answer: the connection may be broken all the same. */
        void failed(SQLException e) {
            if (database.fault(e).kind() == Fault.Kind.BROKEN) {
                drop();
            }
        }

        Link link() {
            return link;
        }

        long remainingMillis() {
            return call.remainingMillis();
        }
    }

    private final class Task<T> {
        private final String what;
        private final CallContext call;
        private final Work<T> work;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private @Nullable String failure;

        private Task(String what, CallContext call, Work<T> work) {
            this.what = what;
            this.call = call;
            this.work = work;
        }

        void fail(String why) {
            failure = database.name() + ": " + what + ": " + why;
        }

        void publishFailure() {
            if (failure != null) {
                result.completeExceptionally(new StoreUnavailableException(failure));
            }
        }

        void run() {
            T value;
            try {
                if (call.isOver()) {
                    throw new StoreUnavailableException(
                            database.name() + ": " + what + ": its time was over before its turn came");
                }
                value = work.run(new Turn(connected(call), call, what));
            } catch (SQLException e) {
                Fault fault = database.fault(e);
                if (fault.kind() == Fault.Kind.BROKEN) {
                    drop();
                }
                result.completeExceptionally(fault.exception(database.name(), what, e));
                return;
            } catch (Throwable e) {
                // Even an Error fails only this call.
                result.completeExceptionally(e);
                return;
            }
            result.complete(value);
        }
    }
}
