package dev.mandate.azureblob;

import com.azure.core.http.HttpHeaderName;
import com.azure.storage.blob.models.BlobStorageException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.support.CallGate;
import dev.mandate.support.PendingCall;
import dev.mandate.support.StoreCalls;
import dev.mandate.support.StoreCalls.Turn;
import dev.mandate.support.StoreThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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

    private static final int WORKERS = 2;

    /** Reactor's context key for a consumer of errors that come after the subscriber has left. */
    private static final String LATE = "reactor.onErrorDropped.local";

    private static final Consumer<Throwable> TO_NOBODY = late -> {};

    private final String name;
    private final Credentials credentials;
    private final Throttle throttle = new Throttle(System::nanoTime);
    private final StoreThreads threads = new StoreThreads("mandate-azure-", WORKERS);
    private final StoreCalls calls;
    private volatile boolean wasAzure;

    Exchanges(AzureBlobSettings settings) {
        this.name = settings.name();
        this.credentials = settings.credentials();
        this.calls = new StoreCalls(
                name, threads, workers(), new CallGate(UNDER_WAY_MAX, UNDER_WAY_MAX / 4, WAITING_MAX), this::fault);
    }

    /** The executor of the HTTP client. */
    Executor workers() {
        return threads.workers();
    }

    /** Runs {@code work} on the timer's one thread after {@code nanos}; drops it once this is closed. */
    void later(Runnable work, long nanos) {
        threads.later(work, nanos);
    }

    boolean isClosed() {
        return calls.isClosed();
    }

    RuntimeException notAzure(String what, String why) {
        return Fault.notAzure(name, what, why, wasAzure);
    }

    private RuntimeException fault(Object what, Throwable thrown) {
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
        long throttled = isUrgent ? 0 : throttle.leftMillis();
        if (throttled > 0 && !isClosed()) {
            return CompletableFuture.failedFuture(new StoreUnavailableException(
                    name + ": " + what + ": not sent, the service asked to come back in " + throttled + " ms"));
        }
        Exchange<T, A> exchange = new Exchange<>(what, request, answered, refused);
        return calls.call(what, isUrgent ? Turn.URGENT : Turn.ORDINARY, call, exchange::begin);
    }

    /** The request of one call. */
    private final class Exchange<T, A> {
        private final String what;
        private final Supplier<Mono<T>> request;
        private final Function<T, A> answered;
        private final Function<BlobStorageException, @Nullable A> refused;

        Exchange(
                String what,
                Supplier<Mono<T>> request,
                Function<T, A> answered,
                Function<BlobStorageException, @Nullable A> refused) {
            this.what = what;
            this.request = request;
            this.answered = answered;
            this.refused = refused;
        }

        void begin(PendingCall<A> call) {
            Credentials.@Nullable Secret signedWith = credentials.current();
            Disposable sent = request.get()
                    .contextWrite(context -> context.put(LATE, TO_NOBODY))
                    .subscribe(
                            answer -> answered(call, answer),
                            why -> failed(call, signedWith, why),
                            () -> call.fail(notAzure(what, "its answer is empty")));
            call.whenOver(sent::dispose);
        }

        private void answered(PendingCall<A> call, T answer) {
            try {
                A read = answered.apply(answer);
                wasAzure = true;
                call.answer(read);
            } catch (RuntimeException e) {
                call.fail(e);
            }
        }

        private void failed(PendingCall<A> call, Credentials.@Nullable Secret signedWith, Throwable why) {
            if (!(why instanceof BlobStorageException said)) {
                call.fail(why);
            } else if (said.getStatusCode() == 403) {
                call.again(() -> credentials.rejected(signedWith), () -> refused(call, said));
            } else {
                refused(call, said);
            }
        }

        private void refused(PendingCall<A> call, BlobStorageException said) {
            A refusal = Fault.header(said, Fault.REQUEST_ID) == null ? null : refused.apply(said);
            if (refusal != null) {
                wasAzure = true;
                call.answer(refusal);
                return;
            }
            if (said.getStatusCode() == 429 || said.getStatusCode() == 503) {
                throttle.told(Fault.header(said, HttpHeaderName.RETRY_AFTER));
            }
            call.fail(said);
        }
    }

    /** Fails open requests. Connections and threads end within seconds; on JDK 17, once they are garbage-collected. */
    @Override
    public void close() {
        calls.close();
        threads.close();
    }
}
