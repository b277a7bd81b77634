package dev.mandate.consul;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.support.StoreCalls.Turn;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A Consul session. The server chooses its id, which is never used again. */
final class ConsulSession implements StoreSession {
    private final ConsulElectionStore store;
    private final ConsulHttp http;
    private final String id;
    private final Duration granted;

    ConsulSession(ConsulElectionStore store, ConsulHttp http, String id, Duration granted) {
        this.store = store;
        this.http = http;
        this.id = id;
        this.granted = granted;
    }

    boolean isOf(ConsulElectionStore other) {
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
                        store.forget(id);
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
                        store.forget(id);
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
