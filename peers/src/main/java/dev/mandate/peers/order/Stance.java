package dev.mandate.peers.order;

/** How this member stands towards one election. */
public sealed interface Stance {
    /** It does not stand, cools down, or cannot lead: others need not wait for it. */
    enum Absent implements Stance {
        INSTANCE
    }

    /**
     * It stands, and sees no vacancy.
     *
     * @param term of the leader it sees, more than 0; 0 if it knows none
     */
    record Following(long term) implements Stance {}

    /** It stands, may try now, and sees a vacancy: it wants to know its place. */
    enum Seeking implements Stance {
        INSTANCE
    }

    /** It won {@code term}, and has yet to wait before it leads. */
    record Settling(long term) implements Stance {}

    /** It leads {@code term}. */
    record Leading(long term) implements Stance {}
}
