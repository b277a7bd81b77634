package dev.mandate.consul;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.support.CallGate;
import dev.mandate.support.DirectHttpClient;
import dev.mandate.support.PendingCall;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreCalls;
import dev.mandate.support.StoreCalls.Turn;
import dev.mandate.support.StoreThreads;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 to one agent. Every call ends by its own deadline, including headers, body and queueing. The number of
 * ordinary calls under way is limited; calls for sessions, and those that wait for a change, never queue behind them.
 *
 * <p>A read is sent again, once, if its connection broke. Any call is sent again if its token was rejected, so that it
 * changed nothing, and the token has changed.
 */
final class ConsulHttp implements AutoCloseable {
    /** Ordinary calls under way at once. By default Consul accepts 200 connections per client address. */
    private static final int ORDINARY_MAX = 24;

    /** At most this many calls may wait. */
    private static final int WAITING_MAX = 100_000;

    private static final int WORKERS = 2;

    private final ConsulSettings settings;
    private final StoreThreads threads = new StoreThreads("mandate-consul-", WORKERS);
    private final StoreCalls calls;
    private final DirectHttpClient client;
    private volatile boolean wasConsul;

    ConsulHttp(ConsulSettings settings) {
        this.settings = settings;
        this.calls =
                new StoreCalls(name(), threads, Runnable::run, new CallGate(ORDINARY_MAX, 0, WAITING_MAX), this::fault);
        DirectHttpClient.Builder builder =
                DirectHttpClient.newBuilder(threads.workers()).proxy(HttpClient.Builder.NO_PROXY);
        if (settings.tls() != null) {
            builder.sslContext(settings.tls());
        }
        client = builder.build();
    }

    String name() {
        return settings.name();
    }

    /** Runs {@code work} on the timer's one thread after {@code nanos}; drops it once this is closed. */
    void later(Runnable work, long nanos) {
        threads.later(work, nanos);
    }

    /** Notes that Consul has answered. */
    void metConsul() {
        wasConsul = true;
    }

    boolean wasConsul() {
        return wasConsul;
    }

    RuntimeException fault(String what, Answer answer) {
        return Fault.of(name(), what, answer, wasConsul);
    }

    RuntimeException fault(Object what, Throwable thrown) {
        return Fault.of(name(), what, thrown, wasConsul);
    }

    /** Sends a GET; {@code query} is encoded, without the part common to all requests. */
    CompletionStage<Answer> get(String what, String path, String query, Turn turn, CallContext call) {
        return send(what, request(path, query).GET(), Bodies.whole(), true, turn, call);
    }

    /** Sends a GET for entries and passes them on one by one, on any thread; not repeated if the connection breaks. */
    CompletionStage<Answer> stream(
            String what, String path, String query, Consumer<KvEntry> sink, LongConsumer counter, CallContext call) {
        return send(what, request(path, query).GET(), Bodies.entries(sink, counter), false, Turn.AT_ONCE, call);
    }

    CompletionStage<Answer> put(String what, String path, String query, byte[] body, Turn turn, CallContext call) {
        HttpRequest.BodyPublisher publisher =
                body.length == 0 ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body);
        return send(what, request(path, query).PUT(publisher), Bodies.whole(), false, turn, call);
    }

    private HttpRequest.Builder request(String path, String query) {
        String joined = query.isEmpty() || settings.query().isEmpty()
                ? query + settings.query()
                : query + "&" + settings.query();
        return HttpRequest.newBuilder(
                URI.create(settings.agent() + "/v1/" + path + (joined.isEmpty() ? "" : "?" + joined)));
    }

    private CompletionStage<Answer> send(
            String what,
            HttpRequest.Builder request,
            HttpResponse.BodyHandler<byte[]> body,
            boolean mayRepeat,
            Turn turn,
            CallContext context) {
        Exchange exchange = new Exchange(request, body, mayRepeat);
        return calls.call(what, turn, context, exchange::send);
    }

    /** The request of one call. */
    private final class Exchange {
        private final HttpRequest.Builder request;
        private final HttpResponse.BodyHandler<byte[]> body;
        private boolean mayRepeat;

        Exchange(HttpRequest.Builder request, HttpResponse.BodyHandler<byte[]> body, boolean mayRepeat) {
            this.request = request;
            this.body = body;
            this.mayRepeat = mayRepeat;
        }

        void send(PendingCall<Answer> call) {
            @Nullable RotatingSecret<String> secret = settings.token();
            @Nullable String token = secret == null ? null : secret.current();
            if (token != null) {
                request.setHeader("X-Consul-Token", token);
            }
            CompletableFuture<HttpResponse<byte[]>> sent = client.sendAsync(request.build(), body);
            call.whenOver(() -> sent.cancel(true));
            sent.whenComplete((response, why) -> {
                if (why == null) {
                    answered(call, token, response);
                } else if (mayRepeat && isBroken(Causes.unwrapped(why))) {
                    mayRepeat = false;
                    call.send();
                } else {
                    call.fail(why);
                }
            });
        }

        /** Whether an established connection broke. */
        private boolean isBroken(Throwable why) {
            return why instanceof IOException
                    && !(why instanceof SSLException)
                    && !(why instanceof ConnectException)
                    && !(why instanceof HttpTimeoutException)
                    && !(why instanceof MalformedAnswerException);
        }

        private void answered(PendingCall<Answer> call, @Nullable String token, HttpResponse<byte[]> response) {
            @Nullable RotatingSecret<String> secret = settings.token();
            if (response.statusCode() == 403 && secret != null && token != null) {
                call.again(() -> secret.rejectedAside(token), () -> call.answer(Answer.of(response)));
            } else {
                call.answer(Answer.of(response));
            }
        }
    }

    /** Fails open calls. Connections and threads end within seconds; on JDK 17, once they are garbage-collected. */
    @Override
    public void close() {
        calls.close();
        threads.close();
        client.shutdownNow();
    }
}
