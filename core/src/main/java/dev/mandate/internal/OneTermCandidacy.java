package dev.mandate.internal;

import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.engine.Now;
import dev.mandate.engine.Term;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A candidacy for one term. Its work is the caller's own business: it has stopped when the {@link Leadership} is
 * closed, and only then is the record released.
 */
final class OneTermCandidacy extends OwnCandidacy {
    private final CompletableFuture<WonLeadership> won = new CompletableFuture<>();

    OneTermCandidacy(Contest election, String value) {
        super(election, value);
    }

    /** Completed on the loop when elected. Not for users. */
    CompletableFuture<WonLeadership> won() {
        return won;
    }

    @Override
    WonLeadership won(Term term) {
        return new WonLeadership(this, term, null);
    }

    @Override
    void begin(WonLeadership leadership, Now now) {
        if (!won.complete(leadership)) {
            // The caller gave up meanwhile: nobody is there to lead.
            leadership.end(EndReason.WITHDRAWN);
            workStopped(leadership);
        }
    }

    @Override
    public void ended(WonLeadership leadership, Now now) {
        election().tell(withdrawal(EndReason.WITHDRAWN), now);
    }

    @Override
    void isOver() {
        won.completeExceptionally(new IllegalStateException("the client is closed"));
        super.isOver();
    }

    /** Gives up, unless elected already. Any thread. */
    boolean giveUp() {
        if (!won.cancel(false)) {
            return won.isCompletedExceptionally();
        }
        withdraw(EndReason.WITHDRAWN);
        return true;
    }

    @Override
    public void resign(WonLeadership leadership) {
        leadership.end(EndReason.RESIGNED);
        workStopped(leadership);
    }

    @Override
    public void closed(WonLeadership leadership) {
        resign(leadership);
        client().awaitQuietly(over(), client().timing().requestTimeoutNanos() * 4);
    }

    /** For {@code campaign}: empty, and nothing held, if not elected by then. */
    Optional<Leadership> await(long untilNanos) throws InterruptedException {
        ClientContext client = client();
        boolean isInterrupted = false;
        try {
            client.host().await(won, untilNanos);
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        boolean hasGivenUp = giveUp();
        if (!hasGivenUp && !isInterrupted) {
            return Optional.of(won.join());
        }
        if (!hasGivenUp) {
            won.join().resign();
        }
        client.awaitQuietly(over(), 4 * client.timing().requestTimeoutNanos());
        if (isInterrupted) {
            throw new InterruptedException("interrupted while campaigning in election '" + key().name() + "'");
        }
        client.lifecycle().requireCampaigns();
        return Optional.empty();
    }

    /** For {@code campaignAsync}: the users' future, completed on the executor. Cancelling or failing it gives up. */
    CompletableFuture<Leadership> asFuture() {
        CompletableFuture<Leadership> stage = new CompletableFuture<>();
        Callbacks callbacks = client().callbacks();
        CompletionStage<WonLeadership> elected = won;
        elected.whenComplete((leadership, failure) -> {
            if (leadership == null) {
                callbacks.run(() -> complete(stage, null, failure));
                return;
            }
            boolean isHanded = false;
            try {
                isHanded = callbacks.hand(() -> complete(stage, leadership, null));
            } finally {
                if (!isHanded) {
                    // Without a thread to announce the win at once, nobody would do the work.
                    leadership.resign();
                }
            }
        });
        CompletionStage<Leadership> told = stage;
        told.whenComplete((leadership, failure) -> {
            if (failure != null) {
                giveUp();
            }
        });
        return stage;
    }

    private static void complete(
            CompletableFuture<Leadership> stage, @Nullable WonLeadership won, @Nullable Throwable failure) {
        if (won == null) {
            stage.completeExceptionally(failure == null ? new CancellationException() : failure);
        } else if (!stage.complete(won)) {
            won.resign();
        }
    }
}
