package dev.mandate.peers.register;

import java.util.List;

/**
 * The status of a voter, for people.
 *
 * @param phase what it does
 * @param start its start
 * @param durable what is on its disk
 * @param quarantineLeftNanos 0 when it is over
 * @param silent the places of voters whose answer it waits for, or would like to have
 * @param keys for how many keys it holds something
 */
public record VoterStatus(
        Phase phase, Start start, DurableState durable, long quarantineLeftNanos, List<Integer> silent, int keys) {

    /** What a voter does. */
    public enum Phase {
        /** A lease granted by an earlier start may still run. */
        QUARANTINED,
        /** It asks the others whether its file is old. */
        CONFIRMING,
        /** Its file was missing, damaged or old: it asks the others for ceilings. */
        LEARNING,
        /** It promises and accepts. */
        VOTING
    }

    public VoterStatus {
        silent = List.copyOf(silent);
    }
}
