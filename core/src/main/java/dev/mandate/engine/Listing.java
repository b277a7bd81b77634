package dev.mandate.engine;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A listing that repeats while it is wanted: when to ask, where to continue, and what came of it. One client has one
 * for all elections that it holds under a session, and one for each prefix that it follows.
 *
 * <p>A page that does not come is requested again, ever less often, and the whole listing after a record check
 * interval. Elections that the listing does not reach meanwhile read for themselves.
 */
final class Listing {
    /** A listing of more pages than this is given up. */
    private static final int PAGES_MAX = 10_000;

    /** How often to list. */
    interface Rhythm {
        /** From the beginning of one listing to the next, before jitter, as of now. */
        long usualNanos();

        /** How long a page that did not come waits for its next try at most, before jitter. */
        long pauseMostNanos();

        /** How long a page is awaited at most, from a store that was seen to be slow. */
        long answerMostNanos();

        /** The age at which the first pages are too old to continue from. */
        long oldNanos();

        /**
         * When the next listing may begin at the earliest.
         *
         * @param beganNanos when the previous one began
         * @param endedNanos when its last page came
         * @param pages how many it took
         */
        long soonestNanos(long beganNanos, long endedNanos, int pages);
    }

    private final LeaseTiming timing;
    private final Entropy entropy;
    private final Retries retries;
    private final LongSupplier requests;
    private final Rhythm rhythm;

    private boolean wanted;
    private long dueAtNanos = Long.MAX_VALUE;
    private long beganNanos = Long.MIN_VALUE / 2;
    private long endedNanos = Long.MIN_VALUE / 2;
    private Cursor from = Cursor.START;
    private int pages;
    private int number;
    /** Since the last complete listing. */
    private int failures;

    private boolean again;
    private long request = -1;
    private long askedNanos;
    /** How long a page is awaited; longer after one did not come in time. */
    private long answerNanos;

    private @Nullable String fault;

    /** A listing once per record check interval. */
    Listing(LeaseTiming timing, Entropy entropy, Retries retries, LongSupplier requests) {
        this(timing, entropy, retries, requests, new Rhythm() {
            @Override
            public long usualNanos() {
                return timing.recordCheckIntervalNanos();
            }

            @Override
            public long pauseMostNanos() {
                return timing.recordCheckIntervalNanos();
            }

            @Override
            public long answerMostNanos() {
                return timing.requestTimeoutNanos();
            }

            @Override
            public long oldNanos() {
                return timing.recordCheckIntervalNanos();
            }

            @Override
            public long soonestNanos(long beganNanos, long endedNanos, int pages) {
                return beganNanos + timing.retryIntervalNanos();
            }
        });
    }

    Listing(LeaseTiming timing, Entropy entropy, Retries retries, LongSupplier requests, Rhythm rhythm) {
        this.timing = timing;
        this.entropy = entropy;
        this.retries = retries;
        this.requests = requests;
        this.rhythm = rhythm;
        this.answerNanos = timing.requestTimeoutNanos();
    }

    /** Whether any election needs the listing. */
    void want(boolean wanted, long nowNanos) {
        if (!wanted && request < 0) {
            dueAtNanos = Long.MAX_VALUE;
            from = Cursor.START;
            failures = 0;
        } else if (wanted && dueAtNanos == Long.MAX_VALUE) {
            dueAtNanos = nowNanos + intervalNanos();
        }
        this.wanted = wanted;
    }

    /**
     * A watch may have missed something. A listing under way, or whose next page waits for another try, may have begun
     * too early: another one follows. A failing listing is not hurried.
     */
    void hurry(long nowNanos) {
        if (request >= 0 || !from.equals(Cursor.START)) {
            again = true;
        } else if (failures == 0) {
            dueAtNanos = Math.min(dueAtNanos, soonestNanos(nowNanos));
        }
    }

    /** The next one is due at {@code atNanos}, or as soon after that as allowed; a failing one is not hurried. */
    void by(long atNanos) {
        if (failures == 0) {
            dueAtNanos = Math.min(dueAtNanos, soonestNanos(atNanos));
        }
    }

    /** The next one is due at the usual time, which may be sooner than planned; a failing one is not hurried. */
    void usually() {
        by(beganNanos + intervalNanos());
    }

    /** Whether the last one was complete, and the next one has not begun. */
    boolean isAtRest() {
        return request < 0 && failures == 0 && from.equals(Cursor.START);
    }

