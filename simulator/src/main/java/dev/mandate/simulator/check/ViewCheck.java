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
    /** The earliest place in the chronicle that it can have reached. */
    private int at;

    /** {@code who} names the client in messages. */
    public ViewCheck(String who, int election, Chronicle chronicle, Silences silences, Judge judge) {
        this.judge = judge;
        this.chronicle = chronicle;
        this.silences = silences;
        this.who = who;
        this.election = election;
    }

    /** Observers are told that the key holds this record. */
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

    /** Observers are told that nobody leads, because the key is vacant. */
    public void vacant() {
        told(null, "a vacancy");
    }

    /**
     * Observers are told that nobody leads because the holder was silent, whatever the key holds.
     *
     * @param otherwise the lease of a holder whose record does not say it
     * @param rate the rate of the clock that measured the silence
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

    /** All is healed and has been quiet long enough: compares what was told last with the truth. */
    public void inTheEnd(String told, String truth) {
        if (!told.equals(truth)) {
            judge.violated(Invariant.VIEW, who + " tells observers '" + told + "'; true is '" + truth + "'");
        }
    }
}
