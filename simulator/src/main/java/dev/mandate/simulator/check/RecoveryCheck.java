package dev.mandate.simulator.check;

import java.util.Arrays;

/** The second half of a schedule: all faults are healed, and all must come right within computed bounds. */
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
     * All faults are healed, or the last consequence of one has come. Sets by when somebody must lead and nothing may
     * be left behind; may postpone earlier bounds, never advances them.
     */
    public void healed(int election, long leaderByNanos, long cleanByNanos) {
        leaderBy[election] = Math.max(leaderBy[election], leaderByNanos);
        cleanBy[election] = Math.max(cleanBy[election], cleanByNanos);
    }

    /** The term that leads at {@code nanos}. {@code quiet}: nothing from before the healing is an excuse any more. */
    public void leads(int election, long term, boolean quiet, long nanos) {
        if (leader[election] != NOBODY && leader[election] != term && quiet && nanos > leaderBy[election]) {
            judge.violated(
                    Invariant.CALM,
                    "term " + leader[election] + " of election " + election + " gave way to " + term
                            + " although nothing is wrong");
        }
        leader[election] = term;
    }

    /** Nobody leads at {@code nanos} although somebody campaigns. */
    public void nobodyLeads(int election, boolean quiet, long nanos) {
        boolean led = leader[election] != NOBODY;
        if (nanos > leaderBy[election] && (quiet || !led)) {
            judge.violated(
                    led ? Invariant.CALM : Invariant.LEADER,
                    "nobody leads election " + election + " " + (nanos - leaderBy[election]) / 1_000_000
                            + " ms after the bound");
        }
    }

    /** Something about an election is not yet as it must be. */
    public void unclean(int election, Invariant what, String words, long nanos) {
        if (nanos > cleanBy[election]) {
            judge.violated(what, words);
        }
    }
}
