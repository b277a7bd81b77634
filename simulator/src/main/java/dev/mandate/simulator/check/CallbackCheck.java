package dev.mandate.simulator.check;

import java.util.BitSet;

/** One client's announcements for one election: Begin and End alternate; nothing follows Withdrawn; one answer each. */
public final class CallbackCheck {
    private final Judge judge;
    private final String who;
    private long open;
    private boolean leads;
    private boolean silent;
    private long proclaimed;
    private final BitSet answered = new BitSet();

    /** {@code who} names the client and election in messages. */
    public CallbackCheck(String who, Judge judge) {
        this.judge = judge;
        this.who = who;
        this.silent = true;
    }

    /** The client campaigns again. */
    public void campaigned() {
        silent = false;
    }

    /** Begin was announced. */
    public void begun(long term) {
        if (leads) {
            judge.violated(Invariant.CALLBACKS, who + " begins term " + term + " before term " + open + " has ended");
        }
        if (silent) {
            judge.violated(Invariant.SILENCE, who + " begins term " + term + " although it does not stand");
        }
        leads = true;
        open = term;
    }

    /** End was announced. */
    public void ended(long term) {
        if (!leads || open != term) {
            judge.violated(
                    Invariant.CALLBACKS,
                    who + " ends term " + term + (leads ? " while it leads term " + open : " but does not lead"));
        }
        leads = false;
    }

    /** Withdrawn was announced. */
    public void withdrawn(boolean workRuns) {
        if (workRuns) {
            judge.violated(Invariant.CALLBACKS, who + " is withdrawn while its work runs");
        }
        if (leads) {
            judge.violated(Invariant.CALLBACKS, who + " is withdrawn while it leads term " + open);
        }
        if (silent) {
            judge.violated(Invariant.CALLBACKS, who + " is withdrawn twice");
        }
        silent = true;
    }

    /** The client asked for an acquire or an update. */
    public void wrote(String what) {
        if (silent) {
            judge.violated(Invariant.SILENCE, who + " asks for " + what + " although it does not stand");
        }
    }

    /** A proclaim command was given; commands are numbered from 1. */
    public void proclaims(long command) {
        proclaimed = command;
    }

    /** A proclaim command was answered. */
    public void proclaimed(long command) {
        if (command > proclaimed || answered.get((int) command)) {
            judge.violated(Invariant.CALLBACKS, who + " answers proclaim " + command + " twice, or unasked");
        }
        answered.set((int) command);
    }

    /** Whether every proclaim command was answered. */
    public boolean hasAnswered() {
        return answered.cardinality() == proclaimed;
    }

    /** Whether the last Begin has no End yet. */
    public boolean leads() {
        return leads;
    }

    /** Whether Withdrawn was announced, or the client never campaigned. */
    public boolean isSilent() {
        return silent;
    }
}
