package dev.mandate.engine;

import dev.mandate.EndReason;

/**
 * When to read and when to try again: poll, back-off, cool-down. Every pause has a minimum, so that no fault
 * makes a machine spin.
 */
final class Pace {
    /** How many refusals in a row, each by a new holder, cost no pause: a lost race should not delay the next. */
    private static final int FREE_REFUSALS = 2;

    private final LeaseTiming timing;
    private final Shared shared;
    private long readAtNanos;
    private long lastReadNanos;
    private boolean everRead;
    private boolean hintedSinceRead;
    /** Hints came before the last read was sent. */
    private boolean hintedBeforeRead;

    private long tryAtNanos = Long.MIN_VALUE;
    private long triedNanos;
    private boolean cooling;
    private int silences;
    private int refusals;
    private int doubts;
    private int endsInARow;
    private long endsCountUntilNanos = Long.MIN_VALUE;
    private long coolDownNanos;

    Pace(LeaseTiming timing, Shared shared) {
        this.timing = timing;
        this.shared = shared;
    }

    /** Begins to read, after a random part of the splay. */
    void start(long nowNanos) {
        readAtNanos = soonestNanos(nowNanos) + shared.entropy().below(timing.splayNanos() + 1);
    }

    private long soonestNanos(long nowNanos) {
        return everRead ? Math.max(nowNanos, lastReadNanos + timing.retryIntervalNanos()) : nowNanos;
    }

    /** When to read next. */
    long readAtNanos() {
        return readAtNanos;
    }

    /**
     * From then on a new {@code Pace} would not make requests earlier or more often than this one, now or
     * after later terms.
     */
    long settledAtNanos() {
        long settled = everRead ? Math.max(tryAtNanos, lastReadNanos + timing.retryIntervalNanos()) : tryAtNanos;
        return endsInARow > 0 ? Math.max(settled, endsCountUntilNanos) : settled;
    }

    /** A new candidacy: terms that ended longer ago than the longest cool-down are not in a row with its own. */
    void newCandidacy(long nowNanos) {
        if (nowNanos >= endsCountUntilNanos) {
            endsInARow = 0;
        }
    }

    /** When an attempt may be made next. */
    long tryAtNanos() {
        return tryAtNanos;
    }

    /** Whether the present pause is a cool-down. */
    boolean isCooling(long nowNanos) {
        return cooling && nowNanos < tryAtNanos;
    }

    /** A read was sent. Even if it is abandoned for a write, the next read keeps its distance. */
    void reading(long nowNanos) {
        everRead = true;
        hintedBeforeRead = hintedSinceRead;
        hintedSinceRead = false;
        lastReadNanos = nowNanos;
        readAtNanos = nowNanos + timing.retryIntervalNanos();
    }

    /** The store answered a read: read again after a poll. */
    void heard(long nowNanos) {
        silences = 0;
        readAtNanos = nowNanos + shared.entropy().jittered(timing.pollIntervalNanos());
    }

    /** Like {@link #heard}, for a follower that does not campaign, while hints work. */
    void heardOnlooking(long nowNanos) {
        silences = 0;
        readAtNanos = nowNanos + shared.entropy().jittered(timing.hintedPollIntervalNanos());
    }

    /** Read at that time at the latest, but not more often than retries are spaced. */
    void lookBy(long atNanos) {
        readAtNanos = Math.min(readAtNanos, soonestNanos(atNanos));
    }

    /**
     * A read at that time may show something: read then, if that is before the next read, or at once if it passed while
     * the last read was under way. If the next read is due shortly before, it comes earlier, so that the one at that
     * time need not wait. No read is delayed.
     */
    void lookWhen(long atNanos, long nowNanos) {
        if (atNanos <= lastReadNanos) {
            return;
        }
        if (atNanos <= readAtNanos) {
            readAtNanos = Math.min(readAtNanos, soonestNanos(atNanos));
        } else if (atNanos - readAtNanos < timing.retryIntervalNanos()) {
            readAtNanos =
                    Math.min(readAtNanos, soonestNanos(Math.max(nowNanos, atNanos - timing.retryIntervalNanos())));
        }
    }

    /** Whether a hint caused the last read, or came after it was sent. */
    boolean isHinted() {
        return hintedBeforeRead || hintedSinceRead;
    }

    /** Like {@link #heard}, but seldom: only a late record of ours is awaited. */
    void heardIdly(long nowNanos) {
        silences = 0;
        readAtNanos = nowNanos + shared.entropy().jittered(timing.recordCheckIntervalNanos());
    }

    /** A term ended: read after a poll, but not too soon after the last read, whose answer may never be heard. */
    void pause(long nowNanos) {
        heard(nowNanos);
        readAtNanos = Math.max(readAtNanos, soonestNanos(nowNanos));
    }

    /** Nothing to read for: the renewal, or the common listing, is the poll. */
    void park() {
        readAtNanos = Long.MAX_VALUE;
    }

