package dev.mandate.spi;

/**
 * Optional for an {@link ElectionStore} that says who tries first. A client checks for it with {@code instanceof}.
 *
 * <p>An order never decides who leads: every acquire is as conditional as without one, and the order only delays some.
 * A candidate with place n tries n steps after it was told. A candidate without a place, or with place {@link
 * #STEPS_MAX} or more, tries that many steps after it saw the vacancy. No message of the order can postpone that, so a
 * broken order becomes a race. A step is the lease divided by {@link #STEPS_PER_LEASE}.
 *
 * <p>Everything that crosses this interface, in both directions, is a state and not a command: repeating it changes
 * nothing, and losing it costs only a wait.
 */
public interface Ordered {
    /** The most steps that a candidate waits for its turn. */
    int STEPS_MAX = 8;

    /** How many steps a lease has. */
    int STEPS_PER_LEASE = 50;

    /**
     * Who tries first, for people: completes a sentence that begins with "First to try is", such as {@code "the last
     * named member that campaigns"}. Constant, answered at once, on any thread.
     */
    String first();

    /**
     * Reports this client's new stance towards {@code key}; before the first report it is {@link Stance.Absent}
     * everywhere. {@link Stance.Seeking} requests a place; an answer to any other stance is dropped.
     *
     * <p>Called on the client's loop, like the methods of {@link ElectionStore}; must not block, and may call the
     * listener before it returns. What it throws is logged, and the stance counts as lost.
     */
    void stands(RecordKey key, Stance stance);

    /**
     * Passes the order's messages for this client to {@code listener} until the subscription is closed. Opened once,
     * before the first {@link #stands}, and closed with the client. After {@link Subscription#close()} returned, the
     * listener is not called.
     *
     * <p>If this method throws, that is logged. The client calls it again when it next begins to campaign in an
     * election or to observe one, and tries last until then.
     */
    Subscription places(Listener listener);

    /** Receives the messages of an order. Both methods may be called on any thread, never block, and never throw. */
    interface Listener {
        /**
         * This client's place for the vacancy of {@code key}: how many candidates come before it. Replaces an earlier
         * place for the same vacancy; dropped if this client does not seek one.
         *
         * @param place 0 or more; from {@link #STEPS_MAX} on, or less than 0, it is the last
         */
        void placed(RecordKey key, int place);

        /**
         * A candidate that comes before this client wants to lead {@code key}: ends {@code term}, as evicted, if
         * this client leads it.
         *
         * @param term ignored unless this client leads that term
         */
        void askedToLeave(RecordKey key, long term);
    }
}
