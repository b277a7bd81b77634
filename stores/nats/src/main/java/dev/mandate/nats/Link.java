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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
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

    /** The bucket is looked at that often in a lease, whatever happens: somebody may shorten its time to live. */
    private static final int CHECKS = 3;

    private static final Duration LEASE = Duration.ofSeconds(10);

    /** A server that is about to listen is awaited that long when a store is opened; others that may answer yet, for longer. */
    private static final long NOBODY_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    /** Longer, and what was missing may have been there meanwhile. */
    private static final long SIGHT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final System.Logger LOG = System.getLogger(Link.class.getName());

    private final NatsSettings settings;
    private final Dialer dialer;
    private final Threads threads;
    private final Thread keeper;
    private final CopyOnWriteArrayList<Runnable> renewed = new CopyOnWriteArrayList<>();

    private final CallGate gate = new CallGate(UNDER_WAY_MAX, UNDER_WAY_MAX / 4, WAITING_MAX);

    private volatile @Nullable Session session;
    private volatile ElectionException why;
    private volatile boolean closed;

    /** The newest revision that an answer or the watch showed. */
    private final AtomicLong newest = new AtomicLong();

    // On the keeper's thread.
    private @Nullable Bucket lastBucket;

    /** The longest time to live that the bucket was seen with: no leader counts on more. */
    private Duration longest = Duration.ZERO;

    private long missingSinceNanos;
    private long missingSeenNanos;
    private boolean isUnfit;

    /** Guards what follows. Nothing is called under it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private @Nullable Connection ended;
    private boolean isCheckWanted;
    private boolean isTried;
    private boolean isBehind;

    Link(NatsSettings settings) {
        this.settings = settings;
        this.threads = new Threads();
        this.dialer = new Dialer(settings, threads, this::lost);
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
        session = look(connection);
        signal(() -> isTried = true);
        renewed.forEach(Runnable::run);
    }

    /**
     * Looks at the bucket, and makes it if it never was there. One that somebody deleted is made again only when no leader can believe any more
     * that renewed its lease in it, and only if its revisions go on from those it had.
     */
    private Session look(Connection connection) {
        Bucket last = lastBucket;
        long known = newest.get();
        boolean isOver = missingSinceNanos != 0 && System.nanoTime() - missingSinceNanos > longest.toNanos();
        boolean mayMake = last == null || isOver && last.version().choosesFirstRevision();
        BucketCheck check =
                new BucketCheck(mayMake ? settings : settings.withoutMaking(), dialer.server(connection), known);
        BucketCheck.Found found;
        try {
            found = check.examined();
        } catch (StoreSetupException e) {
            if (check.isMissing()) {
                noteMissing(System.nanoTime());
            }
            throw check.isMissing() && !mayMake && settings.wanted().create()
                    ? deleted(Objects.requireNonNull(last), e)
                    : e;
        }
        missingSinceNanos = 0;
        requireNoStepBack(last, found, known);
        @Nullable StoreSetupException unfit = found.unfit();
        if (last == null && unfit != null) {
            throw unfit;
        }
        tellUnfit(unfit);
        lastBucket = found.bucket();
        longest = longest.compareTo(found.bucket().ttl()) < 0 ? found.bucket().ttl() : longest;
        saw(found.newest());
        return new Session(connection, found.bucket(), found.unfit());
    }

    private void noteMissing(long now) {
        if (missingSinceNanos == 0 || now - missingSeenNanos > SIGHT_NANOS) {
            missingSinceNanos = now;
        }
        missingSeenNanos = now;
    }

    private StoreSetupException deleted(Bucket last, StoreSetupException why) {
        return last.version().choosesFirstRevision()
                ? new StoreSetupException(
                        why.getMessage() + "; else it is made again after " + longest.toMillis()
                                + " ms, when no leader of the deleted one can believe any more",
                        why)
                : why;
    }

    /**
     * Revisions are fencing tokens. Those of another bucket of the same name, or of an older copy of this one, begin below what was given already.
     * The leader of several servers may just have come to be, and say less than it has for a moment: that is looked at twice.
     */
    private void requireNoStepBack(@Nullable Bucket last, BucketCheck.Found found, long known) {
        if (found.newest() >= known) {
            changeBehind(false);
            return;
        }
        boolean isOther = last != null && !last.created().equals(found.bucket().created());
        if (changeBehind(true) || isOther || found.bucket().replicas() == 1) {
            throw stepBack(found.newest(), known);
        }
        wantCheck();
    }

    private boolean changeBehind(boolean is) {
        lock.lock();
        try {
            boolean was = isBehind;
            isBehind = is;
            return was;
        } finally {
            lock.unlock();
        }
    }

    private StoreSetupException stepBack(long now, long known) {
        return new StoreSetupException(settings.name() + ": its revisions went back from " + known + " to " + now
                + ": it was made anew, restored from an older copy, or its servers lost what they had confirmed; fencing"
                + " tokens would be given twice. Raise them, which ends all terms: nats stream purge "
                + Subjects.stream(settings.bucket()) + " --seq=" + BucketCheck.firstRevision(known)
                + "; or reset what checks tokens, and start all candidates anew");
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
    private void attend(Connection connection) throws InterruptedException {
        boolean isWell = true;
        while (!closed && awaitCheck(connection, isWell)) {
            try {
                Session known = session;
                Session now = look(connection);
                isWell = true;
                if (known == null || !known.bucket().equals(now.bucket())) {
                    session = now;
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

    /** Who does not try to lead would not hear of it. Once. */
    private void tellUnfit(@Nullable StoreSetupException why) {
        if (why != null && !isUnfit) {
            LOG.log(System.Logger.Level.WARNING, "nobody comes to lead any more: {0}", why.getMessage());
        }
        isUnfit = why != null;
    }

    /** Whether it is time to look, and not over. A bucket that could not be used is looked at again by and by. */
    private boolean awaitCheck(Connection connection, boolean isWell) throws InterruptedException {
        lock.lock();
        try {
            long spacing = isWell ? CHECK_SPACING_NANOS : PAUSE_MAX_NANOS;
            while (ended != connection && spacing > 0) {
                spacing = changed.awaitNanos(spacing);
            }
            long left = regular().toNanos() - CHECK_SPACING_NANOS;
            while (ended != connection && isWell && !isCheckWanted && left > 0) {
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

    /** The newest revision known. What is written from now on gets a larger one. */
    long newest() {
        return newest.get();
    }

    /** That revision was given. */
    void saw(long revision) {
        newest.accumulateAndGet(revision, Math::max);
    }

    /**
     * A write got a revision that is not larger than what was known before it was sent: this is not the bucket it was. Nobody calls it until it was
     * looked at.
     */
    StoreSetupException wentBack(long revision, long known) {
        StoreSetupException back = stepBack(revision, known);
        session = null;
        why = back;
        signal(() -> {
            isBehind = true;
            isCheckWanted = true;
        });
        return back;
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
     * @param what for messages: "reading election/x"
     * @return a stage that fails as {@link Fault} says
     */
    CompletableFuture<Message> request(
            Lane lane, String what, String subject, @Nullable Headers headers, byte[] body, CallContext call) {
        Exchange exchange = new Exchange(
                lane,
                () -> send(subject, headers, body, call).whenComplete((answer, failure) -> {
                    if (failure == null) {
                        dialer.answered(subject);
                    }
                }));
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
