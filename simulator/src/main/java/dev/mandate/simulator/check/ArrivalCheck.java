package dev.mandate.simulator.check;

import java.util.List;

/**
 * Checks who leads after a leader resigned, where candidates queue, all is well and the store notifies of changes.
 * Times are true times.
 */
public final class ArrivalCheck {
    private final Judge judge;

    /**
     * A candidate that waits and could lead.
     *
     * @param who has the place
     * @param since when the record of the place was written
     */
    public record Place(String who, long since) {}

    /** Reports to {@code judge}. */
    public ArrivalCheck(Judge judge) {
        this.judge = judge;
    }

    /**
     * {@code next} leads.
     *
     * @param places of those who waited when the leader resigned; all others came later
     * @param slackNanos places written at most this far apart may lead in either order
     * @param countsFrom the order is free if {@code next} got its place by then
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
     * Nobody has led for {@code sinceNanos} since a release, though some candidate need wait only {@code mostNanos}.
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
