package dev.mandate.simulator.check;

import java.util.ArrayList;
import java.util.List;

/** At most one term per election is believed after every event; work within its budget never runs beside another's. */
public final class BeliefCheck {
    private final Judge judge;
    private final List<List<Claim>> claims = new ArrayList<>();

    /** For {@code elections} elections. */
    public BeliefCheck(int elections, Judge judge) {
        this.judge = judge;
        for (int i = 0; i < elections; i++) {
            claims.add(new ArrayList<>(4));
        }
    }

    /** A term was announced. */
    public void begun(int election, Claim claim) {
        List<Claim> list = claims.get(election);
        list.add(claim);
        // First, because two terms that are both believed explain why the work of both runs.
        compare(election, list);
        for (Claim other : list) {
            if (other.candidate() != claim.candidate()
                    && other.isWorking()
                    && !other.isOverrun()
                    && !other.isWorkExcused()
                    && !claim.isExcused()) {
                judge.violated(
                        Invariant.EFFECTS,
                        "term " + claim.term() + " of candidate " + claim.candidate()
                                + " begins while the work of term " + other.term() + " of candidate "
                                + other.candidate() + " runs within its budget");
            }
        }
    }

    private void bothValid(int election, Claim one, Claim other) {
        judge.violated(
                Invariant.BELIEF,
                "candidates " + one.candidate() + " (term " + one.term() + ") and " + other.candidate() + " (term "
                        + other.term() + ") are both valid in election " + election);
    }

    /** The candidate's process is gone, with all it believed. */
    public void crashed(int candidate) {
        for (List<Claim> list : claims) {
            list.removeIf(claim -> claim.candidate() == candidate);
        }
    }

    /** Call it after every event. */
    public void afterEvent() {
        for (int e = 0; e < claims.size(); e++) {
            List<Claim> list = claims.get(e);
            if (list.size() > 1) {
                compare(e, list);
            }
        }
    }

    private void compare(int election, List<Claim> list) {
        Claim first = null;
        for (int i = list.size() - 1; i >= 0; i--) {
            Claim claim = list.get(i);
            boolean believed = claim.isBelieved();
            if (!believed && claim.isEnded() && !claim.isWorking()) {
                list.remove(i);
            } else if (believed && !claim.isExcused()) {
                if (first != null) {
                    bothValid(election, claim, first);
                }
                first = claim;
            }
        }
    }
}
