package dev.mandate.etcd;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import io.etcd.jetcd.api.ResponseHeader;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the cluster, each with its own deadline, which the server is told, too; none is repeated but after the server refused a token.
 *
 * <p>Answers arrive on one daemon thread of this store's own, so that whoever blocks in a continuation holds up nobody else.
 */
final class EtcdConnection {
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    private final String name;
    private final ThreadPoolExecutor worker;
    private final Endpoints endpoints;
    private final @Nullable Token token;
    private volatile long revision;
    private volatile boolean closed;

    EtcdConnection(EtcdSettings settings) {
        this.name = settings.name();
        this.worker = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "mandate-etcd");
                    thread.setDaemon(true);
                    return thread;
                },
                // After closing nobody listens any more.
                new ThreadPoolExecutor.DiscardPolicy());
        this.endpoints = new Endpoints(settings, worker);
        this.token = settings.password() == null ? null : new Token(this, settings.user(), settings.password());
    }

    /** For messages, without secrets. */
    String name() {
        return name;
    }

    /** How many members of the cluster are known. */
    int members() {
        return endpoints.count();
    }

    /** The thread on which answers arrive. */
    ThreadPoolExecutor worker() {
        return worker;
    }

    /** The revision that the latest answer told, or 0: a watch that begins behind it misses nothing that happens from now on. */
    long revision() {
        return revision;
    }

    void saw(ResponseHeader header) {
        revision = header.getRevision();
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * One request and its one answer.
     *
     * @param what for messages: "reading election/x"
     * @return a stage that fails as {@link Fault#of} says, but with the bare status where a lease is gone, which is an answer
     */
    <Q, A> CompletableFuture<A> call(String what, MethodDescriptor<Q, A> method, Q request, CallContext call) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException(name + ": the store is closed"));
        }
        CompletableFuture<A> answer = token == null
                ? send(method, request, null, call)
                : token.get()
                        .thenCompose(first -> send(method, request, first, call)
                                .exceptionallyCompose(failure -> again(failure, first, method, request, call)));
        return answer.exceptionallyCompose(failure -> Fault.isLeaseGone(Causes.unwrapped(failure))
                ? CompletableFuture.failedFuture(Causes.unwrapped(failure))
                : CompletableFuture.failedFuture(Fault.of(name, what, failure)));
    }

    /** The server refused the token before it looked at the request, which may therefore be sent once more. */
    private <Q, A> CompletableFuture<A> again(
            Throwable failure, @Nullable String first, MethodDescriptor<Q, A> method, Q request, CallContext call) {
        if (token == null || !Fault.isStaleToken(Status.fromThrowable(Causes.unwrapped(failure)))) {
            return CompletableFuture.failedFuture(failure);
        }
        token.stale(first);
        return token.get().thenCompose(second -> send(method, request, second, call));
    }

    /** Without token and messages: also for asking for a token. */
    <Q, A> CompletableFuture<A> send(
            MethodDescriptor<Q, A> method, Q request, @Nullable String token, CallContext call) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        long left = call.remaining().toNanos();
        if (left <= 0) {
            answer.completeExceptionally(Status.DEADLINE_EXCEEDED.asRuntimeException());
            return answer;
        }
        Endpoints.Member member = endpoints.current();
        ClientCall<Q, A> sent =
                member.channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(left, TimeUnit.NANOSECONDS));
        sent.start(new Answer<>(answer, code -> endpoints.failed(member, code)), headers(token, false));
        sent.request(2);
        sent.sendMessage(request);
        sent.halfClose();
        return answer;
    }

    /** Who hears of a stream that the server keeps open. Called on the worker. */
    interface Stream<Q, A> {
        /** Comes first; {@code used} is the token it is opened with. */
        void opened(ClientCall<Q, A> call, @Nullable String used);

        void message(A message);

        /** The stream is over, or never came to be. */
        void over(Status status);
    }

    /** Opens a stream to a member that knows of a leader of the cluster. To be called on the worker. */
    <Q, A> void open(MethodDescriptor<Q, A> method, Q request, Stream<Q, A> stream) {
        if (token == null) {
            open(method, request, stream, (String) null);
            return;
        }
        var unused = token.get().handle((used, failure) -> {
            if (failure == null) {
                open(method, request, stream, used);
            } else {
                stream.over(Status.fromThrowable(Causes.unwrapped(failure)));
            }
            return failure == null;
        });
    }

    private <Q, A> void open(MethodDescriptor<Q, A> method, Q request, Stream<Q, A> stream, @Nullable String used) {
        Endpoints.Member member = endpoints.current();
        ClientCall<Q, A> sent = member.channel.newCall(method, CallOptions.DEFAULT);
        ClientCall.Listener<A> listener = new ClientCall.Listener<>() {
            @Override
            public void onMessage(A message) {
                stream.message(message);
                sent.request(1);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
                if (isUnanswered(status.getCode())) {
                    endpoints.failed(member, status.getCode());
                }
                stream.over(status);
            }
        };
        stream.opened(sent, used);
        sent.start(listener, headers(used, true));
        sent.request(1);
        sent.sendMessage(request);
    }

    /** The member of the moment is of no use, though it answers; it is the next one's turn. */
    void elsewhere() {
        endpoints.failed(endpoints.current(), Status.Code.UNAVAILABLE);
    }

    /** A token that was used is not accepted any more. */
    void stale(@Nullable String used) {
        if (token != null) {
            token.stale(used);
        }
    }

    private static Metadata headers(@Nullable String token, boolean leader) {
        Metadata headers = new Metadata();
        if (token != null) {
            headers.put(TOKEN, token);
        }
        if (leader) {
            headers.put(HAS_LEADER, "true");
        }
        return headers;
    }

    private static boolean isUnanswered(Status.Code code) {
        return code == Status.Code.UNAVAILABLE
                || code == Status.Code.DEADLINE_EXCEEDED
                || code == Status.Code.INTERNAL
                || code == Status.Code.UNKNOWN;
    }

    /** Ends all calls, within about two seconds. Idempotent. */
    void close() {
        closed = true;
        endpoints.close();
        worker.shutdown();
    }

    /** Takes one message, and believes it when the server has confirmed that it was all. */
    private static final class Answer<A> extends ClientCall.Listener<A> {
        private final CompletableFuture<A> answer;
        private final Consumer<Status.Code> unanswered;
        private @Nullable A message;

        Answer(CompletableFuture<A> answer, Consumer<Status.Code> unanswered) {
            this.answer = answer;
            this.unanswered = unanswered;
        }

        @Override
        public void onMessage(A received) {
            message = received;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (isUnanswered(status.getCode())) {
                unanswered.accept(status.getCode());
            }
            if (status.isOk() && message != null) {
                answer.complete(message);
            } else {
                Status why = status.isOk() ? Status.INTERNAL.withDescription("the answer is empty") : status;
                answer.completeExceptionally(why.asRuntimeException());
            }
        }
    }
}
