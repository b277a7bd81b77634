package dev.mandate.internal;

import dev.mandate.spi.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** How a client ends: politely or at once, once. Any thread. */
final class Closing {
    /** How long a closing client waits for the store to return its connections before it goes on without it. */
    private static final long STORE_CLOSE_NANOS = 5_000_000_000L;

    private final ClientContext client;
    private final Watchdog watchdog;
    private final ElectionNames<ClientElection> names;
    private final Following following;
    private final ClientRegistry registry;
    /** Does what is left to do once the loop has ended. */
    private final Runnable finish;
    /** Completed when that is done. */
    private final CompletableFuture<Void> finished;

    private final AtomicBoolean forcing = new AtomicBoolean();

    Closing(
            ClientContext client,
            Watchdog watchdog,
            ElectionNames<ClientElection> names,
            Following following,
            ClientRegistry registry,
            Runnable finish,
            CompletableFuture<Void> finished) {
        this.client = client;
        this.watchdog = watchdog;
        this.names = names;
        this.following = following;
        this.registry = registry;
        this.finish = finish;
        this.finished = finished;
    }

    // ---- politely ----

    /** See {@link dev.mandate.ElectionClient#close(Duration)}. */
    void close(Duration grace) {
        long untilNanos =
                client.host().nanos() + Durations.notNegative("grace", grace).toNanos();
        // First: a candidacy that begins now either sees this or is found below.
        client.lifecycle().foresee();
        List<CompletableFuture<Void>> left = new ArrayList<>();
        for (ClientElection election : names.used()) {
            OwnCandidacy own = election.candidacy();
            if (own != null) {
                own.stop();
                left.add(own.over());
            }
        }
        if (client.callbacks().isInside()) {
            // Perhaps called by work that is waited for.
            client.workers().execute(() -> {
                await(left, untilNanos);
                begin();
                awaitLoop();
            });
            return;
        }
        await(left, untilNanos);
        close();
    }

    private void await(List<CompletableFuture<Void>> left, long untilNanos) {
        for (CompletableFuture<Void> over : left) {
            client.awaitQuietly(over, Math.max(0, untilNanos - client.host().nanos()));
        }
    }

    // ---- at once ----

    /** See {@link dev.mandate.ElectionClient#close()}. */
    void close() {
        begin();
        if (client.callbacks().isInside()) {
            // A task or listener of this client called: waiting would mean waiting for the caller itself.
            client.workers().execute(this::awaitLoop);
            return;
        }
        awaitLoop();
        awaitListeners();
        join(client.loop().drive());
        join(watchdog.drive());
        client.awaitQuietly(client.workers().terminated(), client.timing().requestTimeoutNanos());
    }

    private void begin() {
        if (client.lifecycle().begin()) {
            try {
                for (ClientElection election : names.used()) {
                    election.closing();
                }
                following.closing();
                registry.closing();
            } finally {
                client.loop().close();
            }
        }
    }

    private void awaitLoop() {
        boolean isOver = client.awaitQuietly(finished, client.loop().closeNanos() + STORE_CLOSE_NANOS);
        if (isOver) {
            return;
        }
        if (Thread.currentThread().isInterrupted()) {
            // It has waited too briefly to say that the loop hangs: another thread finds out.
            client.workers().execute(this::awaitLoop);
        } else if (forcing.compareAndSet(false, true)) {
            closeByForce();
        }
    }

    /** After a close no listener is called; calls under way get a little time. */
    private void awaitListeners() {
        long until = client.host().nanos() + client.timing().requestTimeoutNanos();
        await(following.end(), until);
        for (ClientElection election : names.used()) {
            for (Observer observer : election.leader().observers()) {
                CompletableFuture<Void> running = observer.end();
                if (running != null) {
                    await(List.of(running), until);
                }
            }
        }
    }

    private void join(Host.@Nullable Drive drive) {
        if (drive != null) {
            client.awaitQuietly(drive.ended(), client.timing().requestTimeoutNanos());
        }
    }

    /** The loop hangs in a method of the store, which must not block: leaves it behind. */
    private void closeByForce() {
        client.journal().warn("the store blocks the loop; closing without it", null);
        Host.Drive hangs = client.loop().drive();
        client.loop().abandon();
        try {
            if (hangs != null) {
                // The interrupt may close a channel of the store's, which may block as well.
                start(hangs::interrupt);
            }
            CompletableFuture<Void> closed = new CompletableFuture<>();
            boolean isStarted = start(() -> {
                closeStore();
                closed.complete(null);
            });
            if (isStarted) {
                client.awaitQuietly(closed, client.timing().requestTimeoutNanos());
            }
        } finally {
            finish.run();
        }
    }

    private boolean start(Runnable piece) {
        try {
            client.workers().execute(piece);
            return true;
        } catch (RuntimeException | Error e) {
            client.journal().warn("no thread could be started to close the store", e);
            return false;
        }
    }

    private void closeStore() {
        try {
            client.store().close();
        } catch (Throwable e) {
            client.journal().warn("closing the store failed", e);
        }
    }
}
