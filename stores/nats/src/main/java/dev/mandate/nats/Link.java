package dev.mandate.nats;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.support.CallGate;
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
import org.jspecify.annotations.Nullable;

/**
 * The one connection of a store, made again by a thread of its own whenever it is lost, and what is known of the bucket behind it. Requests are
 * sent over the connection of the moment or not at all: nothing waits to be sent later.
 *
 * <p>Each new connection looks at the server's version and at the bucket first, and again when requests find nobody to answer them.
 */
final class Link {
    private static final long PAUSE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Until somebody changes something. */
    private static final long PAUSE_FOR_CHANGE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Enough for a server that is far away, few enough for one that does five hundred a second. */
    private static final int UNDER_WAY_MAX = 256;

    /** One for every election that a client may have. */
    private static final int WAITING_MAX = 1 << 20;

    private static final long CHECK_SPACING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The bucket is looked at that often in a lease, whatever happens: somebody may shorten its time to live. */
    private static final int CHECKS = 3;

    private static final Duration LEASE = Duration.ofSeconds(10);

    /** A server that is about to listen is awaited that long when a store is opened; others that may answer yet, for longer. */
    private static final long NOBODY_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private final NatsSettings settings;
    private final Dialer dialer;
    private final Threads threads;
    private final Thread keeper;
    private final CopyOnWriteArrayList<Runnable> renewed = new CopyOnWriteArrayList<>();

    private final CallGate gate = new CallGate(UNDER_WAY_MAX, UNDER_WAY_MAX / 4, WAITING_MAX);

    private final Awaited awaited = new Awaited();

    private volatile @Nullable Session session;
    private volatile ElectionException why;
    private volatile boolean closed;

    private final KnownBucket known;

    /** Guards what follows. Nothing is called under it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private @Nullable Connection ended;
    private boolean isCheckWanted;
    private boolean isTried;

    /** Who waits for a look at the bucket; null for nobody. */
    private @Nullable CompletableFuture<Void> doubt;

    Link(NatsSettings settings) {
        this.settings = settings;
        this.known = new KnownBucket(settings);
        this.threads = new Threads();
        this.dialer = new Dialer(settings, threads, this::lost, awaited::refused);
        this.why = new StoreUnavailableException(settings.name() + ": there is no connection yet");
        this.keeper = threads.factory("mandate-nats-link-").newThread(this::keep);
    }

    /**
     * A connection, and the bucket as it was when that was made or last looked at.
     *
     * @param unfit why nobody may come to lead in it at the moment; null if all is well
     */
    record Session(
            Connection connection, Bucket bucket, @Nullable StoreSetupException unfit) {}

    void start() {
        keeper.start();
    }

    Threads threads() {
        return threads;
    }

