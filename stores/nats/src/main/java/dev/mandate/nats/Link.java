package dev.mandate.nats;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.support.BackOff;
import dev.mandate.support.CallGate;
import dev.mandate.support.PendingCall;
import dev.mandate.support.StoreCalls;
import dev.mandate.support.StoreCalls.Turn;
import dev.mandate.support.StoreThreads;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The one connection of a store, and what is known about its bucket. A dedicated thread reconnects whenever it is lost.
 * Requests use the current connection or fail; none waits for the next connection.
 *
 * <p>On each new connection it first checks the server's version and the bucket. It checks the bucket again when a
 * request finds no responder.
 */
final class Link {
    private static final Duration PAUSE_MIN = Duration.ofMillis(20);

    /** While someone has to change the setup. */
    private static final long PAUSE_FOR_CHANGE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Enough for a distant server, few enough for one that handles 500 a second. */
    private static final int UNDER_WAY_MAX = 256;

    /** One for each election that a client may have. */
    private static final int WAITING_MAX = 1 << 20;

    private static final long CHECK_SPACING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How often per lease the bucket is checked in any case: someone may shorten its time to live. */
    private static final int CHECKS = 3;

    private static final Duration LEASE = Duration.ofSeconds(10);

    /** How long opening a store waits for a server that refuses connections. It waits longer for others. */
    private static final long NOBODY_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private final NatsSettings settings;
    private final Dialer dialer;
    private final Threads threads;
    private final Thread keeper;
    private final CopyOnWriteArrayList<Runnable> renewed = new CopyOnWriteArrayList<>();

    private final StoreCalls calls;

    private final Awaited awaited = new Awaited();

    private volatile @Nullable Session session;
    private volatile ElectionException why;
    private volatile boolean closed;

    private final KnownBucket known;

    /** Guards the fields below. No callback runs under it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private @Nullable Connection ended;
    private boolean isCheckWanted;
    private boolean isTried;

    /** Completed by the next check of the bucket; null if nobody waits for one. */
    private @Nullable CompletableFuture<Void> doubt;

    Link(NatsSettings settings) {
        this.settings = settings;
        this.known = new KnownBucket(settings);
        this.threads = new Threads();
        this.calls = new StoreCalls(
                settings.name(),
                threads.shared(),
                Runnable::run,
                new CallGate(UNDER_WAY_MAX, UNDER_WAY_MAX / 4, WAITING_MAX),
                Link::bare);
        this.dialer = new Dialer(settings, threads, this::lost, awaited::refused);
        this.why = new StoreUnavailableException(settings.name() + ": there is no connection yet");
        this.keeper = StoreThreads.daemon("mandate-nats-link", this::keep);
    }

    /**
     * A connection, and the bucket as last examined.
     *
     * @param unfit why no candidate may acquire leadership now; null if all is well
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

    /** The current connection; null if there is none. */
    @Nullable
    Session session() {
        return session;
    }

    /** Calls {@code task} whenever the connection or the bucket has changed, on a thread that must not be blocked. */
    void whenRenewed(Runnable task) {
        renewed.add(task);
    }

    void forget(Runnable task) {
        renewed.remove(task);
    }

    /**
     * Waits until the first connection is there, the time is over, the setup has to change, or, after a short
     * wait, nobody listens.
     *
     * @throws StoreSetupException if the setup has to change
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

    /** Whether waiting is pointless; rechecked after each try. */
    private boolean isHopeless(long begunNanos) {
        return isTried
                && (why instanceof StoreSetupException
                        || Fault.isNobody(why) && System.nanoTime() - begunNanos >= NOBODY_NANOS);
    }

    // ---- the keeper's thread ----

