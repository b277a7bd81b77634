package dev.mandate.support;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * The JDK's HTTP client, except that answers complete their futures on the client's executor. The JDK completes
 * them on the common pool, whatever executor it was given (on one or two processors only since Java 25): in a
 * program that blocks all threads of that pool, as many do by accident, no answer of a store would arrive.
 *
 * <p><strong>Not promised:</strong> a request that gets no answer still fails by way of the common pool, so its
 * deadline may come first. JDKs before 25 lose the answer on a reused connection now and then, on a busy machine
 * (JDK-8338569, JDK-8357639); the request fails then, and its outcome is unknown. Responses name no earlier response
 * and no TLS session. HTTP/1.1 without redirects. Thread-safe.
 */
public final class DirectHttpClient extends HttpClient {
    private final HttpClient client;
    private final Executor executor;

    private DirectHttpClient(HttpClient client, Executor executor) {
        this.client = client;
        this.executor = executor;
    }

    /** Prepares a client that sends, and answers, on {@code executor}, which must not reject. */
    public static Builder newBuilder(Executor executor) {
        return new Builder(executor);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        CompletableFuture<HttpResponse<T>> answer = new CompletableFuture<>();
        CompletableFuture<HttpResponse<T>> sent = client.sendAsync(request, head -> {
            AnswerBody<T> body = new AnswerBody<>(handler.apply(head));
            var unused = body.getBody()
                    .whenCompleteAsync(
                            (read, why) -> {
                                if (why != null) {
                                    answer.completeExceptionally(why);
                                } else if (!answer.complete(new Response<>(request, head, read))) {
                                    body.drop();
                                }
                            },
                            executor);
            return body;
        });
        // Failures, and what has no body: a proxy's refusal to connect.
        var ended = sent.whenCompleteAsync(
                (response, why) -> {
                    if (why != null) {
                        answer.completeExceptionally(why);
                    } else {
                        answer.complete(response);
                    }
                },
                executor);
        // Not once it is answered: that would cut the connection.
        var cancelled = answer.whenComplete((response, why) -> {
            if (answer.isCancelled()) {
                sent.cancel(true);
            }
        });
        return answer;
    }

    /** As without {@code pushes}: HTTP/1.1 has none. */
    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, HttpResponse.BodyHandler<T> handler, HttpResponse.PushPromiseHandler<T> pushes) {
        return sendAsync(request, handler);
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        return client.send(request, handler);
    }

    /** The same as {@link #shutdownNow()}. */
    public void close() {
        shutdownNow();
    }

    /** Closes all connections, since Java 21. Before, the client ends by itself once it is garbage-collected. */
    public void shutdownNow() {
        try {
            HttpClient.class.getMethod("shutdownNow").invoke(client);
        } catch (NoSuchMethodException e) {
            // Before Java 21.
        } catch (IllegalAccessException | InvocationTargetException e) {
            System.getLogger(DirectHttpClient.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing the HTTP client", e);
        }
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return client.authenticator();
    }

    @Override
    public Version version() {
        return client.version();
    }

    @Override
    public Optional<Executor> executor() {
        return client.executor();
    }

    private record Response<T>(HttpRequest request, HttpResponse.ResponseInfo head, T body) implements HttpResponse<T> {
        @Override
        public int statusCode() {
            return head.statusCode();
        }

        @Override
        public HttpHeaders headers() {
            return head.headers();
        }

        @Override
        public Version version() {
            return head.version();
        }

        @Override
        public URI uri() {
            return request.uri();
        }

        @Override
        public Optional<HttpResponse<T>> previousResponse() {
            return Optional.empty();
        }

        @Override
        public Optional<SSLSession> sslSession() {
            return Optional.empty();
        }
    }

    /** Settings of a client; each method as in the JDK. */
    public static final class Builder implements HttpClient.Builder {
        private final HttpClient.Builder builder;
        private Executor executor;

        private Builder(Executor executor) {
            this.executor = executor;
            this.builder = HttpClient.newBuilder()
                    .version(Version.HTTP_1_1)
                    .followRedirects(Redirect.NEVER)
                    .executor(executor);
        }

        @Override
        public DirectHttpClient build() {
            return new DirectHttpClient(builder.build(), executor);
        }

        @Override
        public Builder executor(Executor other) {
            executor = other;
            builder.executor(other);
            return this;
        }

        @Override
        public Builder cookieHandler(CookieHandler cookies) {
            builder.cookieHandler(cookies);
            return this;
        }

        @Override
        public Builder connectTimeout(Duration timeout) {
            builder.connectTimeout(timeout);
            return this;
        }

        @Override
        public Builder sslContext(SSLContext context) {
            builder.sslContext(context);
            return this;
        }

        @Override
        public Builder sslParameters(SSLParameters parameters) {
            builder.sslParameters(parameters);
            return this;
        }

        @Override
        public Builder followRedirects(Redirect policy) {
            builder.followRedirects(policy);
            return this;
        }

        @Override
        public Builder version(Version version) {
            builder.version(version);
            return this;
        }

        @Override
        public Builder priority(int priority) {
            builder.priority(priority);
            return this;
        }

        @Override
        public Builder proxy(ProxySelector selector) {
            builder.proxy(selector);
            return this;
        }

        @Override
        public Builder authenticator(Authenticator authenticator) {
            builder.authenticator(authenticator);
            return this;
        }
    }
}