    /** When the one under way, or the last one, began. */
    long beganNanos() {
        return beganNanos;
    }

    /** The number of the one under way, or the last one; 0 before the first. */
    int number() {
        return number;
    }

    /** How many pages the one under way, or the last one, has taken. One page shows one instant. */
    int pages() {
        return pages + 1;
    }

    /** Whether {@code answered} is the request under way. */
    boolean awaits(long answered) {
        return request >= 0 && request == answered;
    }

    /** When the page under way was requested. */
    long askedNanos() {
        return askedNanos;
    }

    /**
     * A page was answered. If it was the last one, or the listing is given up, returns the event for what no page
     * showed; else null.
     */
    @Nullable
    ElectionEvent answered(Page<Observation> page, List<Action> out, long nowNanos) {
        request = -1;
        well(out);
        if (nowNanos - askedNanos < timing.requestTimeoutNanos()) {
            answerNanos = timing.requestTimeoutNanos();
        }
        Cursor next = page.after();
        if (next == null) {
            from = Cursor.START;
            failures = 0;
            endedNanos = nowNanos;
            dueAtNanos = soonestNanos(again ? nowNanos : beganNanos + intervalNanos());
            return new ElectionEvent.Swept(beganNanos, null);
        }
        if (next.equals(from) || ++pages >= PAGES_MAX) {
            from = Cursor.START;
            failures++;
            endedNanos = nowNanos;
            dueAtNanos = nowNanos + intervalNanos();
            return ElectionEvent.NotSwept.INSTANCE;
        }
        from = next;
        ask(out, nowNanos);
        return null;
    }

    /** A page did not come. If it was awaited for the full time, the next one is awaited for twice as long. */
    void failed(long nowNanos) {
        request = -1;
        failures++;
        if (nowNanos - askedNanos >= answerNanos) {
            answerNanos = Math.min(2 * answerNanos, rhythm.answerMostNanos());
        }
        dueAtNanos = nowNanos + retries.pauseNanos(failures, rhythm.pauseMostNanos(), nowNanos);
        if (!from.equals(Cursor.START)) {
            // What earlier pages showed is confirmed by the next listing alone.
            long nextAtNanos = Math.max(nowNanos + timing.retryIntervalNanos(), beganNanos + rhythm.oldNanos());
            dueAtNanos = Math.min(dueAtNanos, nextAtNanos);
        }
    }

    /** Listing is refused until somebody changes something. */
    void faulted(String message, List<Action> out, long nowNanos) {
        request = -1;
        failures++;
        from = Cursor.START;
        dueAtNanos = nowNanos + intervalNanos();
        if (!message.equals(fault)) {
            fault = message;
            out.add(new SweepFault(message));
        }
    }

    private void well(List<Action> out) {
        if (fault != null) {
            fault = null;
            out.add(new SweepFault(null));
        }
    }

    /** The page under way, if any, is no longer awaited. */
    boolean isOverdue(long nowNanos) {
        return request >= 0 && nowNanos - askedNanos >= answerNanos;
    }

    /** How long the next request is awaited. */
    long requestTimeoutNanos() {
        return answerNanos;
    }

    /** Asks if it is due. */
    void proceed(List<Action> out, long nowNanos) {
        if (wanted && request < 0 && nowNanos >= dueAtNanos) {
            if (from.equals(Cursor.START) || nowNanos - beganNanos >= rhythm.oldNanos()) {
                // The first pages are too old by now.
                from = Cursor.START;
                again = false;
                pages = 0;
                number++;
                beganNanos = nowNanos;
            }
            ask(out, nowNanos);
        }
    }

    private void ask(List<Action> out, long nowNanos) {
        request = requests.getAsLong();
        askedNanos = nowNanos;
        out.add(new SweepAction(request, answerNanos, from));
    }

    private long soonestNanos(long wantedNanos) {
        return Math.max(wantedNanos, rhythm.soonestNanos(beganNanos, endedNanos, pages()));
    }

    /** Randomly a little less than usual, so that clients which began together do not list together for ever. */
    private long intervalNanos() {
        long usual = rhythm.usualNanos();
        return usual - entropy.below(usual / 10 + 1);
    }

    long wakeAtNanos() {
        if (request >= 0) {
            return askedNanos + answerNanos;
        }
        return wanted ? dueAtNanos : Long.MAX_VALUE;
    }
}