    /** If {@code idle}, nothing to read for any more, except a hint. */
    void parkUnlessHinted(boolean idle) {
        if (idle && !hintedSinceRead) {
            park();
        }
    }

    /** Read at a random time within {@code spanNanos}, but not more often than retries are spaced. */
    void lookWithin(long nowNanos, long spanNanos) {
        if (readAtNanos - spanNanos > nowNanos) {
            readAtNanos = Math.max(nowNanos + shared.entropy().below(spanNanos), soonestNanos(nowNanos));
        }
    }

    /** Read at once, but not more often than retries are spaced. */
    void lookSoon(long nowNanos) {
        readAtNanos = Math.min(readAtNanos, soonestNanos(nowNanos));
    }

    /** The outcome of a write is unknown: read as soon as the budget allows, after a poll at the latest. */
    void lookInDoubt(long nowNanos) {
        lookSoon(shared.retries().soonestNanos(timing.pollIntervalNanos(), nowNanos));
    }

    /** A hint came: read, and read again if a read was already under way, which may have been too early. */
    void hinted(long nowNanos) {
        hintedSinceRead = true;
        lookSoon(nowNanos);
    }

    /** An acquire is sent: hints from now on may show its outcome. */
    void acquiring(long nowNanos) {
        hintedSinceRead = false;
        triedNanos = nowNanos;
    }

    /** A hint of something else came while that write was under way: read as soon as it is answered. */
    void hintedWhileAcquiring() {
        hintedSinceRead = true;
    }

    /** A read was answered: read again if a hint came after it was sent. */
    void lookAgainIfHinted(long nowNanos) {
        if (hintedSinceRead) {
            lookSoon(nowNanos);
        }
    }

    /** A read was not answered: read again, ever less often, down to the usual rate. */
    void silent(long nowNanos, long usualNanos) {
        silences++;
        readAtNanos = nowNanos + shared.retries().pauseNanos(silences, usualNanos, nowNanos);
    }

    /** The store will not work until somebody changes something. */
    void faulted(long nowNanos) {
        readAtNanos = nowNanos + shared.entropy().jittered(timing.faultRetryNanos());
        tryAtNanos = Math.max(tryAtNanos, readAtNanos);
    }

    /** An attempt was refused; {@code byHolder}: somebody holds the key, so that the next vacancy is a new one. */
    void refused(long nowNanos, boolean byHolder, long retryAfterNanos) {
        refusals++;
        if (byHolder) {
            // A vacancy that refuses does not end doubts: tries that fail in either way become rarer together.
            doubts = 0;
        }
        long most = Math.min(timing.pollIntervalNanos(), timing.retryIntervalNanos() << Math.min(refusals, 10));
        long pause = byHolder && refusals <= FREE_REFUSALS
                ? 0
                : most / 2 + shared.entropy().below(most / 2 + 1);
        // A store may state any time; another refusal is cheap.
        holdOff(nowNanos + Math.max(pause, Math.min(retryAfterNanos, timing.coolDownNanos(Integer.MAX_VALUE))));
    }

    /** A read showed a holder, or about a poll has passed without an attempt: the next race starts afresh. */
    void calm(boolean isHeld, long nowNanos) {
        if (isHeld || nowNanos - triedNanos >= timing.pollIntervalNanos() / 2) {
            refusals = 0;
        }
    }

    /** It is unknown whether an attempt landed: pauses before the next one grow, up to the poll. */
    void doubted(long nowNanos) {
        doubts++;
        holdOff(nowNanos + shared.retries().pauseNanos(doubts, timing.pollIntervalNanos(), nowNanos));
    }

    private void holdOff(long untilNanos) {
        if (untilNanos > tryAtNanos) {
            tryAtNanos = untilNanos;
            cooling = false;
        }
    }

    /**
     * The key was won: earlier reads say nothing of it, so the first read after it need not keep its
     * distance from them.
     */
    void won(long nowNanos) {
        refusals = 0;
        doubts = 0;
        everRead = false;
        park();
        lookAgainIfHinted(nowNanos);
    }

    /** A term that lasted {@code lastedNanos} ended. Store trouble needs no cool-down; all else does, and ever more. */
    void ended(EndReason reason, long lastedNanos) {
        // A candidate that cannot see its record leaves the election to others: it would only lead unseen again.
        boolean blind = reason == EndReason.UNSEEN;
        if (reason.isStoreTrouble() && !blind || reason == EndReason.WITHDRAWN) {
            return;
        }
        endsInARow = lastedNanos >= timing.coolDownNanos(Integer.MAX_VALUE) ? 1 : endsInARow + 1;
        coolDownNanos = timing.coolDownNanos(endsInARow);
    }

    /** That term's record and work are gone: only now can others lead, so the cool-down begins. */
    void stopped(long nowNanos) {
        if (coolDownNanos > 0) {
            tryAtNanos = Math.max(tryAtNanos, nowNanos + coolDownNanos);
            endsCountUntilNanos = nowNanos + timing.coolDownNanos(Integer.MAX_VALUE);
            cooling = true;
            coolDownNanos = 0;
        }
    }
}
