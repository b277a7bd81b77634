package dev.mandate.peers.order;

import dev.mandate.spi.Stance;

/** How this member stands towards one election, for as long as it stands. */
final class Standing {
    Stance stance;

    /** The term whose leader this member has asked to leave; 0 for none. */
    long termAskedToEnd;

    /** The newest term that somebody else would like this member to end; 0 for none. */
    long termToEnd;

    /** The term of which {@link OrderAction.AskedToLeave} was said; 0 for none. */
    long termSaid;

    Standing(Stance stance) {
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
