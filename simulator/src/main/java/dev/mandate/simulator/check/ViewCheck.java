package dev.mandate.simulator.check;

import dev.mandate.spi.Observation;
import org.jspecify.annotations.Nullable;

/** What one client tells its observers of one election happened, never goes back, and is right in the end. */
public final class ViewCheck {
    private final Judge judge;
    private final Chronicle chronicle;
    private final Silences silences;
    private final String who;
    private final int election;
    private long newest;
    /** How far in the chronicle it is, at the least. */
    private int at;

    /** {@code who} says in messages whose observers these are. */
    public ViewCheck(String who, int election, Chronicle chronicle, Silences silences, Judge judge) {
        this.judge = judge;
        this.chronicle = chronicle;
        this.silences = silences;
        this.who = who;
        this.election = election;
    }

    /** Observers are told that this record stands. */
    public void led(Observation.Held held) {
        if (!held.isForeign()) {
            if (held.term() < newest) {
                judge.violated(
                        Invariant.VIEW, who + " tells observers of term " + held.term() + " after term " + newest);
            }
            newest = Math.max(newest, held.term());
        }
        told(
                held,
                held + (held.isForeign() ? "" : " with value '" + held.record().value() + "'"));
    }

    /** Observers are told that nobody leads, where the store says so. */
    public void vacant() {
        told(null, "a vacancy");
    }

    /**
     * Observers are told that nobody leads, where silence suffices for that, whatever stands there.
     *
     * @param otherwise the lease of a holder that does not tell its own
     * @param rate how fast the clock runs that measured the silence
     * @param now true time
     */
    public void silent(long otherwise, double rate, long now) {
        if (!silences.wasSilent(election, otherwise, rate, chronicle.since(election, at), now)) {
            judge.violated(
                    Invariant.VIEW,
                    who + " tells observers of a vacancy, and the holder was never silent for its lease");
        }
    }

    private void told(Observation.@Nullable Held seen, String what) {
        int found = chronicle.find(election, seen, at);
        if (found == Chronicle.NEVER) {
            boolean ever = chronicle.find(election, seen, 0) != Chronicle.NEVER;
            judge.violated(
                    Invariant.VIEW,
                    who + " tells observers of " + what + (ever ? " after what came later" : ", which never was so"));
        } else {
            at = found;
        }
    }

    /** All is healed and long enough quiet: what was told last is compared with what is true. */
    public void inTheEnd(String told, String truth) {
        if (!told.equals(truth)) {
            judge.violated(Invariant.VIEW, who + " tells observers '" + told + "'; true is '" + truth + "'");
        }
    }
}
