package dev.mandate.simulator.check;

import dev.mandate.spi.Id;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Terms rise strictly, and each record in the store keeps its attempt's term and leave flag. */
public final class TermCheck {
    private final Judge judge;
    private final long[] highest;
    private final @Nullable Id[] attempts;
    private final long[] terms;
    private final boolean[] leaves;
    private final boolean[] vacant;

    /** For {@code elections} elections. */
    public TermCheck(int elections, Judge judge) {
        this.judge = judge;
        this.highest = new long[elections];
        this.attempts = new @Nullable Id[elections];
        this.terms = new long[elections];
        this.leaves = new boolean[elections];
        this.vacant = new boolean[elections];
        Arrays.fill(highest, 0);
    }

    /** A term was announced; {@code excused}: it was forced out before its Begin, which may then come late. */
    public void begun(int election, long term, boolean excused) {
        if (term <= highest[election] && !excused) {
            judge.violated(
                    Invariant.TERMS,
                    "term " + term + " begins in election " + election + " after term " + highest[election]);
        }
        highest[election] = Math.max(highest[election], term);
    }

    /** A write left this record of ours in the store. */
    public void stands(int election, Id attempt, long term, boolean leave) {
        boolean again = vacant[election] && term != terms[election];
        if (attempt.equals(attempts[election]) && !again) {
            if (term != terms[election]) {
                judge.violated(
                        Invariant.TERMS,
                        "the term of one attempt in election " + election + " changed from " + terms[election] + " to "
                                + term);
            }
            if (leaves[election] && !leave) {
                judge.violated(Invariant.RECORD, "an update in election " + election + " dropped the leave flag");
            }
        } else if (leave) {
            judge.violated(Invariant.RECORD, "an acquire in election " + election + " carried a leave flag");
        }
        attempts[election] = attempt;
        terms[election] = term;
        leaves[election] = leave;
        vacant[election] = false;
    }

    /**
     * No record of ours is left. If a duplicate request writes the same attempt again, that is another term. If the
     * store admits a renewal after expiry, it restores the old record.
     */
    public void vacated(int election) {
        vacant[election] = true;
    }

    /** The largest term announced so far. */
    public long highest(int election) {
        return highest[election];
    }
}
