package dev.mandate.simulator.check;

/** What one client tells its observers of one election never goes back to an older term. */
public final class ViewCheck {
    private final Judge judge;
    private final String who;
    private long newest;

    /** {@code who} says in messages whose observers these are. */
    public ViewCheck(String who, Judge judge) {
        this.judge = judge;
        this.who = who;
    }

    /** Observers are told that this term leads. */
    public void led(long term) {
        if (term < newest) {
            judge.violated(Invariant.VIEW, who + " tells observers of term " + term + " after term " + newest);
        }
        newest = Math.max(newest, term);
    }

    /** All is healed and long enough quiet: what was told last is compared with what is true. */
    public void inTheEnd(String told, String truth) {
        if (!told.equals(truth)) {
            judge.violated(Invariant.VIEW, who + " tells observers '" + told + "'; true is '" + truth + "'");
        }
    }
}
