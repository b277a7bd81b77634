package dev.mandate.etcd;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.support.RotatingSecret;
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
 * What a user shows to one member instead of its password: asked for when it is first needed, and again when that member does not accept it any
 * more, because it expired or somebody changed the password, users or roles. However many calls wait for it, it is asked for once; after a failure not again
 * for a second.
 *
 * <p>Each member forgets a simple token on a clock of its own, which starts again when that member sees it. To get another one takes a leader of
 * the cluster, so a token must be at hand before the cluster loses its leader: see {@link EtcdConnection#keepTokensWarm}.
 */
final class Token {
    /** Longer than most calls have: the server takes its time to compare passwords, and the next call finds the token there. */
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EtcdConnection connection;
    private final Endpoints.Member member;
    private final String user;
    private final RotatingSecret<String> password;

    /** Guards what follows. Nothing is called under it. */
    private final Object lock = new Object();

    private @Nullable CompletableFuture<@Nullable String> asked;
    private long askedNanos;

    Token(EtcdConnection connection, Endpoints.Member member, String user, RotatingSecret<String> password) {
        this.connection = connection;
        this.member = member;
        this.user = user;
        this.password = password;
    }

    /** The token; null inside where the server knows no users, as etcd's own clients take it. Not to be completed by others. */
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
        var unused = CompletableFuture.supplyAsync(password::forLogin, Token::apart)
                .thenCompose(first -> authenticate(first)
                        .exceptionallyComposeAsync(failure -> againAfter(failure, first), Token::apart))
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
                        connection.worker());
    }

    /**
     * Neither the caller nor the thread on which answers arrive waits for a file: it may hang, and the other members
     * take the tokens that they gave.
     */
    private static void apart(Runnable task) {
        Thread thread = new Thread(task, "mandate-etcd-login");
        thread.setDaemon(true);
        thread.start();
    }

    private CompletableFuture<AuthenticateResponse> againAfter(Throwable failure, String first) {
        boolean isRejected = Fault.isRejected(Status.fromThrowable(Causes.unwrapped(failure)));
        return isRejected && password.rejected(first)
                ? authenticate(password.current())
                : CompletableFuture.failedFuture(failure);
    }

    private CompletableFuture<AuthenticateResponse> authenticate(String secret) {
        AuthenticateRequest request = AuthenticateRequest.newBuilder()
                .setName(user)
                .setPassword(secret)
                .build();
        return connection.send(member, AuthGrpc.getAuthenticateMethod(), request, null, CallContext.within(ANSWER));
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
