package dev.mandate.internal;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyListener;
import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.engine.Now;
import dev.mandate.spi.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A candidacy that campaigns again after every term, until it is closed. */
abstract sealed class LastingCandidacy extends OwnCandidacy implements Candidacy permits LatchCandidacy, TaskCandidacy {
    private volatile @Nullable EndReason lastReason;
    private volatile boolean isClosed;
    /** Written under this object's monitor. */
    private volatile List<OwnChanges> listeners = List.of();

    LastingCandidacy(Contest election, String value) {
        super(election, value);
    }

    final boolean isClosed() {
        return isClosed;
    }

    // ---- on the loop ----

    @Override
    void begin(WonLeadership leadership, Now now) {
        if (isClosed) {
            leadership.end(EndReason.WITHDRAWN);
        }
    }

    @Override
    public void ended(WonLeadership leadership, Now now) {
        lastReason = leadership.reason();
        if (isStopping()) {
            election().tell(withdrawal(EndReason.WITHDRAWN), now);
        }
    }

    @Override
    void isOver() {
        super.isOver();
        changed();
    }

    // ---- asked for on any thread ----

    @Override
    public void changed() {
        listeners.forEach(OwnChanges::changed);
    }

    @Override
    public void onChange(CandidacyListener listener) {
        OwnChanges added = new OwnChanges(client(), this::status, over(), Objects.requireNonNull(listener, "listener"));
        synchronized (this) {
            listeners = Lists.with(listeners, added);
        }
        added.changed();
    }

    @Override
    public void await() throws InterruptedException {
        client().host().await(over(), Long.MAX_VALUE);
    }

    @Override
    public boolean await(Duration atMost) throws InterruptedException {
        return client().await(over(), atMost);
    }

    @Override
    public CompletionStage<Void> done() {
        CompletableFuture<Void> told = new CompletableFuture<>();
        CompletionStage<Void> ended = over();
        ended.whenComplete((nothing, failure) -> client().callbacks().run(() -> told.complete(null)));
        return told.minimalCompletionStage();
    }

    @Override
    public CandidacyStatus status() {
        return over().isDone()
                ? new CandidacyStatus(
                        CandidacyStatus.State.NOT_CAMPAIGNING, "this candidacy is over" + lastEnd(), Optional.empty())
                : election().status();
    }

    private String lastEnd() {
        EndReason why = lastReason;
        return why == null ? "" : "; its last term ended: " + why;
    }

    @Override
    public void close(Duration grace) {
        long graceNanos = Durations.notNegative("grace", grace).toNanos();
        ClientContext client = client();
        stop();
        if (client.callbacks().isInside()) {
            // Perhaps called by the work itself.
            client.loop().post(now -> client.loop().at(now.monotonicNanos() + graceNanos, later -> end()));
            return;
        }
        client.awaitQuietly(over(), graceNanos);
        close();
    }

    @Override
    public void close() {
        ClientContext client = client();
        end();
        if (client.callbacks().isInside()) {
            // Perhaps called by the awaited task itself.
            return;
        }
        client.awaitQuietly(
                over(),
                client.timing().drainTimeoutNanos() + 4 * client.timing().requestTimeoutNanos());
    }

    private void end() {
        isClosed = true;
        WonLeadership leadership = election().leadership();
        if (leadership != null && leadership.candidacy() == this) {
            leadership.end(EndReason.WITHDRAWN);
        }
        withdraw(EndReason.WITHDRAWN);
    }
}
