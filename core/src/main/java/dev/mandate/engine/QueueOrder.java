package dev.mandate.engine;

import dev.mandate.spi.StoreTraits;

/** What decides which of two candidates queued first. Never their clocks. */
public enum QueueOrder {
    /** The terms of their records, where the store's terms compare across keys. */
    BY_TERM,
    /** A number in their records, one above the highest that was listed; then the incarnation. */
    BY_NUMBER;

    /** The order on a store with {@code traits}. */
    public static QueueOrder of(StoreTraits traits) {
        return traits.ordersTerms() ? BY_TERM : BY_NUMBER;
    }
}
