package dev.mandate.spi;

/** What a candidate does in one election, as reported to an {@link Ordered} store. */
public sealed interface Stance {
    /** It does not campaign, cools down, or cannot lead for another reason: others need not wait for it. */
    enum Absent implements Stance {
        INSTANCE;

        @Override
        public String toString() {
            return "Absent";
        }
    }

    /**
     * It campaigns, and sees no vacancy.
     *
     * @param term of the leader it sees, more than 0; 0 if it knows none
     */
    record Following(long term) implements Stance {}

    /** It campaigns, and sees a vacancy that it may take: it requests its place. */
    enum Seeking implements Stance {
        INSTANCE;

        @Override
        public String toString() {
            return "Seeking";
        }
    }

    /**
     * It won, and must wait before it leads.
     *
     * @param term the term that it won, more than 0
     */
    record Settling(long term) implements Stance {}

    /**
     * It leads.
     *
     * @param term the term that it leads, more than 0
     */
    record Leading(long term) implements Stance {}
}
