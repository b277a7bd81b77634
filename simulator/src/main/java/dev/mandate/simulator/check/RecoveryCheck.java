package dev.mandate.simulator.check;

import java.util.Arrays;

/** The second half of a schedule: all faults are healed, and things have to come right within computed bounds. */
public final class RecoveryCheck {
    private static final long NOBODY = -1;

    private final Judge judge;
    private final long[] leaderBy;
    private final long[] cleanBy;
    private final long[] leader;

    /** For {@code elections} elections. */
    public RecoveryCheck(int elections, Judge judge) {
        this.judge = judge;
        this.leaderBy = new long[elections];
        this.cleanBy = new long[elections];
        this.leader = new long[elections];
        Arrays.fill(leader, NOBODY);
    }

    /**
     * Faults are healed, or the last consequence of one has come: by when somebody has to lead, and by when nothing may
     * be left behind. Puts off what was said before, never brings it forward.
     */
    public void healed(int election, long leaderByNanos, long cleanByNanos) {
        leaderBy[election] = Math.max(leaderBy[election], leaderByNanos);
        cleanBy[election] = Math.max(cleanBy[election], cleanByNanos);
    }

    /** Who leads at {@code nanos}: a term's number. {@code quiet}: nothing that happened before the healing is an excuse any more. */
    public void leads(int election, long term, boolean quiet, long nanos) {
        if (leader[election] != NOBODY && leader[election] != term && quiet && nanos > leaderBy[election]) {
            judge.violated(
                    Invariant.CALM,
                    "term " + leader[election] + " of election " + election + " gave way to " + term
                            + " although nothing is wrong");
        }
        leader[election] = term;
    }

    /** Nobody leads at {@code nanos}, although somebody stands. */
    public void nobodyLeads(int election, boolean quiet, long nanos) {
        boolean led = leader[election] != NOBODY;
        if (nanos > leaderBy[election] && (quiet || !led)) {
            judge.violated(
                    led ? Invariant.CALM : Invariant.LEADER,
                    "nobody leads election " + election + " " + (nanos - leaderBy[election]) / 1_000_000
                            + " ms after the bound");
        }
    }

    /** Something of an election is not yet as it has to be. */
    public void unclean(int election, Invariant what, String words, long nanos) {
        if (nanos > cleanBy[election]) {
            judge.violated(what, words);
        }
    }
}
