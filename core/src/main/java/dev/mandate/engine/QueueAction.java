package dev.mandate.engine;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/** What a queueing candidate wants done, beside what the election and its place in the queue want. */
public sealed interface QueueAction extends Action {
    /** The number of the queue among all that this client ever followed. */
    long number();

    /** Report what the store's watch shows below {@code prefix}. Requested before the first page. */
    record Follow(long number, RecordKey prefix) implements QueueAction {}

    /** Report no more. */
    record Leave(long number) implements QueueAction {}

    /**
     * List one page of the records below {@code prefix}; see {@link SweepAction}. {@code request} is unique within
     * one {@code number}.
     */
    record ListPage(long number, RecordKey prefix, long request, long timeoutNanos, Cursor from)
            implements QueueAction {}

    /**
     * The queue cannot be listed until somebody changes something; null: no longer. For status: meanwhile
     * everybody tries last.
     */
    record Fault(long number, RecordKey prefix, @Nullable String message) implements QueueAction {}
}
