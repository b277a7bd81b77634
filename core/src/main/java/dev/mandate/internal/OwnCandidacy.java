package dev.mandate.internal;

import dev.mandate.LossReason;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.Term;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One candidacy of this client, from the campaign until it is confirmed that nothing of it is left. */
abstract sealed class OwnCandidacy permits OneTermCandidacy, TaskCandidacy {
    private final ClientElection election;
    private final String value;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    /** Why it must not stand any more; null while it does. */
    private volatile @Nullable LossReason withdrawn;

    // On the loop alone.
    private boolean isAsked;
    private boolean isHeard;

    OwnCandidacy(ClientElection election, String value) {
        this.election = election;
        this.value = value;
    }

    final ClientElection election() {
        return election;
    }

    final String value() {
        return value;
    }

    /** Completed, on the loop, when the candidacy is over. Not for users: their code must not run there. */
    final CompletableFuture<Void> over() {
        return over;
    }

    // ---- on the loop ----

    /** A term begins: what its holder gets. */
    abstract WonLeadership won(Term term);

    /** The term is set up and guarded: the work may start. */
    abstract void begin(WonLeadership leadership, Now now);

    /** The term ended; its leadership says why. */
    abstract void ended(WonLeadership leadership, Now now);

    /** Nothing is left of the candidacy, or the client is closed. */
    void isOver() {
        over.complete(null);
    }

    /**
     * Has the machine stand, unless the client closes: one that began to stand then would take what nobody releases.
     */
    final void campaign(Now now) {
        if (election.candidacy() == this && !election.client().isClosing()) {
            isAsked = true;
            election.tell(new ElectionEvent.Campaign(value), now);
            isHeard = true;
        }
    }

    /**
     * Tells the machine that the work of the term has stopped; {@code first}: asked, on the loop, what to tell it
     * before.
     */
    final void stopped(WonLeadership leadership, Supplier<ElectionEvent> first) {
        election.client().loop().post(now -> {
            try {
                election.tell(first.get(), now);
            } finally {
                election.tell(new ElectionEvent.WorkStopped(leadership.term().number()), now);
            }
        });
    }

    /** From now on it does not stand, whatever becomes of telling the machine. */
    final ElectionEvent.Withdraw withdrawal(LossReason why) {
        if (withdrawn == null) {
            withdrawn = why;
        }
        return new ElectionEvent.Withdraw(why);
    }

    final void withdraw(LossReason why) {
        ElectionEvent withdrawal = withdrawal(why);
        election.client().loop().post(now -> {
            if (election.candidacy() == this) {
                election.tell(withdrawal, now);
            }
        });
    }

    /**
     * Tells the machine again what it may have missed; whether it knows nothing of this candidacy any more, so that it
     * is over.
     */
    final boolean mend(Now now) {
        LossReason why = withdrawn;
        if (isAsked && !isHeard && why == null) {
            campaign(now);
        } else if (why != null) {
            election.tell(new ElectionEvent.Withdraw(why), now);
        }
        return isAsked && !election.client().loop().machine().isToWithdraw(election.key());
    }

    // ---- asked by the holder of a leadership, on any thread ----

    abstract void resign(WonLeadership leadership);

    abstract void closed(WonLeadership leadership);
}
