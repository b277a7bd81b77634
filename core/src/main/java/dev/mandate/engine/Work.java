package dev.mandate.engine;

import dev.mandate.OverrunPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The work of the newest term, from its start until it is confirmed to have stopped, perhaps long after the term. While
 * it runs, its machine does not acquire.
 */
final class Work {
    private final ElectionSettings settings;
    private @Nullable Term running;
    private long overrunAtNanos = Long.MAX_VALUE;
    private long releaseAtNanos = Long.MAX_VALUE;
    private boolean overrun;
    private @Nullable SessionLease covering;

    Work(ElectionSettings settings) {
        this.settings = settings;
    }

    void begin(Term term) {
        running = term;
        overrun = false;
        overrunAtNanos = Long.MAX_VALUE;
        releaseAtNanos = Long.MAX_VALUE;
    }

    /** The term ended: the work has until {@code overrunAtNanos}, under {@code session} where one keeps the lease. */
    void stopBy(long overrunAtNanos, @Nullable SessionLease session) {
        if (running == null) {
            return;
        }
        this.overrunAtNanos = overrunAtNanos;
        // A step that failed half way is taken again.
        uncover();
        covering = session;
        if (session != null) {
            session.cover();
        }
    }

    /** The work of {@code term} has stopped; false if it is not the one that runs. */
    boolean stopped(long term) {
        if (running == null || running.number() != term) {
            return false;
        }
        running = null;
        uncover();
        return true;
    }

    /** The lease is no longer held for this work, whether or not it still runs. */
    void uncover() {
        if (covering != null) {
            covering.uncover();
            covering = null;
        }
    }

    boolean isRunning() {
        return running != null;
    }

    /** The term whose work runs. */
    @Nullable
    Term term() {
        return running;
    }

    /**
     * Judges the work; returns the term whose overrun is to be reported now, or null. If the machine was suspended
     * meanwhile, the budget may outlast the lease: then the end of the lease counts.
     */
    @Nullable
    Term judge(Now now) {
        if (running == null || overrun || overrunAtNanos == Long.MAX_VALUE) {
            return null;
        }
        if (now.monotonicNanos() < overrunAtNanos && !running.cell().window().isEndPassed(now)) {
            return null;
        }
        overrun = true;
        releaseAtNanos = settings.overrun() == OverrunPolicy.HOLD
                ? Long.MAX_VALUE
                : now.monotonicNanos() + settings.timing().leaseNanos();
        return running;
    }

    boolean isOverrun() {
        return running != null && overrun;
    }

    /** Whether the record may be released: the work has stopped, or has been covered for as long as the policy says. */
    boolean allowsRelease(long nowNanos) {
        return running == null || overrun && nowNanos >= releaseAtNanos;
    }

    /** When something changes by the passing of time alone; {@code Long.MAX_VALUE} for never. */
    long wakeAtNanos(long nowNanos) {
        long next = overrun ? releaseAtNanos : overrunAtNanos;
        return running == null || next <= nowNanos ? Long.MAX_VALUE : next;
    }
}
