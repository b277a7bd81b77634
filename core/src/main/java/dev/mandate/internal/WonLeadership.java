package dev.mandate.internal;

import dev.mandate.EndReason;
import dev.mandate.FencingToken;
import dev.mandate.Leadership;
import dev.mandate.LeadershipLostException;
import dev.mandate.engine.LeaseCell;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import dev.mandate.engine.Term;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One term as its holder sees it. Two things end it, each for good: the reason here, set once by the first to end the
 * term, and the machine's cell, latched by the first to see its stop passed.
 */
final class WonLeadership implements Leadership {
    private static final VarHandle REASON;
    private static final VarHandle REPORTED;

    static {
        try {
            REASON = MethodHandles.lookup().findVarHandle(WonLeadership.class, "reason", EndReason.class);
            REPORTED = MethodHandles.lookup().findVarHandle(WonLeadership.class, "isReported", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final OwnCandidacy candidacy;
    private final Term term;
    private final @Nullable TaskRun run;
    private volatile @Nullable EndReason reason;
    private volatile boolean workStopped;

    @SuppressWarnings("UnusedVariable") // through its handle
    private volatile boolean isReported;

    private volatile boolean isStopRequested;

    private @Nullable CompletableFuture<EndReason> lost;
    private @Nullable CompletableFuture<Void> toldToStop;

    /** The index in the watchdog's list, for the watchdog alone. */
    int guardedAt = -1;

    WonLeadership(OwnCandidacy candidacy, Term term, @Nullable TaskRun run) {
        this.candidacy = candidacy;
        this.term = term;
        this.run = run;
    }

    private Client client() {
        return candidacy.election().client();
    }

    Term term() {
        return term;
    }

    @Nullable
    TaskRun run() {
        return run;
    }

    OwnCandidacy candidacy() {
        return candidacy;
    }

    @Nullable
    EndReason reason() {
        return reason;
    }

    // ---- for its holder ----

    @Override
    public String election() {
        return candidacy.election().name();
    }

    @Override
    public FencingToken fencingToken() {
        return new FencingToken(election(), term.number());
    }

    @Override
    public boolean isValid() {
        if (reason != null) {
            return false;
        }
        LeaseCell.Verdict verdict = term.check(client().clock());
        if (verdict == LeaseCell.Verdict.LATCHED_NOW) {
            end(term.cell().reason());
            client().latchedByCaller();
        }
        return verdict == LeaseCell.Verdict.OPEN && reason == null;
    }

    @Override
    public void ensureValid() {
        if (!isValid()) {
            throw lostException("is over");
        }
    }

    LeadershipLostException lostException(String what) {
        EndReason why = reason;
        EndReason known = why == null ? term.cell().reason() : why;
        return new LeadershipLostException(
                "term " + term.number() + " of election '" + election() + "' " + what + ": " + known
                        + "; stop, and do nothing more under its token",
                known);
    }

    @Override
    public Duration remaining() {
        return reason != null
                ? Duration.ZERO
                : Duration.ofNanos(term.remainingNanos(client().host().now()));
    }

    /** How long ago the last confirmed renewal was sent, by the clock that shows most. */
    Duration renewalAge(Now now) {
        LeaseWindow window = term.cell().window();
        return Duration.ofNanos(Math.max(0, window.stopNanos() - window.remainingNanos(now)));
    }

    @Override
    public void reportProgress() {
        if (run != null) {
            run.beat();
        }
    }

    @Override
    public boolean isStopRequested() {
        return isStopRequested || !isValid();
    }

    @Override
    public CompletionStage<Void> stopRequested() {
        CompletableFuture<Void> told;
        synchronized (this) {
            told = toldToStop;
            if (told != null) {
                return told.minimalCompletionStage();
            }
            told = new CompletableFuture<>();
            toldToStop = told;
        }
        if (isStopRequested || reason != null) {
            tellToStop();
        }
        return told.minimalCompletionStage();
    }

    /** Asks the work to end by itself. Any thread. */
    void requestStop() {
        isStopRequested = true;
        if (run != null) {
            run.toStop().complete(null);
        }
        tellToStop();
    }

    private void tellToStop() {
        CompletableFuture<Void> told;
        synchronized (this) {
            told = toldToStop;
        }
        if (told != null) {
            CompletableFuture<Void> known = told;
            client().callbacks().run(() -> known.complete(null));
        }
    }

    @Override
    public CompletionStage<EndReason> ended() {
        CompletableFuture<EndReason> told;
        synchronized (this) {
            told = lost;
            if (told != null) {
                return told.minimalCompletionStage();
            }
            told = new CompletableFuture<>();
            lost = told;
        }
        if (reason != null) {
            announceLoss(told);
        }
        return told.minimalCompletionStage();
    }

    private void announceLoss(CompletableFuture<EndReason> told) {
        client().callbacks().run(() -> told.complete(reason));
    }

    @Override
    public void proclaim(String value) {
        candidacy.election().requireValue(value);
        ensureValid();
        client().proclaiming().proclaim(this, value);
    }

    @Override
    public void resign() {
        candidacy.resign(this);
    }

    @Override
    public void close() {
        candidacy.closed(this);
    }

    // ---- ending, from any thread ----

    /**
     * Ends the term for {@code why}, unless it has ended already; tells everybody, and interrupts the work. Any thread.
     * Never throws: a notification that fails, for lack of memory or a thread, stops no other.
     */
    boolean end(EndReason why) {
        if (!endQuietly(why)) {
            return false;
        }
        interruptWork();
        return true;
    }

    private boolean endQuietly(EndReason why) {
        Duration left = Duration.ZERO;
        try {
            left = remaining();
        } catch (RuntimeException | Error e) {
            // Only the log needs it.
        }
        if (!REASON.compareAndSet(this, (EndReason) null, why)) {
            return false;
        }
        client().counters().ended(why);
        seeToOverrun();
        try {
            tellLoss();
        } catch (RuntimeException | Error e) {
            client().journal().warn("failed to announce the end of a term", e);
        }
        client().journal().ended(election(), term.number(), why.toString(), left);
        return true;
    }

    private void seeToOverrun() {
        try {
            client().overruns().ended(this);
        } catch (RuntimeException | Error e) {
            client().journal().warn("failed to handle an overrun", e);
        }
    }

    private void tellLoss() {
        CompletableFuture<EndReason> told;
        synchronized (this) {
            told = lost;
        }
        if (told != null) {
            announceLoss(told);
        }
        tellToStop();
        candidacy.changed();
    }

    /**
     * The lease is over: its stop has passed, or its cell was latched. Does not interrupt yet. A thread that ended the
     * term before may be paused, and may have told neither the user nor the watchdog.
     */
    void ranOut() {
        if (!endQuietly(term.cell().reason())) {
            seeToOverrun();
            tellLoss();
        }
    }

    /** Never throws. */
    void interruptWork() {
        if (run == null) {
            return;
        }
        try {
            run.interrupt();
        } catch (RuntimeException | Error e) {
            client().journal().warn("failed to interrupt a task", e);
        }
    }

    /** The work is known to have stopped. True for the first caller. */
    synchronized boolean stopWork() {
        boolean isFirst = !workStopped;
        workStopped = true;
        return isFirst;
    }

    boolean hasStopped() {
        return workStopped;
    }

    /** The deadline of the work has passed. */
    void overdue() {
        client().overruns().overrun(this);
    }

    /** True for the first caller, which reports the overrun. */
    boolean isFirstToReport() {
        return REPORTED.compareAndSet(this, false, true);
    }
}
