package dev.mandate.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notices that the user's executor queues what it should start at once. A queued task holds a term and does no work; a
 * queued callback is news that nobody hears.
 *
 * <p>The loop looks now and then, at times it is awake anyway. A piece is late if a look finds it waiting for longer
 * than the drain budget, and another finds it still: after a suspension a single look would accuse an executor that had
 * no time.
 */
final class LateStarts {
    private static final long SPACING_NANOS = 60_000_000_000L;

    private final Set<Piece> waiting = ConcurrentHashMap.newKeySet();

    // On the loop alone.
    private long nextLookNanos = Long.MIN_VALUE;
    private long nextLineNanos = Long.MIN_VALUE;

    /** A piece of work on its way to its first instruction. */
    private final class Piece implements Runnable {
        private final Runnable work;
        // On the loop alone.
        private boolean isSeen;
        private boolean isDue;
        private long seenNanos;

        Piece(Runnable work) {
            this.work = work;
        }

        @Override
        public void run() {
            waiting.remove(this);
            work.run();
        }

        boolean isLate(long nowNanos, long budgetNanos) {
            if (!isSeen) {
                isSeen = true;
                seenNanos = nowNanos;
                return false;
            }
            boolean wasDue = isDue;
            isDue = nowNanos - seenNanos >= budgetNanos;
            return wasDue;
        }
    }

    /** {@code work}, watched from now until it starts, or {@link #refused}. Any thread. */
    Runnable watched(Runnable work) {
        Piece piece = new Piece(work);
        waiting.add(piece);
        return piece;
    }

    /** The executor did not take what {@link #watched} returned. Any thread. */
    void refused(Runnable piece) {
        waiting.remove(piece);
    }

    /** Warns, at most once a minute, if anything is late. On the loop. */
    void look(long nowNanos, long budgetNanos, Journal journal) {
        if (waiting.isEmpty() || nowNanos < nextLookNanos) {
            return;
        }
        nextLookNanos = nowNanos + budgetNanos / 4;
        int late = 0;
        for (Piece piece : waiting) {
            late += piece.isLate(nowNanos, budgetNanos) ? 1 : 0;
        }
        if (late > 0 && nowNanos >= nextLineNanos) {
            nextLineNanos = nowNanos + SPACING_NANOS;
            journal.warn(
                    "the executor queues: " + late + " tasks or callbacks have not started within "
                            + budgetNanos / 1_000_000 + "ms; set one that starts each at once, such as"
                            + " Executors.newCachedThreadPool(), or none",
                    null);
        }
    }
}
