package dev.mandate.internal;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.Term;
import dev.mandate.spi.RecordKey;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One candidacy of this client, from the campaign until nothing of it is left for certain. */
abstract sealed class OwnCandidacy implements WonLeadership.Holder permits LastingCandidacy, OneTermCandidacy {
    /** The election that it campaigns in, as far as a candidacy needs it. On the loop, unless stated otherwise. */
    interface Contest {
        /** What all elections share. Any thread. */
        ElectionContext context();

        /** Any thread. */
        RecordKey key();

        /** The candidacy that the client has now; null if it has none. Any thread. */
        @Nullable
        OwnCandidacy candidacy();

        /** The term that the client last won, also after its end. Any thread. */
        @Nullable
        WonLeadership leadership();

        /** Whether the machine leads with that term. */
        boolean isLedBy(WonLeadership leadership);

        /** Hands an event to the machine. */
        void tell(ElectionEvent event, Now now);

        /** The candidacy was stopped before the machine heard of it. */
        void neverBegun();

        /** Any thread. */
        CandidacyStatus status();
    }

    private final Contest election;
    private final String value;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    /** Why it must not campaign any more; null while it may. */
    private volatile @Nullable EndReason withdrawn;
    /** Whether it must not campaign any more, although work in progress may end by itself. */
    private volatile boolean isStopping;

    // On the loop alone.
    private boolean isAsked;
    private boolean isHeard;

    OwnCandidacy(Contest election, String value) {
        this.election = election;
        this.value = value;
    }

    final Contest election() {
        return election;
    }

    @Override
    public final ClientContext client() {
        return election.context().client();
    }

    @Override
    public final RecordKey key() {
        return election.key();
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

    /** Nothing is left of the candidacy, or the client is closed. */
    void isOver() {
        over.complete(null);
    }

    @Override
    public void changed() {}

    /** Has the machine campaign, unless the client closes: a late campaign would take a record that nobody releases. */
    final void campaign(Now now) {
        if (election.candidacy() != this || client().lifecycle().isClosing()) {
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
        client().loop().post(now -> {
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
        client().loop().post(now -> {
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
        client().loop().post(this::stop);
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
        return isAsked && !client().loop().machine().isToWithdraw(key());
    }

    // ---- asked for by a leadership, on any thread ----

    @Override
    public boolean knowsWhenWorkStops() {
        return true;
    }

    @Override
    public final void proclaim(WonLeadership leadership, String newValue) {
        election.context().proclaiming().proclaim(leadership, newValue);
    }

    @Override
    public final void latchedByCaller() {
        election.context().watchdog().lookNow();
    }

    @Override
    public final void mustStop(WonLeadership leadership) {
        election.context().overruns().ended(leadership);
    }

    @Override
    public final void overran(WonLeadership leadership) {
        election.context().overruns().overrun(leadership);
    }
}
