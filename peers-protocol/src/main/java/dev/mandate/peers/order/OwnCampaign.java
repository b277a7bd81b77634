package dev.mandate.peers.order;

import dev.mandate.spi.Stance;

/** This member's stance towards one election, while it campaigns. */
final class OwnCampaign {
    Stance stance;

    /** The term whose leader this member has asked to leave; 0 for none. */
    long termAskedToEnd;

    /** The newest term that another member asked this one to end; 0 for none. */
    long termToEnd;

    /** The term for which {@link OrderAction.AskedToLeave} was reported; 0 for none. */
    long termSaid;

    OwnCampaign(Stance stance) {
        this.stance = stance;
    }

    boolean isSeeking() {
        return stance == Stance.Seeking.INSTANCE;
    }

    /** Whether this member holds the record of the election, settling or leading. */
    boolean isHolder() {
        return stance instanceof Stance.Settling || stance instanceof Stance.Leading;
    }
}
