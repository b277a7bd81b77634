package dev.mandate.peers.register;

/**
 * The settings of a voter.
 *
 * @param group all voters
 * @param self this one's place among them
 * @param quarantineNanos the longest lease of the whole group; nothing longer is accepted
 * @param ceilingStep how far the ceiling is raised beyond what is needed, in counters, which are about milliseconds;
 *     positive
 * @param joinNanos how long to wait for an answer to a {@link Message.Join} before it is sent again
 */
public record VoterSettings(Group group, int self, long quarantineNanos, long ceilingStep, long joinNanos) {
    public VoterSettings {
        if (!group.has(self)) {
            throw new IllegalArgumentException("place of a voter is " + self + " in a group of " + group.voters());
        }
        if (quarantineNanos <= 0 || ceilingStep <= 0 || joinNanos <= 0) {
            throw new IllegalArgumentException("quarantine, ceiling step and join interval are " + quarantineNanos
                    + " ns, " + ceilingStep + " and " + joinNanos + " ns; all must be positive");
        }
    }
}
