package dev.mandate.consul;

import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.support.CallGate;
import dev.mandate.support.RotatingSecret;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 to one agent. Every call ends by its own deadline, including headers, body and queueing. The number of
 * ordinary calls under way is limited; calls for sessions never queue behind them.
 *
 * <p>A read is sent again, once, if its connection broke. Any call is sent again if its token was rejected, so that it
 * changed nothing, and the token has changed.
 */
final class ConsulHttp implements AutoCloseable {
    /** Ordinary calls under way at once. By default Consul accepts 200 connections per client address. */
    private static final int ORDINARY_MAX = 24;

    /** At most this many calls may wait. */
    private static final int WAITING_MAX = 100_000;

    private static final int THREADS = 2;
    private static final long IDLE_SECONDS = 2;

    /** What a call queues behind. */
    enum Lane {
        /** Other ordinary calls. */
        ORDINARY,
        /** Nothing. */
        URGENT
    }

    private final ConsulSettings settings;
    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor workers;
    private final Set<Exchange> open = ConcurrentHashMap.newKeySet();
    private final CallGate gate = new CallGate(ORDINARY_MAX, 0, WAITING_MAX);
    private volatile @Nullable HttpClient client;
    private volatile boolean wasConsul;

    ConsulHttp(ConsulSettings settings) {
        this.settings = settings;
        this.timer = new ScheduledThreadPoolExecutor(1, threads("mandate-consul-timer"));
        timer.setRemoveOnCancelPolicy(true);
        // Idle threads end by themselves: the client may need them until it is garbage-collected.
        this.workers = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads("mandate-consul-http"));
        workers.allowCoreThreadTimeOut(true);
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .executor(workers);
        if (settings.tls() != null) {
            builder.sslContext(settings.tls());
        }
        client = builder.build();
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger count = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    String name() {
        return settings.name();
    }

    /** Runs {@code work} on the timer's one thread after {@code nanos}; drops it once this is closed. */
    void later(Runnable work, long nanos) {
        try {
            timer.schedule(work, nanos, TimeUnit.NANOSECONDS);
        } catch (java.util.concurrent.RejectedExecutionException e) {
            // Closed.
        }
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

    RuntimeException fault(String what, Throwable thrown) {
        return Fault.of(name(), what, thrown, wasConsul);
    }

    /** Sends a GET; {@code query} is encoded, without the part common to all requests. */
    CompletionStage<Answer> get(String what, String path, String query, Lane lane, CallContext call) {
        return submit(new Exchange(what, request(path, query).GET(), Bodies.whole(), true, lane, call));
    }

    /** Sends a GET for entries and passes them on one by one, on any thread; not repeated if the connection breaks. */
    CompletionStage<Answer> stream(
            String what, String path, String query, Consumer<KvEntry> sink, LongConsumer counter, CallContext call) {
        return submit(new Exchange(
                what, request(path, query).GET(), Bodies.entries(sink, counter), false, Lane.URGENT, call));
    }

    CompletionStage<Answer> put(String what, String path, String query, byte[] body, Lane lane, CallContext call) {
        HttpRequest.BodyPublisher publisher =
                body.length == 0 ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body);
        return submit(new Exchange(what, request(path, query).PUT(publisher), Bodies.whole(), false, lane, call));
    }

    private HttpRequest.Builder request(String path, String query) {
        String joined = query.isEmpty() || settings.query().isEmpty()
                ? query + settings.query()
                : query + "&" + settings.query();
        return HttpRequest.newBuilder(
                URI.create(settings.agent() + "/v1/" + path + (joined.isEmpty() ? "" : "?" + joined)));
    }

    private CompletionStage<Answer> submit(Exchange exchange) {
        open.add(exchange);
        exchange.result.whenComplete((answer, why) -> exchange.end());
        if (client == null) {
            exchange.result.completeExceptionally(new IllegalStateException(name() + ": the store is closed"));
            return exchange.result;
        }
        exchange.limit();
        if (exchange.lane == Lane.URGENT) {
            exchange.start();
            return exchange.result;
        }
        if (!exchange.ticket.enter()) {
            exchange.result.completeExceptionally(new StoreUnavailableException(
                    name() + ": " + exchange.what + ": not sent, " + WAITING_MAX + " calls are waiting already"));
        }
        return exchange.result;
    }

