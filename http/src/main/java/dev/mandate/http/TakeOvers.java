package dev.mandate.http;

import dev.mandate.ElectionChange;
import dev.mandate.Leader;
import dev.mandate.TermEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** The last {@value #MOST} take-overs that were seen. Pure: it has neither clock nor thread. Not thread-safe. */
final class TakeOvers {
    /** How many are remembered. */
    static final int MOST = 100;

    private final Deque<TakeOver> last = new ArrayDeque<>();
    private boolean isBegun;
    private long number;

    /**
     * Takes in {@code changes}, seen at {@code atMillis} of the wall clock. Those of the first call show who led from
     * the start: they are no take-overs.
     *
     * @return the take-overs among them, oldest first
     */
    List<TakeOver> told(List<ElectionChange> changes, long atMillis) {
        List<TakeOver> seen = new ArrayList<>();
        if (isBegun) {
            for (ElectionChange change : changes) {
                Leader to = change.after();
                if (to != null && change.isTakeOver()) {
                    seen.add(of(change, to, atMillis));
                }
            }
        }
        isBegun = true;
        last.addAll(seen);
        while (last.size() > MOST) {
            last.removeFirst();
        }
        return seen;
    }

    private TakeOver of(ElectionChange change, Leader to, long atMillis) {
        TermEnd end = change.end();
        TermEnd.Cause cause = end == null ? TermEnd.Cause.UNKNOWN : end.cause();
        return new TakeOver(
                ++number,
                change.election(),
                atMillis,
                end == null ? change.before() : end.former(),
                to,
                end == null ? 0 : Math.max(0, end.vacant().toMillis()),
                cause.name().toLowerCase(Locale.ROOT));
    }

    /** The last ones, oldest first. */
    List<TakeOver> all() {
        return List.copyOf(last);
    }
}
