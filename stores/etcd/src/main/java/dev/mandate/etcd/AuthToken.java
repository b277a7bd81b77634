package dev.mandate.etcd;

import dev.mandate.spi.Causes;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreThreads;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.grpc.Status;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The token that a user sends to one member instead of the password. It is requested when first needed, and again when
 * the member rejects it because it expired or the password, users or roles changed. All waiting calls share one login;
 * after a failure, the next is at least a second later.
 *
 * <p>Each member expires simple tokens separately; using one on a member restarts its time there. A
 * new one requires a cluster leader, so valid tokens must be at hand before that leader is lost:
 * see {@code EtcdConnection.keepTokensWarm}.
 */
final class AuthToken {
    /** Longer than most calls' deadlines: servers compare passwords slowly, and a later call finds the token. */
    static final Duration ANSWER = Duration.ofSeconds(5);

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Function<AuthenticateRequest, CompletableFuture<AuthenticateResponse>> member;
    private final Executor worker;
    private final String user;
    private final RotatingSecret<String> password;

    /** Guards the fields below. Nothing is called under it. */
    private final Object lock = new Object();

    private @Nullable CompletableFuture<@Nullable String> asked;
    private long askedNanos;

    /**
     * The token of {@code user} for {@code member}, which is asked there and answers within {@link #ANSWER}; who waits
     * is told on {@code worker}.
     */
    AuthToken(
            Function<AuthenticateRequest, CompletableFuture<AuthenticateResponse>> member,
            Executor worker,
            String user,
            RotatingSecret<String> password) {
        this.member = member;
        this.worker = worker;
        this.user = user;
        this.password = password;
    }

    /** The token; null inside if the server has no users, as in etcd's own clients. Callers must not complete it. */
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
        logIn(mine);
        return mine;
    }

    private void logIn(CompletableFuture<@Nullable String> asking) {
        var unused = CompletableFuture.supplyAsync(password::forLogin, AuthToken::apart)
                .thenCompose(first -> authenticate(first)
                        .exceptionallyComposeAsync(failure -> againAfter(failure, first), AuthToken::apart))
                .handleAsync(
                        (AuthenticateResponse answer, Throwable failure) -> {
                            if (failure == null) {
                                return asking.complete(answer.getToken());
                            }
                            Throwable why = Causes.unwrapped(failure);
                            return Fault.says(Status.fromThrowable(why), "authentication is not enabled")
                                    ? asking.complete(null)
                                    : asking.completeExceptionally(why);
                        },
                        worker);
    }

    /**
     * Runs a task on a thread of its own. Reading a file may hang, and must block neither callers nor the thread on
     * which answers arrive: other members still accept their tokens.
     */
    private static void apart(Runnable task) {
        StoreThreads.daemon("mandate-etcd-login", task).start();
    }

    private CompletableFuture<AuthenticateResponse> againAfter(Throwable failure, String first) {
        boolean isRejected = Fault.isRejected(Status.fromThrowable(Causes.unwrapped(failure)));
        return isRejected && password.rejected(first)
                ? authenticate(password.current())
                : CompletableFuture.failedFuture(failure);
    }

    private CompletableFuture<AuthenticateResponse> authenticate(String secret) {
        return member.apply(AuthenticateRequest.newBuilder()
                .setName(user)
                .setPassword(secret)
                .build());
    }

    /** The server rejected {@code used}: forgets it. */
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
