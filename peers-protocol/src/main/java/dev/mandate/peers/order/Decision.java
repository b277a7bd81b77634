package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;

/** What is remembered of one election while its order is being determined. */
abstract sealed class Decision permits Bully.Ballot, Ring.Lap {
    final RecordKey key;

    /** This member's place, as far as known. */
    int place = OrderAction.Placed.UNKNOWN;

    /** The place that was last reported. */
    int told = OrderAction.Placed.UNKNOWN;

    /** When to give up on the place; {@code Long.MAX_VALUE} if nobody waits for one. */
    long placeUntilNanos = Long.MAX_VALUE;

    /** When to forget all this. */
    long keptUntilNanos;

    /** This member has seen the vacancy end. Kept so that peers that see it later disturb nobody. */
    boolean over;

    /** Its time in the {@link Agenda}. */
    long wakeAtNanos = Long.MAX_VALUE;

    long serial;

    Decision(RecordKey key) {
        this.key = key;
    }

    /** When something is due: the earliest of the common waits and those of this order. */
    final long dueAtNanos() {
        return Math.min(Math.min(placeUntilNanos, keptUntilNanos), waitsUntilNanos());
    }

    /** When something specific to this order is due; {@code Long.MAX_VALUE} for never. */
    abstract long waitsUntilNanos();
}
