package dev.mandate.engine;

import dev.mandate.spi.StoreTraits;

/** How it is known which of two candidates took its place in a queue first. Never by their clocks. */
public enum QueueOrder {
    /** By the terms of their records: where the store's terms compare across keys. */
    BY_TERM,
    /** By a number in their records, one above the highest that was listed; then by incarnation. */
    BY_NUMBER;

    /** That of a store with {@code traits}. */
    public static QueueOrder of(StoreTraits traits) {
        return traits.ordersTerms() ? BY_TERM : BY_NUMBER;
    }
}
