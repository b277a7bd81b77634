package dev.mandate.engine;

import dev.mandate.LossReason;

/**
 * When to look and when to try again: poll, back-off, cool-down. Everything is bounded from below, so that no fault makes a machine spin.
 */
final class Pace {
    /** So many refusals in a row, each by a new holder, cost no pause: losing a race is not a reason to be slow at the next. */
    private static final int FREE_REFUSALS = 2;

    private final LeaseTiming timing;
    private final Entropy entropy;
    private final Retries retries;
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

    Pace(LeaseTiming timing, Entropy entropy, Retries retries) {
        this.timing = timing;
        this.entropy = entropy;
        this.retries = retries;
    }

    /** Begins to look, after a random part of the splay. */
    void start(long nowNanos) {
        readAtNanos = soonestNanos(nowNanos) + entropy.below(timing.splayNanos() + 1);
    }

    private long soonestNanos(long nowNanos) {
        return everRead ? Math.max(nowNanos, lastReadNanos + timing.retryNanos()) : nowNanos;
    }

    /** When to read next. */
    long readAtNanos() {
        return readAtNanos;
    }

    /** From here on a new {@code Pace} would be neither earlier nor more often at the store than this one, now and after its next terms. */
    long settledAtNanos() {
        long settled = everRead ? Math.max(tryAtNanos, lastReadNanos + timing.retryNanos()) : tryAtNanos;
        return endsInARow > 0 ? Math.max(settled, endsCountUntilNanos) : settled;
    }