    /** One call. */
    private final class Exchange {
        final String what;
        final HttpRequest.Builder request;
        final HttpResponse.BodyHandler<byte[]> body;
        final Lane lane;
        final CallContext call;
        final CompletableFuture<Answer> result = new CompletableFuture<>();
        private boolean mayRepeat;
        private boolean mayExchangeToken = true;
        private @Nullable String token;
        private volatile @Nullable CompletableFuture<HttpResponse<byte[]>> inFlight;
        private java.util.concurrent.@Nullable ScheduledFuture<?> limit;

        final CallGate.Ticket ticket;

        Exchange(
                String what,
                HttpRequest.Builder request,
                HttpResponse.BodyHandler<byte[]> body,
                boolean mayRepeat,
                Lane lane,
                CallContext call) {
            this.what = what;
            this.request = request;
            this.body = body;
            this.mayRepeat = mayRepeat;
            this.lane = lane;
            this.call = call;
            this.ticket = gate.ticket(this::start, false);
        }

        void limit() {
            try {
                limit = timer.schedule(this::late, call.remaining().toNanos(), TimeUnit.NANOSECONDS);
            } catch (java.util.concurrent.RejectedExecutionException e) {
                closed();
            }
        }

        private void late() {
            result.completeExceptionally(new StoreUnavailableException(name() + ": " + what + ": no answer in time"));
        }

        void closed() {
            result.completeExceptionally(new IllegalStateException(name() + ": " + what + ": the store is closed"));
        }

        void start() {
            HttpClient http = client;
            if (http == null) {
                closed();
                return;
            }
            if (call.isOver()) {
                late();
                return;
            }
            try {
                @Nullable RotatingSecret<String> secret = settings.token();
                if (secret != null) {
                    token = secret.current();
                    request.setHeader("X-Consul-Token", token);
                }
                CompletableFuture<HttpResponse<byte[]>> sent = http.sendAsync(request.build(), body);
                inFlight = sent;
                if (result.isDone()) {
                    sent.cancel(true);
                }
                sent.whenComplete((response, why) -> {
                    if (why != null) {
                        failed(Causes.unwrapped(why));
                    } else {
                        answered(response);
                    }
                });
            } catch (RuntimeException e) {
                result.completeExceptionally(fault(what, e));
            }
        }

        private void failed(Throwable why) {
            if (mayRepeat && isBroken(why) && !result.isDone()) {
                mayRepeat = false;
                start();
            } else {
                result.completeExceptionally(fault(what, why));
            }
        }

        /** Whether an established connection broke. */
        private boolean isBroken(Throwable why) {
            return why instanceof IOException
                    && !(why instanceof SSLException)
                    && !(why instanceof ConnectException)
                    && !(why instanceof HttpTimeoutException)
                    && !(why instanceof MalformedAnswerException);
        }

        private void answered(HttpResponse<byte[]> response) {
            @Nullable RotatingSecret<String> secret = settings.token();
            if (response.statusCode() == 403 && mayExchangeToken && secret != null && token != null) {
                mayExchangeToken = false;
                secret.rejectedAside(token)
                        .exceptionally(failure -> false)
                        .thenAcceptAsync(
                                hasChanged -> {
                                    if (hasChanged) {
                                        start();
                                    } else {
                                        complete(response);
                                    }
                                },
                                workers);
                return;
            }
            complete(response);
        }

        private void complete(HttpResponse<byte[]> response) {
            long index = -1;
            String header = response.headers().firstValue("X-Consul-Index").orElse("");
            if (header.matches("[0-9]{1,18}")) {
                index = Long.parseLong(header);
            }
            result.complete(new Answer(response.statusCode(), index, response.body()));
        }

        /** Called however it ended. Idempotent. */
        void end() {
            open.remove(this);
            if (limit != null) {
                limit.cancel(false);
            }
            CompletableFuture<HttpResponse<byte[]>> sent = inFlight;
            if (sent != null) {
                sent.cancel(true);
            }
            ticket.close();
        }
    }

    /** Fails open calls. Connections and threads end within seconds; on JDK 17, once they are garbage-collected. */
    @Override
    public void close() {
        HttpClient last = client;
        client = null;
        open.forEach(Exchange::closed);
        timer.shutdownNow();
        if (last != null) {
            shutDown(last);
        }
    }

    /** Calls a method that exists since Java 21. */
    private static void shutDown(HttpClient last) {
        try {
            HttpClient.class.getMethod("shutdownNow").invoke(last);
        } catch (NoSuchMethodException e) {
            // The client ends by itself once it is garbage-collected.
        } catch (IllegalAccessException | InvocationTargetException e) {
            System.getLogger(ConsulHttp.class.getName()).log(System.Logger.Level.DEBUG, "closing the HTTP client", e);
        }
    }
}