    private void keep() {
        BackOff backOff = new BackOff(PAUSE_MIN, Pace.of(settings.lease()).pauseMost());
        while (!closed) {
            @Nullable Connection connection = null;
            try {
                connection = dialer.connect();
                boolean isWell = check(connection);
                backOff.reset();
                attend(connection, isWell);
            } catch (ElectionException e) {
                failed(e);
            } catch (RuntimeException | Error e) {
                // Errors too, such as a thread that can't be created: without this thread, nothing would reconnect.
                failed(new StoreUnavailableException(settings.name() + ": " + e, e));
            } catch (InterruptedException e) {
                // Only close() interrupts.
            } finally {
                session = null;
                dialer.end(connection);
                settle(takeDoubt(), why);
            }
            pause(why instanceof StoreSetupException ? PAUSE_FOR_CHANGE_NANOS : backOff.nextNanos());
        }
    }

    /**
     * The first check of the bucket on a connection.
     *
     * @return false if the bucket is missing and will be created again once it was missing for long enough
     */
    private boolean check(Connection connection) {
        // Nothing is known about the time without a connection.
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

    /** Checks the bucket whenever that is due, until the connection ends. */
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
                // The connection may be fine and the cluster without a leader: the next request finds out.
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

    /** Publishes what was found, unless it came into doubt meanwhile. */
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

    /** Waits until the next check is due; false if the connection has ended. Unusable buckets are rechecked soon. */
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
            // A late report about a server that failed before this one accepted.
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

    /** The newest revision known. Later writes get larger ones, unless the servers lose some. */
    long newest() {
        return known.newest();
    }

    /** Notes that this revision was seen. */
    void saw(long revision) {
        known.saw(revision);
    }

    /**
     * Checks the bucket after a write got a revision no larger than those known before: its servers lost some, or this
     * is another bucket. Until the check is done, all requests fail.
     *
     * @return a stage that completes if it is the same bucket, and fails with a {@link StoreSetupException} if not
     */
    CompletableFuture<Void> doubt(Object what, CallContext call) {
        CompletableFuture<Void> looked;
        lock.lock();
        try {
            doubt = doubt == null ? new CompletableFuture<>() : doubt;
            looked = doubt.copy();
            session = null;
            why = new StoreUnavailableException(settings.name() + ": its revisions went back; checking the bucket");
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

    /** The server's permission error for {@code subject}; null if there was none. */
    @Nullable
    String denied(String subject) {
        return dialer.denied(subject);
    }

    /** Requests find no responder: the bucket may be gone. */
    void wantCheck() {
        signal(() -> isCheckWanted = true);
    }

    // ---- requests ----

    /**
     * Sends one request; the stage has its one answer. The number under way is limited; requests that wait past their
     * deadline are never sent, so a slow server does useful work only.
     *
     * @param what its {@code toString} goes into messages, like "reading election/x"
     * @return a stage that fails as {@link Fault} says
     */
    CompletableFuture<Message> request(
            Turn turn, Object what, String subject, @Nullable Headers headers, byte[] body, CallContext context) {
        return calls.<Message>call(what, turn, context, call -> send(call, subject, headers, body))
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(unanswered(what, subject, thrown)));
    }

    private void send(PendingCall<Message> call, String subject, @Nullable Headers headers, byte[] body) {
        @Nullable Session now = session;
        if (now == null) {
            call.fail(why());
            return;
        }
        CompletableFuture<Message> answer = now.connection()
                .requestWithTimeout(subject, headers, body, call.context().remaining());
        call.whenOver(() -> answer.cancel(false));
        var unused = awaited.begin(subject, answer).whenComplete((message, failure) -> {
            if (failure == null) {
                dialer.answered(subject);
                call.answer(message);
            } else {
                call.fail(failure);
            }
        });
    }

    /** Explained by {@link #unanswered}, which knows the subject. */
    private static RuntimeException bare(Object what, Throwable thrown) {
        return thrown instanceof RuntimeException failure ? failure : new CompletionException(thrown);
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
        calls.close();
        keeper.interrupt();
        dialer.close(last == null ? null : last.connection());
        threads.close();
    }
}