    /** A new candidacy: terms that ended longer ago than the longest cool-down lasts are not in a row with its own. */
    void stand(long nowNanos) {
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

    /** A read was sent; should it be abandoned for a write, the next one keeps its distance all the same. */
    void reading(long nowNanos) {
        everRead = true;
        hintedBeforeRead = hintedSinceRead;
        hintedSinceRead = false;
        lastReadNanos = nowNanos;
        readAtNanos = nowNanos + timing.retryNanos();
    }

    /** The store answered a read: look again after a poll. */
    void heard(long nowNanos) {
        silences = 0;
        readAtNanos = nowNanos + entropy.jittered(timing.pollNanos());
    }

    /** As {@link #heard}, for one that only follows who leads, while hints work. */
    void heardOnlooking(long nowNanos) {
        silences = 0;
        readAtNanos = nowNanos + entropy.jittered(timing.hintedPollNanos());
    }

    /** Look at that time at the latest, but not more often than retries are spaced. */
    void lookBy(long atNanos) {
        readAtNanos = Math.min(readAtNanos, soonestNanos(atNanos));
    }

    /**
     * Something may show to whoever asks at that time: look then, if that is before the next look, or at once if it
     * passed while the last read was under way. If the next look comes shortly before, it is made earlier, so that the
     * one at that time need not wait. None is put off.
     */
    void lookWhen(long atNanos, long nowNanos) {
        if (atNanos <= lastReadNanos) {
            return;
        }
        if (atNanos <= readAtNanos) {
            readAtNanos = Math.min(readAtNanos, soonestNanos(atNanos));
        } else if (atNanos - readAtNanos < timing.retryNanos()) {
            readAtNanos = Math.min(readAtNanos, soonestNanos(Math.max(nowNanos, atNanos - timing.retryNanos())));
        }
    }

    /** Whether the last read was asked for by a hint, or one came after it was sent. */
    boolean isHinted() {
        return hintedBeforeRead || hintedSinceRead;
    }

    /** As {@link #heard}, where only a late record of ours is waited for: seldom. */
    void heardIdly(long nowNanos) {
        silences = 0;
        readAtNanos = nowNanos + entropy.jittered(timing.leaderPollNanos());
    }

    /** A term ended: look after a poll, but not sooner after the last read than retries are spaced, for its answer may never be heard. */
    void pause(long nowNanos) {
        heard(nowNanos);
        readAtNanos = Math.max(readAtNanos, soonestNanos(nowNanos));
    }

    /** Nothing to look for: the renewal, or the common listing, is the poll. */
    void park() {
        readAtNanos = Long.MAX_VALUE;
    }

    /** Nothing to look for any more, but what a hint asked for, if {@code idle}. */
    void parkUnlessHinted(boolean idle) {
        if (idle && !hintedSinceRead) {
            park();
        }
    }

    /** Look at some time within {@code spanNanos}, but not more often than retries are spaced. */
    void lookWithin(long nowNanos, long spanNanos) {
        if (readAtNanos - spanNanos > nowNanos) {
            readAtNanos = Math.max(nowNanos + entropy.below(spanNanos), soonestNanos(nowNanos));
        }
    }

    /** Look at once, but not more often than retries are spaced. */
    void lookSoon(long nowNanos) {
        readAtNanos = Math.min(readAtNanos, soonestNanos(nowNanos));
    }

    /** It is not known what a write did: look as soon as the budget allows, after a poll at the latest. */
    void lookInDoubt(long nowNanos) {
        lookSoon(retries.soonestNanos(timing.pollNanos(), nowNanos));
    }

    /** A hint came: look, and if a read was under way by then, look again after it, for it may have looked too early. */
    void hinted(long nowNanos) {
        hintedSinceRead = true;
        lookSoon(nowNanos);
    }

    /** A write that claims the key is sent: what is hinted from here on may be news of what became of it. */
    void acquiring(long nowNanos) {
        hintedSinceRead = false;
        triedNanos = nowNanos;
    }

    /** A hint of something else came while that write was under way: look as soon as it is answered. */
    void hintedWhileAcquiring() {
        hintedSinceRead = true;
    }

    /** A read was answered: look again if a hint came after it had been sent. */
    void lookAgainIfHinted(long nowNanos) {
        if (hintedSinceRead) {
            lookSoon(nowNanos);
        }
    }

    /** A read was not answered: look again, ever less often, down to what is usual. */
    void silent(long nowNanos, long usualNanos) {
        silences++;
        readAtNanos = nowNanos + retries.pauseNanos(silences, usualNanos, nowNanos);
    }

    /** The store said that it will not work until somebody changes something. */
    void faulted(long nowNanos) {
        readAtNanos = nowNanos + entropy.jittered(timing.faultRetryNanos());
        tryAtNanos = Math.max(tryAtNanos, readAtNanos);
    }

    /** An attempt was refused; {@code byHolder}: somebody holds the key, so that the next vacancy is a new one. */
    void refused(long nowNanos, boolean byHolder, long retryAfterNanos) {
        refusals++;
        if (byHolder) {
            // A vacancy that refuses ends no doubts: tries that fail in either way become rarer together.
            doubts = 0;
        }
        long most = Math.min(timing.pollNanos(), timing.retryNanos() << Math.min(refusals, 10));
        long pause = byHolder && refusals <= FREE_REFUSALS ? 0 : most / 2 + entropy.below(most / 2 + 1);
        // A store may say anything; being refused once more is cheap.
        holdOff(nowNanos + Math.max(pause, Math.min(retryAfterNanos, timing.coolDownNanos(Integer.MAX_VALUE))));
    }

    /** A look showed a holder, or by now about a poll has passed without an attempt: the next race starts afresh. */
    void calm(boolean isHeld, long nowNanos) {
        if (isHeld || nowNanos - triedNanos >= timing.pollNanos() / 2) {
            refusals = 0;
        }
    }

    /** It is not known whether an attempt landed: the next one is made after ever longer pauses, up to the poll. */
    void doubted(long nowNanos) {
        doubts++;
        holdOff(nowNanos + retries.pauseNanos(doubts, timing.pollNanos(), nowNanos));
    }

    private void holdOff(long untilNanos) {
        if (untilNanos > tryAtNanos) {
            tryAtNanos = untilNanos;
            cooling = false;
        }
    }

    /** The key was won: looks made before it say nothing of it, so the first one after it need not keep its distance from them. */
    void won(long nowNanos) {
        refusals = 0;
        doubts = 0;
        everRead = false;
        park();
        lookAgainIfHinted(nowNanos);
    }

    /** A term that lasted {@code lastedNanos} ended. Trouble with the store needs no cool-down; everything else does, and ever more. */
    void ended(LossReason reason, long lastedNanos) {
        // Whoever cannot see its record leaves the election to those who can: it would only lead unseen again.
        boolean blind = reason == LossReason.UNSEEN;
        if (reason.isStoreTrouble() && !blind || reason == LossReason.WITHDRAWN) {
            return;
        }
        endsInARow = lastedNanos >= timing.coolDownNanos(Integer.MAX_VALUE) ? 1 : endsInARow + 1;
        coolDownNanos = timing.coolDownNanos(endsInARow);
    }

    /** What that term left behind is cleared away: only now can others lead, so the cool-down begins. */
    void stopped(long nowNanos) {
        if (coolDownNanos > 0) {
            tryAtNanos = Math.max(tryAtNanos, nowNanos + coolDownNanos);
            endsCountUntilNanos = nowNanos + timing.coolDownNanos(Integer.MAX_VALUE);
            cooling = true;
            coolDownNanos = 0;
        }
    }
}
