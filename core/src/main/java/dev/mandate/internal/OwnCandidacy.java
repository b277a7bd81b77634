package dev.mandate.internal;

import dev.mandate.EndReason;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.Term;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One candidacy of this client, from the campaign until nothing of it is left for certain. */
abstract sealed class OwnCandidacy permits LastingCandidacy, OneTermCandidacy {
    private final ClientElection election;
    private final String value;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    /** Why it must not campaign any more; null while it may. */
    private volatile @Nullable EndReason withdrawn;
    /** Whether it must not campaign any more, although work in progress may end by itself. */
    private volatile boolean isStopping;

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

    /** A term begins: creates its holder's leadership. */
    abstract WonLeadership won(Term term);

    /** The term is set up and guarded: the work may start. */
    abstract void begin(WonLeadership leadership, Now now);

    /** The term ended; its leadership says why. */
    abstract void ended(WonLeadership leadership, Now now);

    /** Nothing is left of the candidacy, or the client is closed. */
    void isOver() {
        over.complete(null);
    }

    /** The answer to "does it lead" may have changed. Any thread; does not block. */
    void changed() {}

    /** Has the machine campaign, unless the client closes: a late campaign would take a record that nobody releases. */
    final void campaign(Now now) {
        if (election.candidacy() != this || election.client().isClosing()) {
            return;
        }
        if (isStopping) {
            election.neverBegun();
        } else {
            isAsked = true;
            election.tell(new ElectionEvent.Campaign(value), now);
            isHeard = true;
        }
    }

    /** Tells the machine that the term's work has stopped; {@code first} gives, on the loop, what to tell it before. */
    final void stopped(WonLeadership leadership, Supplier<ElectionEvent> first) {
        election.client().loop().post(now -> {
            try {
                election.tell(first.get(), now);
            } finally {
                election.tell(new ElectionEvent.WorkStopped(leadership.term().number()), now);
            }
        });
    }

    /** From now on it does not campaign, even if the machine cannot be told. */
    final ElectionEvent.Withdraw withdrawal(EndReason why) {
        if (withdrawn == null) {
            withdrawn = why;
        }
        return new ElectionEvent.Withdraw(why);
    }

    final void withdraw(EndReason why) {
        ElectionEvent withdrawal = withdrawal(why);
        election.client().loop().post(now -> {
            if (election.candidacy() == this) {
                election.tell(withdrawal, now);
            }
        });
    }

    final boolean isStopping() {
        return isStopping;
    }

    /** Campaigns no more: asks the work of a term in progress to end by itself, or withdraws. Any thread. */
    final void stop() {
        isStopping = true;
        election.client().loop().post(this::stop);
    }

    private void stop(Now now) {
        if (election.candidacy() != this) {
            return;
        }
        WonLeadership leadership = election.leadership();
        if (leadership != null && leadership.candidacy() == this && election.isLedBy(leadership)) {
            leadership.requestStop();
        } else {
            election.tell(withdrawal(EndReason.WITHDRAWN), now);
        }
    }

    /** The holder declares that the work has stopped: the term ends, if it goes on, and its record is released. */
    final void workStopped(WonLeadership leadership) {
        if (leadership.stopWork()) {
            long term = leadership.term().number();
            EndReason why = leadership.reason() == EndReason.WITHDRAWN ? EndReason.WITHDRAWN : EndReason.RESIGNED;
            stopped(leadership, () -> new ElectionEvent.Resign(term, why));
        }
    }

    /**
     * Tells the machine again what it may have missed.
     *
     * @return whether the machine no longer knows this candidacy, so that it is over
     */
    final boolean mend(Now now) {
        EndReason why = withdrawn;
        if (isAsked && !isHeard && why == null && !isStopping) {
            campaign(now);
        } else if (why != null) {
            election.tell(new ElectionEvent.Withdraw(why), now);
        } else if (isStopping) {
            stop(now);
        }
        return isAsked && !election.client().loop().machine().isToWithdraw(election.key());
    }

    // ---- asked for by the holder of a leadership, on any thread ----

    abstract void resign(WonLeadership leadership);

    abstract void closed(WonLeadership leadership);
}
