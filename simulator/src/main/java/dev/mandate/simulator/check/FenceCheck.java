package dev.mandate.simulator.check;

/** One guarded resource per election: it admits a write only if its token is at least the newest it has seen. */
public final class FenceCheck {
    private final Judge judge;
    private final long[] newest;
    private final long[] accepted;

    /** For {@code elections} elections. */
    public FenceCheck(int elections, Judge judge) {
        this.judge = judge;
        this.newest = new long[elections];
        this.accepted = new long[elections];
    }

    /**
     * A write arrives; the guard decides.
     *
     * @param valid whether the writer is the one candidate that is believed at this instant
     * @return whether the write was admitted
     */
    public boolean write(int election, long token, boolean valid) {
        boolean admitted = token >= newest[election];
        if (!admitted && valid) {
            judge.violated(
                    Invariant.FENCE,
                    "the valid leader's write with token " + token + " in election " + election
                            + " was refused after token " + newest[election]);
        }
        return decided(election, token, admitted);
    }

    /** Checks what any guard decided. */
    public boolean decided(int election, long token, boolean admitted) {
        if (!admitted) {
            return false;
        }
        if (token < accepted[election]) {
            judge.violated(
                    Invariant.FENCE,
                    "token " + token + " was admitted in election " + election + " after token " + accepted[election]);
        }
        accepted[election] = Math.max(accepted[election], token);
        newest[election] = Math.max(newest[election], token);
        return true;
    }
}
