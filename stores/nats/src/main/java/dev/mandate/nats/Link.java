package dev.mandate.nats;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.CallGate;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one connection of a store, made again by a thread of its own whenever it is lost, and what is known of the bucket behind it. Requests are
 * sent over the connection of the moment or not at all: nothing waits to be sent later.
 *
 * <p>Each new connection looks at the server's version and at the bucket first, and again when requests find nobody to answer them.
 */
final class Link {
    private static final long PAUSE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Enough for a server that is far away, few enough for one that does five hundred a second. */
    private static final int UNDER_WAY_MAX = 256;

    /** One for every election that a client may have. */
    private static final int WAITING_MAX = 1 << 20;

    private static final long CHECK_SPACING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final NatsSettings settings;
    private final Dialer dialer;
    private final Threads threads;
    private final Thread keeper;
    private final CopyOnWriteArrayList<Runnable> renewed = new CopyOnWriteArrayList<>();

    private final CallGate gate = new CallGate(UNDER_WAY_MAX, UNDER_WAY_MAX / 4, WAITING_MAX);

    private volatile @Nullable Session session;
    private volatile ElectionException why;
    private volatile boolean closed;

    // On the keeper's thread.
    private @Nullable Bucket lastBucket;
    private long missingSinceNanos;

    /** Guards what follows. Nothing is called under it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private @Nullable Connection ended;
    private boolean isCheckWanted;
    private boolean isTried;

    Link(NatsSettings settings) {
        this.settings = settings;
        this.threads = new Threads();
        this.dialer = new Dialer(settings, threads, this::lost);
        this.why = new StoreUnavailableException(settings.name() + ": there is no connection yet");
        this.keeper = threads.factory("mandate-nats-link-").newThread(this::keep);
    }

    /** A connection, and the bucket as it was when that was made or last looked at. */
    record Session(Connection connection, Bucket bucket) {}

    void start() {
        keeper.start();
    }

    Threads threads() {
        return threads;
    }

    NatsSettings settings() {
        return settings;
    }

    /** The connection of the moment; null if there is none. */
    @Nullable
    Session session() {
        return session;
    }

    /** Calls {@code task} whenever there is another connection or another bucket, on a thread that must not be held up. */
    void whenRenewed(Runnable task) {
        renewed.add(task);
    }

    void forget(Runnable task) {
        renewed.remove(task);
    }

