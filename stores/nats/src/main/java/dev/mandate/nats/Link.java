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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The one connection of a store, and what is known about its bucket. A dedicated thread reconnects whenever it is lost.
 * Requests use the current connection or fail; none waits for the next connection.
 *
 * <p>On each new connection it first checks the server's version and the bucket. It checks the bucket again when a
 * request finds no responder, and some times per lease.
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

    /** How long opening a store waits for a server that refuses connections. It waits longer for others. */
    private static final long NOBODY_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private final NatsSettings settings;
    private final Threads threads = new Threads();
    private final Dialer dialer;
    private final StoreCalls calls;
    private final KnownBucket known;
    private final Thread keeper = StoreThreads.daemon("mandate-nats-link", this::keep);
    private final CopyOnWriteArrayList<Runnable> renewed = new CopyOnWriteArrayList<>();

    private volatile @Nullable Session session;
    private volatile ElectionException why;
    private volatile boolean closed;

    /** Guards the fields below, and is notified of changes. No callback runs under it. */
    private final Object lock = new Object();

    private @Nullable Connection ended;
    private boolean isCheckWanted;
    private boolean isTried;

    /** Completed by the next check of the bucket; null if nobody waits for one. */
    private @Nullable CompletableFuture<Void> doubt;

    Link(NatsSettings settings) {
        this.settings = settings;
        this.known = new KnownBucket(settings);
        this.calls = new StoreCalls(
                settings.name(),
                threads.shared(),
                Runnable::run,
                new CallGate(UNDER_WAY_MAX, UNDER_WAY_MAX / 4, WAITING_MAX),
                this::fault);
        this.dialer = new Dialer(settings, threads, this::lost);
        this.why = unavailable("there is no connection yet");
    }

    /** A connection, and the bucket as last examined; {@code unfit}, unless null, is why nobody may acquire now. */
    record Session(
            Connection connection, Bucket bucket, @Nullable StoreSetupException unfit) {}

    void start() {
        keeper.start();
    }

    Threads threads() {
        return threads;
    }

    Dialer dialer() {
        return dialer;
    }

    KnownBucket known() {
        return known;
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
     * Waits until the first connection is there, the time is over, or, after a short wait, nobody listens.
     *
     * @throws StoreSetupException if the setup has to change
     */
    void awaitFirst(CallContext call) {
        long begunNanos = System.nanoTime();
        try {
            await(call.remaining().toNanos(), () -> session != null || isHopeless(begunNanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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

    private StoreUnavailableException unavailable(String reason) {
        return new StoreUnavailableException(settings.name() + ": " + reason);
    }

    /** Waits for at most that time; the condition is checked under the lock, after each change. */
    private void await(long nanos, BooleanSupplier isOver) throws InterruptedException {
        long begun = System.nanoTime();
        synchronized (lock) {
            long left = nanos;
            while (left > 0 && !isOver.getAsBoolean()) {
                TimeUnit.NANOSECONDS.timedWait(lock, left);
                left = nanos - (System.nanoTime() - begun);
            }
        }
    }

    private void signal(Runnable change) {
        synchronized (lock) {
            change.run();
            lock.notifyAll();
        }
    }

    // ---- the keeper's thread ----

    private void keep() {
        BackOff backOff = new BackOff(PAUSE_MIN, Pace.of(settings.lease()).pauseMost());
        while (!closed) {
            @Nullable Connection connection = null;
            try {
                connection = dialer.connect();
                attend(connection, backOff);
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
            try {
                await(why instanceof StoreSetupException ? PAUSE_FOR_CHANGE_NANOS : backOff.nextNanos(), () -> closed);
            } catch (InterruptedException e) {
                // Only close() interrupts.
            }
        }
    }

    private Session look(Connection connection) {
        BucketCheck.Found found = known.look(dialer.server(connection));
        return new Session(connection, found.bucket(), found.unfit());
    }

    private void failed(ElectionException e) {
        session = null;
        why = e;
        signal(() -> isTried = true);
    }

    /** Checks the bucket at once, and whenever that is due, until the connection ends. Throws if the first fails. */
    private void attend(Connection connection, BackOff backOff) throws InterruptedException {
        // Nothing is known about the time without a connection.
        known.lostSight();
        boolean isFirst = true;
        boolean isWell = true;
        do {
            @Nullable CompletableFuture<Void> asked = takeDoubt();
            @Nullable ElectionException failure = null;
            try {
                Session former = session;
                Session now = look(connection);
                isWell = true;
                if (former == null || !former.bucket().equals(now.bucket())) {
                    renew(now);
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
            if (isFirst && failure != null && !known.isAwaited()) {
                throw failure;
            }
            isFirst = false;
            backOff.reset();
        } while (!closed && awaitCheck(connection, isWell));
        why = unavailable("the connection was lost");
    }

    /** Publishes what was found, unless it came into doubt meanwhile. */
    private void renew(Session found) {
        signal(() -> {
            session = doubt == null ? found : null;
            isTried = true;
        });
        renewed.forEach(Runnable::run);
    }

    private @Nullable CompletableFuture<Void> takeDoubt() {
        synchronized (lock) {
            @Nullable CompletableFuture<Void> taken = doubt;
            doubt = null;
            return taken;
        }
    }

    private static void settle(@Nullable CompletableFuture<Void> asked, @Nullable ElectionException failure) {
        if (asked != null) {
            Bundle.complete(asked, null, failure);
        }
    }

    /** Waits until the next check is due; false if the connection has ended. Unusable buckets are rechecked soon. */
    private boolean awaitCheck(Connection connection, boolean isWell) throws InterruptedException {
        long spacing =
                isWell ? CHECK_SPACING_NANOS : known.isAwaited() ? Absence.SPACING_NANOS : PAUSE_FOR_CHANGE_NANOS;
        await(spacing, () -> ended == connection || doubt != null);
        if (isWell) {
            long regular = Pace.lease(settings.lease()).dividedBy(CHECKS).toNanos();
            await(regular - CHECK_SPACING_NANOS, () -> ended == connection || doubt != null || isCheckWanted);
        }
        synchronized (lock) {
            isCheckWanted = false;
            return ended != connection;
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

    /**
     * Checks the bucket after a write got a revision no larger than those known before: its servers lost some, or this
     * is another bucket. Until the check is done, all requests fail.
     *
     * @return a stage that completes if it is the same bucket, and fails with a {@link StoreSetupException} if not
     */
    CompletableFuture<Void> doubt(Op op) {
        CompletableFuture<Void> looked;
        synchronized (lock) {
            doubt = doubt == null ? new CompletableFuture<>() : doubt;
            looked = doubt.copy();
            session = null;
            why = unavailable("its revisions went back; checking the bucket");
            lock.notifyAll();
        }
        return looked.orTimeout(Math.max(1, op.call().remaining().toNanos()), TimeUnit.NANOSECONDS)
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(Fault.of(settings.name(), op, thrown)));
    }

    /** Requests find no responder: the bucket may be gone. */
    void wantCheck() {
        signal(() -> isCheckWanted = true);
    }

    // ---- requests ----

    /** What a request is for, like "reading election/x"; only a failure needs its text. */
    private record Request(Object what, String subject) {
        @Override
        public String toString() {
            return what.toString();
        }
    }

    /**
     * Sends one request; the stage has its one answer, or fails as {@link Fault} says. The number under way is limited;
     * requests that wait past their deadline are never sent, so a slow server does useful work only.
     */
    CompletableFuture<Message> request(
            Turn turn, Object what, String subject, @Nullable Headers headers, byte[] body, CallContext context) {
        return calls.call(new Request(what, subject), turn, context, call -> send(call, subject, headers, body));
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
        var unused = dialer.denials().tracked(subject, answer).whenComplete((message, failure) -> {
            if (failure == null) {
                call.answer(message);
            } else {
                call.fail(failure);
            }
        });
    }

    private RuntimeException fault(Object purpose, Throwable thrown) {
        Request request = (Request) purpose;
        Throwable failure = Causes.unwrapped(thrown);
        if (closed) {
            return unavailable(request + ": the store is closed");
        }
        if (Fault.isNoResponders(failure)) {
            wantCheck();
        }
        return dialer.unanswered(request.what, request.subject, failure);
    }

    /** Why there is no connection. */
    ElectionException why() {
        return closed ? unavailable("the store is closed") : why;
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends all calls and the connection, within about two seconds. Idempotent. */
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
