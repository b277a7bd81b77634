package dev.mandate.internal;

import dev.mandate.LossReason;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.Term;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** One candidacy of this client, from the campaign until it is confirmed that nothing of it is left. */
abstract sealed class OwnCandidacy permits OneTermCandidacy, TaskCandidacy {
    private final ClientElection election;
    private final String value;
    private final CompletableFuture<Void> over = new CompletableFuture<>();

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

    /** Tells the machine that the work of the term has stopped; {@code first}: asked, on the loop, what to tell it before. */
    final void stopped(WonLeadership leadership, Supplier<ElectionEvent> first) {
        election.client().loop().post(now -> {
            election.tell(first.get(), now);
            election.tell(new ElectionEvent.WorkStopped(leadership.term().number()), now);
        });
    }

    final void withdraw(LossReason why) {
        election.client().loop().post(now -> {
            if (election.candidacy() == this) {
                election.tell(new ElectionEvent.Withdraw(why), now);
            }
        });
    }

    // ---- asked by the holder of a leadership, on any thread ----

    abstract void resign(WonLeadership leadership);

    abstract void closed(WonLeadership leadership);
}
