package dev.mandate.internal;

import dev.mandate.engine.LeaseCell;
import dev.mandate.engine.Now;
import dev.mandate.engine.SessionLease;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One cell that the {@link Watchdog} guards, and the terms it bounds. Under the watchdog's lock. */
final class Guarded implements Comparable<Guarded> {
    private final LeaseCell cell;
    private final @Nullable SessionLease session;
    private final List<WonLeadership> terms = new ArrayList<>(1);
    /** When the cell is looked at next. */
    long lookAtNanos;

    Guarded(LeaseCell cell, @Nullable SessionLease session, Now now) {
        this.cell = cell;
        this.session = session;
        this.lookAtNanos = stopAtNanos(now);
    }

    LeaseCell cell() {
        return cell;
    }

    /** The session whose lease it is; null if the lease is that of one record. */
    @Nullable
    SessionLease session() {
        return session;
    }

    List<WonLeadership> terms() {
        return terms;
    }

    /** When its stop passes, by the first clock to say so. */
    long stopAtNanos(Now now) {
        return cell.window().stopAtNanos(now);
    }

    boolean isOver(Now now) {
        return cell.check(() -> now) != LeaseCell.Verdict.OPEN;
    }

    @Override
    public int compareTo(Guarded other) {
        return Long.compare(lookAtNanos - other.lookAtNanos, 0);
    }

    void add(WonLeadership term) {
        int at = terms.size();
        terms.add(term);
        term.guardedAt = at;
    }

    void remove(WonLeadership term) {
        int at = term.guardedAt;
        if (at < 0 || at >= terms.size() || terms.get(at) != term) {
            return;
        }
        WonLeadership last = terms.remove(terms.size() - 1);
        if (last != term) {
            terms.set(at, last);
            last.guardedAt = at;
        }
        term.guardedAt = -1;
    }

    /** It is over: its terms are guarded no more. */
    void forget() {
        terms.forEach(term -> term.guardedAt = -1);
    }
}
