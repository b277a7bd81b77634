package dev.mandate.azureblob;

import com.azure.storage.blob.models.BlobStorageException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.support.CallGate;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Sends SDK requests, each once and with its own deadline, and limits how many run at a time. Urgent ones go first.
 * Only a request rejected for its credentials, which changed nothing, is sent again if the credentials have changed.
 */
final class Exchanges implements AutoCloseable {
    /** Requests under way at once; as many connections are kept open. */
    private static final int UNDER_WAY_MAX = 32;

    /** At most this many requests may wait. */
    private static final int WAITING_MAX = 100_000;

    private static final int THREADS = 2;
    private static final long IDLE_SECONDS = 2;

    /** Reactor's context key for a consumer of errors that come after the subscriber has left. */
    private static final String LATE = "reactor.onErrorDropped.local";

    private static final Consumer<Throwable> TO_NOBODY = late -> {};

    private final String name;
    private final Credentials credentials;
    private final Throttle throttle = new Throttle(System::nanoTime);
    private final CallGate gate = new CallGate(UNDER_WAY_MAX, UNDER_WAY_MAX / 4, WAITING_MAX);
    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor workers;
    private final Set<Exchange<?, ?>> open = ConcurrentHashMap.newKeySet();
    private volatile boolean wasAzure;
    private volatile boolean closed;

    Exchanges(AzureBlobSettings settings) {
        this.name = settings.name();
        this.credentials = settings.credentials();
        this.timer = new ScheduledThreadPoolExecutor(1, threads("mandate-azure-timer"));
        timer.setRemoveOnCancelPolicy(true);
        // Idle threads end by themselves: the HTTP client may need them until it is garbage-collected.
        this.workers = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads("mandate-azure-http"));
        workers.allowCoreThreadTimeOut(true);
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger count = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** The executor of the HTTP client. */
    Executor workers() {
        return workers;
    }

    /** Runs {@code work} on the timer's one thread after {@code nanos}; drops it once this is closed. */
    void later(Runnable work, long nanos) {
        schedule(work, nanos);
    }

    private @Nullable ScheduledFuture<?> schedule(Runnable work, long nanos) {
        try {
            return timer.schedule(work, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    boolean isClosed() {
        return closed;
    }

    RuntimeException notAzure(String what, String why) {
        return Fault.notAzure(name, what, why, wasAzure);
    }

    /** The failure of a call. */
    private RuntimeException fault(String what, Throwable thrown) {
        return Fault.of(name, what, thrown, credentials::over, wasAzure);
    }

    /**
     * Sends a request.
     *
     * @param what for messages, like "reading election/x"
     * @param isUrgent whether it goes before others, and even while the service asks to back off
     * @param answered converts the answer; may throw one of our exceptions
     * @param refused converts a refusal; null if it is a fault
     */
    <T, A> CompletableFuture<A> send(
            String what,
            boolean isUrgent,
            CallContext call,
            Supplier<Mono<T>> request,
            Function<T, A> answered,
            Function<BlobStorageException, @Nullable A> refused) {
        Exchange<T, A> exchange = new Exchange<>(what, isUrgent, call, request, answered, refused);
        open.add(exchange);
        exchange.result.whenComplete((answer, why) -> exchange.end());
        long throttled = isUrgent ? 0 : throttle.leftMillis();
        if (closed) {
            exchange.closed();
        } else if (call.isOver()) {
            exchange.late();
        } else if (throttled > 0) {
            exchange.result.completeExceptionally(new StoreUnavailableException(
                    name + ": " + what + ": not sent, the service asked to come back in " + throttled + " ms"));
        } else {
            exchange.limit = schedule(exchange::late, call.remaining().toNanos());
            if (!exchange.ticket.enter()) {
                exchange.result.completeExceptionally(new StoreUnavailableException(
                        name + ": " + what + ": not sent, " + WAITING_MAX + " calls are waiting already"));
            }
        }
        return exchange.result;
    }

    /** One request. */
    private final class Exchange<T, A> {
        final CompletableFuture<A> result = new CompletableFuture<>();
        final CallGate.Ticket ticket;
        private final String what;
        private final CallContext call;
        private final Supplier<Mono<T>> request;
        private final Function<T, A> answered;
        private final Function<BlobStorageException, @Nullable A> refused;
        volatile @Nullable ScheduledFuture<?> limit;
        private volatile @Nullable Disposable underWay;
        private boolean mayExchangeCredentials = true;
        private Credentials.@Nullable Secret signedWith;

        Exchange(
                String what,
                boolean isUrgent,
                CallContext call,
                Supplier<Mono<T>> request,
                Function<T, A> answered,
                Function<BlobStorageException, @Nullable A> refused) {
            this.what = what;
            this.call = call;
            this.request = request;
            this.answered = answered;
            this.refused = refused;
            this.ticket = gate.ticket(() -> workers.execute(this::begin), isUrgent);
        }

        void begin() {
            if (result.isDone()) {
                return;
            }
            if (call.isOver()) {
                // After a pause this may run before the timer. A request sent too late may renew a lease that
                // nobody leads by.
                late();
                return;
            }
            signedWith = credentials.current();
            try {
                Disposable sent = request.get()
                        .contextWrite(context -> context.put(LATE, TO_NOBODY))
                        .subscribe(this::answered, this::failed, this::empty);
                underWay = sent;
                if (result.isDone()) {
                    sent.dispose();
                }
            } catch (RuntimeException e) {
                failed(e);
            }
        }

        private void answered(T answer) {
            try {
                A read = answered.apply(answer);
                wasAzure = true;
                result.complete(read);
            } catch (RuntimeException e) {
                failed(e);
            }
        }

        private void empty() {
            result.completeExceptionally(notAzure(what, "its answer is empty"));
        }

        private void failed(Throwable why) {
            if (!(why instanceof BlobStorageException said)) {
                result.completeExceptionally(fault(what, why));
                return;
            }
            if (said.getStatusCode() == 403 && mayExchangeCredentials) {
                mayExchangeCredentials = false;
                // A failure to read new ones must not hide the rejection of the old.
                credentials
                        .rejected(signedWith)
                        .exceptionally(failure -> false)
                        .thenAcceptAsync(
                                haveChanged -> {
                                    if (haveChanged) {
                                        begin();
                                    } else {
                                        refused(said);
                                    }
                                },
                                workers);
                return;
            }
            refused(said);
        }

        private void refused(BlobStorageException said) {
            A refusal = Fault.header(said, Fault.REQUEST_ID) == null ? null : refused.apply(said);
            if (refusal != null) {
                wasAzure = true;
                result.complete(refusal);
                return;
            }
            if (said.getStatusCode() == 429 || said.getStatusCode() == 503) {
                throttle.told(Fault.header(said, com.azure.core.http.HttpHeaderName.RETRY_AFTER));
            }
            result.completeExceptionally(fault(what, said));
        }

        void late() {
            result.completeExceptionally(fault(what, new TimeoutException()));
        }

        void closed() {
            result.completeExceptionally(new IllegalStateException(name + ": " + what + ": the store is closed"));
        }

        /** Called however it ended. */
        void end() {
            open.remove(this);
            ScheduledFuture<?> timeout = limit;
            if (timeout != null) {
                timeout.cancel(false);
            }
            Disposable sent = underWay;
            if (sent != null) {
                sent.dispose();
            }
            ticket.close();
        }
    }

    /** Fails open requests. Connections and threads end within seconds; on JDK 17, once they are garbage-collected. */
    @Override
    public void close() {
        closed = true;
        open.forEach(Exchange::closed);
        timer.shutdownNow();
    }
}
