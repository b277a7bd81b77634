package dev.mandate.peers.register;

/**
 * The configured voters, by their places in the list that all members share.
 *
 * @param voters how many there are, 1 to {@value #VOTERS_MAX}
 */
public record Group(int voters) {
    /** The largest group. */
    public static final int VOTERS_MAX = 32;

    public Group {
        if (voters < 1 || voters > VOTERS_MAX) {
            throw new IllegalArgumentException("a group of " + voters + " voters; the bounds are 1 and " + VOTERS_MAX);
        }
    }

    /** The smallest number of voters such that any two such sets share a member. */
    public int majority() {
        return voters / 2 + 1;
    }

    /** How many other voters must answer so that every majority, even one with the voter that asks, includes one. */
    public int witnesses() {
        return voters - majority() + 1;
    }

    /** Whether this is a voter's place. */
    public boolean has(int voter) {
        return voter >= 0 && voter < voters;
    }
}