    Cork cork() {
        return dialer.cork();
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
     * Waits until there was a first try to connect, and it succeeded or the time is over; not much longer than that where nobody listens.
     *
     * @throws StoreSetupException if somebody has to change something
     */
    void awaitFirst(CallContext call) {
        long begunNanos = System.nanoTime();
        lock.lock();
        try {
            long left = call.remaining().toNanos();
            while (left > 0 && session == null && !isHopeless(begunNanos)) {
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

    /** Whether it would be no use to wait on; told after each try. */
    private boolean isHopeless(long begunNanos) {
        return isTried
                && (why instanceof StoreSetupException
                        || Fault.isNobody(why) && System.nanoTime() - begunNanos >= NOBODY_NANOS);
    }

    // ---- the keeper's thread ----

    private void keep() {
        long pauseMost = Pace.of(settings.lease()).pauseMost().toNanos();
        long pause = PAUSE_MIN_NANOS;
        while (!closed) {
            @Nullable Connection connection = null;
            try {
                connection = dialer.connect();
                boolean isWell = check(connection);
                pause = PAUSE_MIN_NANOS;
                attend(connection, isWell);
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
                settle(takeDoubt(), why);
            }
            pause(why instanceof StoreSetupException ? PAUSE_FOR_CHANGE_NANOS : pause);
            pause = Math.min(pauseMost, 2 * pause);
        }
    }

    /**
     * The first look over a connection.
     *
     * @return whether all is well, and not the bucket missing that is to be made again when it was missing for long enough
     */
    private boolean check(Connection connection) {
        // What happened while nobody looked is not known.
        known.lostSight();
        try {
            renew(look(connection));
        } catch (StoreSetupException e) {
            if (!known.isAwaited()) {
                throw e;
            }
            failed(e);
            return false;
        }
        signal(() -> isTried = true);
        renewed.forEach(Runnable::run);
        return true;
    }

    private Session look(Connection connection) {
        BucketCheck.Found found = known.look(dialer.server(connection));
        return new Session(connection, found.bucket(), found.unfit());
    }

    private Duration regular() {
        Duration lease = settings.lease() == null ? LEASE : settings.lease();
        return lease.dividedBy(CHECKS);
    }

    private void failed(ElectionException e) {
        session = null;
        why = e;
        signal(() -> isTried = true);
    }

    /** Looks at the bucket when that is wanted, until the connection ends. */
    private void attend(Connection connection, boolean isWellAtFirst) throws InterruptedException {
        boolean isWell = isWellAtFirst;
        while (!closed && awaitCheck(connection, isWell)) {
            @Nullable CompletableFuture<Void> asked = takeDoubt();
            @Nullable ElectionException failure = null;
            try {
                Session former = session;
                Session now = look(connection);
                isWell = true;
                if (former == null || !former.bucket().equals(now.bucket())) {
                    renew(now);
                    renewed.forEach(Runnable::run);
                }
            } catch (StoreSetupException e) {
                isWell = false;
                failed(e);
                failure = e;
            } catch (StoreUnavailableException e) {
                // The connection may be well, and the cluster without a leader: whoever asks next finds out.
                why = e;
                failure = e;
                if (session == null) {
                    wantCheck();
                }
            }
            settle(asked, failure);
        }
        why = new StoreUnavailableException(settings.name() + ": the connection was lost");
    }

    /** Who asks from now on uses what was found, unless somebody came to doubt it meanwhile. */
    private void renew(Session found) {
        lock.lock();
        try {
            session = doubt == null ? found : null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable CompletableFuture<Void> takeDoubt() {
        lock.lock();
        try {
            @Nullable CompletableFuture<Void> taken = doubt;
            doubt = null;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private static void settle(@Nullable CompletableFuture<Void> asked, @Nullable ElectionException failure) {
        if (asked != null) {
            Bundle.complete(asked, null, failure);
        }
    }

    /** Whether it is time to look, and not over. A bucket that could not be used is looked at again by and by. */
    private boolean awaitCheck(Connection connection, boolean isWell) throws InterruptedException {
        lock.lock();
        try {
            long spacing =
                    isWell ? CHECK_SPACING_NANOS : known.isAwaited() ? Absence.SPACING_NANOS : PAUSE_FOR_CHANGE_NANOS;
            while (ended != connection && doubt == null && spacing > 0) {
                spacing = changed.awaitNanos(spacing);
            }
            long left = regular().toNanos() - CHECK_SPACING_NANOS;
            while (ended != connection && isWell && doubt == null && !isCheckWanted && left > 0) {
                left = changed.awaitNanos(left);
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
        @Nullable Session now = session;
        if (now != null && now.connection().equals(connection)) {
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

    /** The newest revision known. What is written from now on gets a larger one, if the servers lose none. */
    long newest() {
        return known.newest();
    }

    /** That revision was given. */
    void saw(long revision) {
        known.saw(revision);
    }

    /**
     * A write got a revision that is not larger than what was known before it was sent: either its servers lost some, or this is not the bucket it
     * was. Nobody calls it until it was looked at.
     *
     * @return a stage that is done if it is the same one, and fails with a {@link StoreSetupException} if it is not
     */
    CompletableFuture<Void> doubt(Object what, CallContext call) {
        CompletableFuture<Void> looked;
        lock.lock();
        try {
            doubt = doubt == null ? new CompletableFuture<>() : doubt;
            looked = doubt.copy();
            session = null;
            why = new StoreUnavailableException(settings.name() + ": its revisions went back, and it is looked at");
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return looked.orTimeout(Math.max(1, call.remaining().toNanos()), TimeUnit.NANOSECONDS)
                .exceptionallyCompose(thrown -> {
                    Throwable failure = Causes.unwrapped(thrown);
                    return CompletableFuture.failedFuture(
                            failure instanceof ElectionException ? failure : Fault.of(settings.name(), what, failure));
                });
    }

    /** What the server said when {@code subject} was used without a right to it; null if that is not known. */
    @Nullable
    String denied(String subject) {
        return dialer.denied(subject);
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
     * @param what what its text says, for messages: "reading election/x"
     * @return a stage that fails as {@link Fault} says
     */
    CompletableFuture<Message> request(
            Lane lane, Object what, String subject, @Nullable Headers headers, byte[] body, CallContext call) {
        Exchange exchange = new Exchange(lane, what, subject, headers, body, call);
        if (!exchange.ticket.enter()) {
            exchange.completeExceptionally(new StoreUnavailableException(
                    settings.name() + ": " + what + ": " + WAITING_MAX + " calls wait already"));
        }
        return exchange;
    }

    /** A request that waits for its turn, or is under way, and its answer. */
    private final class Exchange extends CompletableFuture<Message> {
        private final Object what;
        private final String subject;
        private final @Nullable Headers headers;
        private final byte[] body;
        private final CallContext call;
        final CallGate.Ticket ticket;

        Exchange(Lane lane, Object what, String subject, @Nullable Headers headers, byte[] body, CallContext call) {
            this.what = what;
            this.subject = subject;
            this.headers = headers;
            this.body = body;
            this.call = call;
            this.ticket = gate.ticket(this::start, lane == Lane.WRITES);
        }

        private void start() {
            try {
                var unused = send(subject, headers, body, call).whenComplete(this::ended);
            } catch (Throwable e) {
                completeExceptionally(e);
                throw e;
            }
        }

        private void ended(Message message, @Nullable Throwable failure) {
            try {
                ticket.close();
                if (failure == null) {
                    dialer.answered(subject);
                    complete(message);
                } else {
                    completeExceptionally(unanswered(what, subject, failure));
                }
            } catch (Throwable e) {
                completeExceptionally(e);
            }
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
            CompletableFuture<Message> answer = now.connection()
                    .requestWithTimeout(subject, headers, body, call.remaining())
                    .orTimeout(left, TimeUnit.NANOSECONDS);
            return awaited.begin(subject, answer);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ElectionException unanswered(Object what, String subject, Throwable thrown) {
        Throwable failure = Causes.unwrapped(thrown);
        if (closed) {
            return new StoreUnavailableException(settings.name() + ": " + what + ": the store is closed", failure);
        }
        if (Fault.isNoResponders(failure)) {
            wantCheck();
        }
        return dialer.unanswered(what, subject, failure);
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
