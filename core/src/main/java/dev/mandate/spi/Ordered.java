package dev.mandate.spi;

/**
 * What a store may implement beside {@link ElectionStore} if it says who tries first. A client asks for it with {@code
 * instanceof}.
 *
 * <p>An order never decides who leads: every acquire is as conditional as without one, and an order only makes some of
 * them later. A candidate that is told place n tries n steps after it was told; one without a place, or with a place
 * from {@link #STEPS_MAX} on, tries that many steps after it saw the vacancy. No message of the order can put that off,
 * so an order that breaks becomes a race. A step is the lease divided by {@link #STEPS_PER_LEASE}.
 *
 * <p>What crosses this interface, in both directions, is a level and not a command: it may be said again, which changes
 * nothing; if it is lost, that costs a wait and nothing else.
 */
public interface Ordered {
    /** The most steps that anybody waits for its turn. */
    int STEPS_MAX = 8;

    /** How many steps a lease has. */
    int STEPS_PER_LEASE = 50;

    /**
     * Who tries first, for people: the end of a sentence that begins with "First to try is", such as {@code "the last
     * named member that stands"}. Constant, answered at once, on any thread.
     */
    String first();

    /**
     * This client stands towards {@code key} like this from now on. At the start of a client it is {@link
     * Stance.Absent} everywhere. {@link Stance.Seeking} asks for a place; others may be answered with one, which is
     * dropped.
     *
     * <p>Called on the client's loop, as the methods of {@link ElectionStore} are; must not block, and may call the
     * listener before it returns. What it throws is logged, and the stance counts as lost.
     */
    void stands(RecordKey key, Stance stance);

    /**
     * Tells {@code listener} what the order says to this client, until the subscription is closed. Opened once, before
     * the first {@link #stands}, and closed with the client; after {@link Subscription#close()} returned, nothing is
     * told any more.
     *
     * <p>What it throws is logged; then the client asks again when it next begins to stand somewhere, and
     * tries last until then.
     */
    Subscription places(Listener listener);

    /** Whom an order tells. Both methods may be called on any thread, never block, and never throw. */
    interface Listener {
        /**
         * This client's place for the vacancy of {@code key}: so many that stand come before it. Replaces what was said
         * before for the same vacancy; dropped where this client does not seek one.
         *
         * @param place 0 or more; from {@link #STEPS_MAX} on, or less than 0, it is the last
         */
        void placed(RecordKey key, int place);

        /**
         * Somebody who comes before this client would like to lead {@code key}: {@code term} ends, as evicted, if this
         * client leads it.
         *
         * @param term any other than the one led is ignored
         */
        void askedToLeave(RecordKey key, long term);
    }
}