    /**
     * Waits until there was a first try to connect, and it succeeded or the time is over.
     *
     * @throws StoreSetupException if somebody has to change something
     */
    void awaitFirst(CallContext call) {
        lock.lock();
        try {
            long left = call.remaining().toNanos();
            while (left > 0 && session == null && !(isTried && why instanceof StoreSetupException)) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        if (session == null && why instanceof StoreSetupException setup) {
            throw setup;
        }
    }

    // ---- the keeper's thread ----

    private void keep() {
        long pause = PAUSE_MIN_NANOS;
        while (!closed) {
            @Nullable Connection connection = null;
            try {
                settings.login().refresh();
                connection = dialer.connect();
                check(connection);
                pause = PAUSE_MIN_NANOS;
                attend(connection);
            } catch (ElectionException e) {
                failed(e);
            } catch (RuntimeException | Error e) {
                // An error, too: that no thread could be made, say. Nobody else would ever connect again.
                failed(new StoreUnavailableException(settings.name() + ": " + e, e));
            } catch (InterruptedException e) {
                // Only close() interrupts.
            } finally {
                session = null;
                dialer.end(connection);
            }
            pause(why instanceof StoreSetupException ? PAUSE_MAX_NANOS : pause);
            pause = Math.min(PAUSE_MAX_NANOS, 2 * pause);
        }
    }

    private void check(Connection connection) {
        session = new Session(connection, look(connection));
        signal(() -> isTried = true);
        renewed.forEach(Runnable::run);
    }

    /**
     * Looks at the bucket, and makes it if it never was there. One that somebody deleted is made again only when no leader can believe any more
     * that renewed its lease in it, and only if its revisions go on from those it had.
     */
    private Bucket look(Connection connection) {
        Bucket last = lastBucket;
        boolean isOver = missingSinceNanos != 0
                && System.nanoTime() - missingSinceNanos
                        > (last == null ? 0 : longest(last).toNanos());
        boolean mayMake = last == null || isOver && last.version().choosesFirstRevision();
        BucketCheck check = new BucketCheck(mayMake ? settings : settings.withoutMaking(), dialer.server(connection));
        try {
            Bucket bucket = check.examined();
            missingSinceNanos = 0;
            lastBucket = bucket;
            return bucket;
        } catch (StoreSetupException e) {
            if (check.isMissing() && missingSinceNanos == 0) {
                missingSinceNanos = System.nanoTime();
            }
            throw e;
        }
    }

    private Duration longest(Bucket bucket) {
        return settings.lease() == null ? bucket.ttl() : bucket.lifetime(settings.lease());
    }

    private void failed(ElectionException e) {
        session = null;
        why = e;
        signal(() -> isTried = true);
    }

    /** Looks at the bucket when that is wanted, until the connection ends. */
    private void attend(Connection connection) throws InterruptedException {
        boolean isWell = true;
        while (!closed && awaitCheck(connection, isWell)) {
            try {
                Session known = session;
                Bucket bucket = look(connection);
                isWell = true;
                if (known == null || !known.bucket().equals(bucket)) {
                    session = new Session(connection, bucket);
                    renewed.forEach(Runnable::run);
                }
            } catch (StoreSetupException e) {
                isWell = false;
                failed(e);
            } catch (StoreUnavailableException e) {
                // The connection may be well, and the cluster without a leader: whoever asks next finds out.
                why = e;
            }
        }
        why = new StoreUnavailableException(settings.name() + ": the connection was lost");
    }

    /** Whether it is time to look, and not over. A bucket that could not be used is looked at again by and by. */
    private boolean awaitCheck(Connection connection, boolean isWell) throws InterruptedException {
        lock.lock();
        try {
            long spacing = isWell ? CHECK_SPACING_NANOS : PAUSE_MAX_NANOS;
            while (ended != connection && spacing > 0) {
                spacing = changed.awaitNanos(spacing);
            }
            while (ended != connection && isWell && !isCheckWanted) {
                changed.await();
            }
            isCheckWanted = false;
            return ended != connection;
        } finally {
            lock.unlock();
        }
    }

    private void pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Only close() interrupts.
        } finally {
            lock.unlock();
        }
    }

    private void lost(Connection connection) {
        if (connection.getStatus() == Connection.Status.CONNECTED) {
            // What is reported late is a former server that did not take it.
            return;
        }
        @Nullable Session known = session;
        if (known != null && known.connection().equals(connection)) {
            session = null;
        }
        signal(() -> ended = connection);
    }

    private void signal(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Requests find nobody: perhaps the bucket is gone. */
    void wantCheck() {
        signal(() -> isCheckWanted = true);
    }

    // ---- requests ----

    /**
     * One request and its one answer. So many are under way at a time; what could not be sent in time is never sent: a server that is slower than
     * its clients for a while does useful work only, and does not refuse tomorrow what it could not do today.
     *
     * @param what for messages: "reading election/x"
     * @return a stage that fails as {@link Fault} says
     */
    CompletableFuture<Message> request(
            Lane lane, String what, String subject, @Nullable Headers headers, byte[] body, CallContext call) {
        Exchange exchange = new Exchange(lane, () -> send(subject, headers, body, call));
        if (!exchange.ticket.enter()) {
            exchange.answer.completeExceptionally(new StoreUnavailableException(
                    settings.name() + ": " + what + ": " + WAITING_MAX + " calls wait already"));
        }
        return exchange.answer.exceptionallyCompose(
                failure -> CompletableFuture.failedFuture(unanswered(what, subject, failure)));
    }

    /** A request that waits for its turn, or is under way. */
    private final class Exchange {
        final CompletableFuture<Message> answer = new CompletableFuture<>();
        final CallGate.Ticket ticket;
        private final Supplier<CompletableFuture<Message>> send;

        Exchange(Lane lane, Supplier<CompletableFuture<Message>> send) {
            this.send = send;
            this.ticket = gate.ticket(this::start, lane == Lane.WRITES);
        }

        private void start() {
            var unused = send.get().whenComplete((message, failure) -> {
                ticket.close();
                if (failure == null) {
                    answer.complete(message);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        }
    }

    private CompletableFuture<Message> send(String subject, @Nullable Headers headers, byte[] body, CallContext call) {
        @Nullable Session now = session;
        if (now == null || closed) {
            return CompletableFuture.failedFuture(why());
        }
        long left = call.remaining().toNanos();
        if (left <= 0) {
            return CompletableFuture.failedFuture(new TimeoutException());
        }
        try {
            return now.connection()
                    .requestWithTimeout(subject, headers, body, call.remaining())
                    .orTimeout(left, TimeUnit.NANOSECONDS);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ElectionException unanswered(String what, String subject, Throwable thrown) {
        Throwable failure = Fault.unwrapped(thrown);
        if (closed) {
            return new StoreUnavailableException(settings.name() + ": " + what + ": the store is closed", failure);
        }
        if (Fault.isNoResponders(failure)) {
            wantCheck();
        }
        @Nullable String denied = failure instanceof TimeoutException ? dialer.denied(subject) : null;
        return denied != null ? Fault.denied(settings.name(), what, denied) : Fault.of(settings.name(), what, failure);
    }

    /** Why there is no connection. */
    ElectionException why() {
        return closed ? new StoreUnavailableException(settings.name() + ": the store is closed") : why;
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends all calls, within about two seconds. Idempotent. */
    void close() {
        closed = true;
        @Nullable Session last = session;
        session = null;
        signal(() -> isTried = true);
        keeper.interrupt();
        dialer.close(last == null ? null : last.connection());
        threads.close();
    }
}
