package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;

/** What is remembered of one election while it is decided who tries first. */
abstract sealed class Decision permits Bully.Ballot, Ring.Lap {
    final RecordKey key;

    /** This member's place, as far as it is known. */
    int place = OrderAction.Placed.UNKNOWN;

    /** What was said of it last. */
    int told = OrderAction.Placed.UNKNOWN;

    /** When the place is given up; {@code Long.MAX_VALUE} where nobody waits for one. */
    long placeUntilNanos = Long.MAX_VALUE;

    /** From then on all this is forgotten. */
    long keptUntilNanos;

    /**
     * The vacancy that this was about has ended, as this member sees it: kept so that peers who see it later disturb
     * nobody.
     */
    boolean over;

    /** Where it is in the {@link Agenda}. */
    long wakeAtNanos = Long.MAX_VALUE;

    long serial;

    Decision(RecordKey key) {
        this.key = key;
    }

    /** When something is due; the earliest of what all orders wait for and what this one does. */
    final long dueAtNanos() {
        return Math.min(Math.min(placeUntilNanos, keptUntilNanos), waitsUntilNanos());
    }

    /** When something of this order's own is due; {@code Long.MAX_VALUE} for never. */
    abstract long waitsUntilNanos();
}
