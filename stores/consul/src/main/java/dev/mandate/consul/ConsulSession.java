package dev.mandate.consul;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.support.StoreCalls.Turn;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A Consul session. The server chooses its id, which is never used again. */
final class ConsulSession implements StoreSession {
    private final ElectionStore store;
    private final Consumer<String> forget;
    private final ConsulHttp http;
    private final String id;
    private final Duration granted;

    /** {@code forget} is told the id once the session is gone. */
    ConsulSession(ElectionStore store, Consumer<String> forget, ConsulHttp http, String id, Duration granted) {
        this.store = store;
        this.forget = forget;
        this.http = http;
        this.id = id;
        this.granted = granted;
    }

    boolean isOf(ElectionStore other) {
        return store == other;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration granted() {
        return granted;
    }

    @Override
    public CompletionStage<SessionRenewal> renew(CallContext call) {
        String what = "renewing the session " + id;
        return http.put(what, "session/renew/" + id, "", new byte[0], Turn.AT_ONCE, call)
                .thenCompose(answer -> {
                    // A page from a proxy, whatever its status, does not contain the session's id.
                    boolean isAboutIt = new String(answer.body(), StandardCharsets.UTF_8).contains(id);
                    if (answer.isOk() && isAboutIt) {
                        return CompletableFuture.completedStage(SessionRenewal.renewed(granted));
                    }
                    if (answer.status() == 404 && isAboutIt) {
                        forget.accept(id);
                        return CompletableFuture.completedStage(SessionRenewal.gone());
                    }
                    return CompletableFuture.failedStage(
                            answer.isOk() || answer.status() == 404
                                    ? Fault.noConsul(
                                            http.name(), what, "it does not name the session", http.wasConsul())
                                    : http.fault(what, answer));
                });
    }

    @Override
    public CompletionStage<Void> end(CallContext call) {
        String what = "ending the session " + id;
        return http.put(what, "session/destroy/" + id, "", new byte[0], Turn.AT_ONCE, call)
                .thenCompose(answer -> {
                    boolean isDone = answer.isOk()
                            && new String(answer.body(), StandardCharsets.UTF_8)
                                    .strip()
                                    .equals("true");
                    if (isDone) {
                        forget.accept(id);
                    }
                    return isDone
                            ? CompletableFuture.<Void>completedStage(null)
                            : CompletableFuture.failedStage(http.fault(what, answer));
                });
    }

    @Override
    public String toString() {
        return "session " + id;
    }
}
