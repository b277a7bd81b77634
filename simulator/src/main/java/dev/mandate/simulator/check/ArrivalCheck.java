package dev.mandate.simulator.check;

import java.util.List;

/**
 * Where candidates queue, all is well and the store tells of changes: who leads after the leader resigned. All times
 * are true.
 */
public final class ArrivalCheck {
    private final Judge judge;

    /**
     * Somebody who waits and could lead.
     *
     * @param who has the place
     * @param since when the record of the place was written
     */
    public record Place(String who, long since) {}

    /** Tells {@code judge}. */
    public ArrivalCheck(Judge judge) {
        this.judge = judge;
    }

    /**
     * {@code next} leads.
     *
     * @param places of those who waited when the leader resigned. Whoever is not among them came after all of them
     * @param slackNanos two that came within that may come in either order
     * @param countsFrom two of which the later one came before that may come in either order
     */
    public void leads(String next, List<Place> places, long slackNanos, long countsFrom) {
        Place own = null;
        for (Place place : places) {
            own = place.who.equals(next) ? place : own;
        }
        for (Place other : places) {
            boolean isBefore = own == null || other.since + slackNanos < own.since && own.since > countsFrom;
            if (isBefore) {
                judge.violated(
                        Invariant.ARRIVAL,
                        next + " leads next, which " + (own == null ? "had no place" : "waits since " + own.since)
                                + ", but " + other.who + " has waited since " + other.since);
            }
        }
    }

    /**
     * Nobody has led for so long since a release, though somebody waits who has to wait for nobody else for longer than
     * {@code mostNanos}.
     */
    public void nobodyLeads(long sinceNanos, long mostNanos) {
        if (sinceNanos > mostNanos) {
            judge.violated(
                    Invariant.ARRIVAL,
                    "nobody takes what was released " + sinceNanos / 1_000
                            + " us ago, though somebody waits who need not");
        }
    }
}
