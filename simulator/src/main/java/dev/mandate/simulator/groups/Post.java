package dev.mandate.simulator.groups;

import dev.mandate.engine.View;
import dev.mandate.simulator.check.CallbackCheck;
import dev.mandate.simulator.check.TurnCheck;
import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/** One client's part in one election. */
final class Post {
    final int election;
    final RecordKey key;
    final CallbackCheck callbacks;
    final TurnCheck turns;
    boolean stands;
    View told = View.UNKNOWN;

    @Nullable
    GroupReign reign;

    /** The newest attempt. */
    @Nullable
    Id attempt;

    @Nullable
    String hintedValue;

    long proclaims;
    /** How many terms in a row ended in a way that calls for a cool-down. */
    private int endsInARow;
    /** The latest true time at which its cool-down ends. */
    private long coolUntil;
    /** By when its node must tell its place, by its clock; {@code Long.MAX_VALUE} for never. */
    long placeByNanos = Long.MAX_VALUE;

    Post(Client client, int election) {
        String who = client.process + " in election " + election;
        this.election = election;
        this.key = GroupWorld.key(election);
        this.callbacks = new CallbackCheck(who, client.world.judge);
        this.turns = new TurnCheck(who, client.timing.stepNanos(), false, client.world.judge);
    }

    boolean isWorking() {
        GroupReign last = reign;
        return last != null && last.isWorking;
    }

    /** The term that is announced and has not ended, or null. */
    @Nullable
    GroupReign open() {
        GroupReign last = reign;
        return last == null || last.isEnded ? null : last;
    }

    /** A term ended by will: extends the time that the cool-down may take. */
    void coolDown(Client client, long now) {
        endsInARow++;
        long most = client.timing.drainTimeoutNanos()
                + 2 * client.timing.requestTimeoutNanos()
                + client.timing.coolDownNanos(endsInARow);
        coolUntil = Math.max(coolUntil, now + client.process.clock.trueNanos(most));
    }

    long coolUntil() {
        return coolUntil;
    }
}
