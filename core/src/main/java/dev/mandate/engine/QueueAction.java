package dev.mandate.engine;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/** What a candidate that queues wants done, beside what the election and its place in the queue want. */
public sealed interface QueueAction extends Action {
    /** Which of all queues that this client ever followed. */
    long number();

    /** Tell what the store's watch tells of what stands below {@code prefix}. Asked for before the first page. */
    record Follow(long number, RecordKey prefix) implements QueueAction {}

    /** Tell no more. */
    record Leave(long number) implements QueueAction {}

    /**
     * List one page of what stands below {@code prefix}; see {@link SweepAction}. {@code request} is unique within one
     * {@code number}.
     */
    record ListPage(long number, RecordKey prefix, long request, long timeoutNanos, Cursor from)
            implements QueueAction {}

    /**
     * The queue cannot be listed until somebody changes something; null: no longer. For status: everybody tries last
     * meanwhile.
     */
    record Fault(long number, RecordKey prefix, @Nullable String message) implements QueueAction {}
}
