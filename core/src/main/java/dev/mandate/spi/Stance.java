package dev.mandate.spi;

/** How a candidate stands towards one election, as an {@link Ordered} store is told. */
public sealed interface Stance {
    /** It does not stand, cools down, or cannot lead for another reason: others need not wait for it. */
    enum Absent implements Stance {
        INSTANCE;

        @Override
        public String toString() {
            return "Absent";
        }
    }

    /**
     * It stands, and sees no vacancy.
     *
     * @param term of the leader it sees, more than 0; 0 if it knows none
     */
    record Following(long term) implements Stance {}

    /** It stands, and sees a vacancy that it may take: it wants to know its place. */
    enum Seeking implements Stance {
        INSTANCE;

        @Override
        public String toString() {
            return "Seeking";
        }
    }

    /**
     * It won, and has yet to wait before it leads.
     *
     * @param term that it won, more than 0
     */
    record Settling(long term) implements Stance {}

    /**
     * It leads.
     *
     * @param term that it leads, more than 0
     */
    record Leading(long term) implements Stance {}
}
