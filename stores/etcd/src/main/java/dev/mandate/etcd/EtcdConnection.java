package dev.mandate.etcd;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreThreads;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.ResponseHeader;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the cluster. Each has its own deadline, which the server also gets. A call is repeated only after the server
 * rejected its token.
 *
 * <p>Answers arrive on this store's own daemon thread, so that a continuation that blocks delays no other store.
 */
final class EtcdConnection {
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    private final String name;
    private final ThreadPoolExecutor worker;
    private final Endpoints endpoints;

    /** One token per member; empty without a user. */
    private final Map<Endpoints.Member, AuthToken> tokens = new HashMap<>();

    private final Map<ClientCall<?, ?>, Endpoints.Member> streams = new ConcurrentHashMap<>();
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
                StoreThreads.factory("mandate-etcd-"),
                // After closing, nobody waits for answers.
                new ThreadPoolExecutor.DiscardPolicy());
        this.endpoints = new Endpoints(settings, worker, this::endStreams);
        RotatingSecret<String> password = settings.password();
        if (password != null) {
            for (Endpoints.Member member : endpoints.all()) {
                tokens.put(member, new AuthToken(login -> logIn(member, login), worker, settings.user(), password));
            }
        }
    }

    private CompletableFuture<AuthenticateResponse> logIn(Endpoints.Member member, AuthenticateRequest login) {
        return send(member, AuthGrpc.getAuthenticateMethod(), login, null, CallContext.within(AuthToken.ANSWER));
    }

    /** For messages, without secrets. */
    String name() {
        return name;
    }

    /** The member that calls go to. */
    Endpoints.Member current() {
        return endpoints.current();
    }

    /** The members in the URL, in its order. */
    List<Endpoints.Member> members() {
        return endpoints.all();
    }

    /** The thread on which answers arrive. */
    ThreadPoolExecutor worker() {
        return worker;
    }

    /** The revision in the latest answer, or 0. A watch that begins after it misses no later event. */
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
     * Sends one request to the current member, and returns its one answer.
     *
     * @param what for messages, like "reading election/x"
     * @return a stage that fails as {@link Fault#of} says, but with the bare status if a lease is gone, because that
     *     is an answer
     */
    <Q, A> CompletableFuture<A> call(String what, MethodDescriptor<Q, A> method, Q request, CallContext call) {
        return call(endpoints.current(), what, method, request, call);
    }

    /** The same to a given member. */
    <Q, A> CompletableFuture<A> call(
            Endpoints.Member member, String what, MethodDescriptor<Q, A> method, Q request, CallContext call) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException(name + ": the store is closed"));
        }
        AuthToken token = tokens.get(member);
        CompletableFuture<A> answer = token == null
                ? send(member, method, request, null, call)
                : within(call, member, token)
                        .thenCompose(first -> send(member, method, request, first, call)
                                .exceptionallyCompose(
                                        failure -> again(failure, member, token, first, method, request, call)));
        return answer.exceptionallyCompose(failure -> Fault.isLeaseGone(Causes.unwrapped(failure))
                ? CompletableFuture.failedFuture(Causes.unwrapped(failure))
                : CompletableFuture.failedFuture(Fault.of(name, what, failure)));
    }

    /**
     * The member's token, if it arrives before the call's deadline; else the next member takes over. The login
     * continues, so that a later call finds the token.
     */
    private CompletableFuture<@Nullable String> within(CallContext call, Endpoints.Member member, AuthToken token) {
        CompletableFuture<@Nullable String> known = token.get();
        if (known.isDone()) {
            return known;
        }
        CompletableFuture<@Nullable String> mine = known.thenApply(Function.identity());
        CompletableFuture.delayedExecutor(call.remainingMillis(), TimeUnit.MILLISECONDS, worker)
                .execute(() -> {
                    if (mine.completeExceptionally(Status.DEADLINE_EXCEEDED.asRuntimeException())) {
                        endpoints.failed(member, Status.Code.DEADLINE_EXCEEDED);
                    }
                });
        return mine;
    }

    /** Repeats a request whose token the server rejected: it had not executed the request. */
    private <Q, A> CompletableFuture<A> again(
            Throwable failure,
            Endpoints.Member member,
            AuthToken token,
            @Nullable String first,
            MethodDescriptor<Q, A> method,
            Q request,
            CallContext call) {
        if (!Fault.isStaleToken(Status.fromThrowable(Causes.unwrapped(failure)))) {
            return CompletableFuture.failedFuture(failure);
        }
        token.stale(first);
        return within(call, member, token).thenCompose(second -> send(member, method, request, second, call));
    }

    /**
     * Uses the token of every other member, so that it has not expired when that member takes over. A new token
     * requires a cluster leader, whose loss is often the reason for the switch. Does nothing without a user;
     * does not wait.
     *
     * @param look a request that requires no cluster leader
     */
    void keepTokensWarm(RangeRequest look, CallContext call) {
        Endpoints.Member current = endpoints.current();
        for (Endpoints.Member member : tokens.keySet()) {
            if (member != current) {
                var unused = call(member, "keeping a token", KVGrpc.getRangeMethod(), look, call);
            }
        }
    }

    /** Sends a request with a given token and bare errors; also used for logging in. */
    <Q, A> CompletableFuture<A> send(
            Endpoints.Member member,
            MethodDescriptor<Q, A> method,
            Q request,
            @Nullable String token,
            CallContext call) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        long left = call.remaining().toNanos();
        if (left <= 0) {
            answer.completeExceptionally(Status.DEADLINE_EXCEEDED.asRuntimeException());
            return answer;
        }
        ClientCall<Q, A> sent =
                member.channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(left, TimeUnit.NANOSECONDS));
        sent.start(new Answer<>(answer, code -> endpoints.failed(member, code)), headers(token, false));
        sent.request(2);
        sent.sendMessage(request);
        sent.halfClose();
        return answer;
    }

    /** Listens to a stream that the server keeps open. Called on the worker. */
    interface Stream<Q, A> {
        /** Called first; {@code used} is the stream's token. */
        void opened(ClientCall<Q, A> call, @Nullable String used);

        void message(A message);

        /** The stream has ended or could not be opened. */
        void over(Status status);
    }

    /**
     * Opens a stream to the current member, and requires that it knows a cluster leader. It ends with
     * {@code CANCELLED} when another member takes over: a member that answers no calls may keep silent streams open.
     * Call it on the worker.
     */
    <Q, A> void open(MethodDescriptor<Q, A> method, Q request, Stream<Q, A> stream) {
        Endpoints.Member member = endpoints.current();
        AuthToken token = tokens.get(member);
        if (token == null) {
            open(member, method, request, stream, null);
            return;
        }
        var unused = token.get().handle((used, failure) -> {
            if (failure == null) {
                open(member, method, request, stream, used);
            } else {
                stream.over(Status.fromThrowable(Causes.unwrapped(failure)));
            }
            return failure == null;
        });
    }

    private <Q, A> void open(
            Endpoints.Member member,
            MethodDescriptor<Q, A> method,
            Q request,
            Stream<Q, A> stream,
            @Nullable String used) {
        ClientCall<Q, A> sent = member.channel.newCall(method, CallOptions.DEFAULT);
        ClientCall.Listener<A> listener = new ClientCall.Listener<>() {
            @Override
            public void onMessage(A message) {
                stream.message(message);
                sent.request(1);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
                streams.remove(sent);
                if (isUnanswered(status.getCode())) {
                    endpoints.failed(member, status.getCode());
                }
                stream.over(status);
            }
        };
        streams.put(sent, member);
        stream.opened(sent, used);
        sent.start(listener, headers(used, true));
        sent.request(1);
        sent.sendMessage(request);
        if (endpoints.current() != member) {
            // Another member took over before this stream was registered.
            endStreams(member);
        }
    }

    private void endStreams(Endpoints.Member left) {
        streams.forEach((stream, member) -> {
            if (member == left) {
                stream.cancel("it is another member's turn", null);
            }
        });
    }

    /** The current member answers but is of no use: the next one takes over. */
    void elsewhere() {
        endpoints.failed(endpoints.current(), Status.Code.UNAVAILABLE);
    }

    /** A token that was used is no longer accepted. */
    void stale(@Nullable String used) {
        tokens.values().forEach(token -> token.stale(used));
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

    /** Receives one message, and completes once the server has closed the call with OK. */
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
