package dev.mandate.etcd;

import dev.mandate.spi.CallContext;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.grpc.Status;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a user shows instead of its password: asked for when it is first needed, and again when the server does not accept it any more, because
 * it expired or somebody changed users or roles. However many calls wait for it, it is asked for once; after a failure not again for a second.
 */
final class Token {
    /** Longer than most calls have: the server takes its time to compare passwords, and the next call finds the token there. */
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EtcdConnection connection;
    private final AuthenticateRequest request;

    /** Guards what follows. Nothing is called under it. */
    private final Object lock = new Object();

    private @Nullable CompletableFuture<@Nullable String> asked;
    private long askedNanos;

    Token(EtcdConnection connection, String user, String password) {
        this.connection = connection;
        this.request = AuthenticateRequest.newBuilder()
                .setName(user)
                .setPassword(password)
                .build();
    }

    /** The token; null inside where the server knows no users, as etcd's own clients take it. */
    CompletableFuture<@Nullable String> get() {
        CompletableFuture<@Nullable String> mine;
        synchronized (lock) {
            CompletableFuture<@Nullable String> known = asked;
            boolean isOld =
                    known != null && known.isCompletedExceptionally() && System.nanoTime() - askedNanos >= PAUSE_NANOS;
            if (known != null && !isOld) {
                return known;
            }
            mine = new CompletableFuture<>();
            asked = mine;
            askedNanos = System.nanoTime();
        }
        var unused = connection
                .send(AuthGrpc.getAuthenticateMethod(), request, null, CallContext.within(ANSWER))
                .handle((AuthenticateResponse answer, Throwable failure) -> {
                    if (failure == null) {
                        return mine.complete(answer.getToken());
                    }
                    Status status = Status.fromThrowable(failure);
                    return Fault.says(status, "authentication is not enabled")
                            ? mine.complete(null)
                            : mine.completeExceptionally(failure);
                });
        return mine;
    }

    /** The server did not accept {@code used}. */
    void stale(@Nullable String used) {
        synchronized (lock) {
            CompletableFuture<@Nullable String> known = asked;
            if (known != null
                    && known.isDone()
                    && !known.isCompletedExceptionally()
                    && Objects.equals(known.join(), used)) {
                asked = null;
            }
        }
    }
}
