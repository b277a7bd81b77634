package dev.mandate.simulator.check;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A client looks at a key again after a poll, and after a failure when its pause is over. Only these call for an
 * earlier look: a hint, a gap, an unknown outcome of a write, a change of role, and, once, the end of a lease in which
 * a holder showed no sign of life. Looks always keep the distance of retries.
 */
public final class LookCheck {
    private static final int SILENCES_MAX = 64;

    private final Judge judge;
    private final String who;
    private final Spacing spacing;
    private boolean keepsDistance;
    private long sentNanos;
    private boolean isAnswered;
    private long answeredNanos;
    private int failures;
    private boolean isWanted;
    private long hintedNanos = Long.MIN_VALUE;
    private long notBeforeNanos = Long.MIN_VALUE;
    /** For each sign of life seen since the last look, when it will be a lease old. */
    private final Deque<Long> silences = new ArrayDeque<>();

    /** {@code who} names the client. */
    public LookCheck(String who, Spacing spacing, Judge judge) {
        this.judge = judge;
        this.who = who;
        this.spacing = spacing;
    }

    /** A look is sent. */
    public void looks(long nanos) {
        long soonest = sentNanos + spacing.retry();
        if (isAnswered) {
            soonest = Math.min(soonest, answeredNanos + spacing.look());
        }
        if (keepsDistance && nanos < soonest) {
            judge.violated(
                    Invariant.PACE,
                    who + " looks " + (nanos - sentNanos) / 1000 + " us after it did, and " + (soonest - nanos) / 1000
                            + " us too early");
        } else if (!isWanted && hintedNanos < sentNanos && nanos < notBeforeNanos && !isSilent(nanos)) {
            judge.violated(
                    Invariant.PACE,
                    who + " looks " + (notBeforeNanos - nanos) / 1000 + " us too early after " + failures
                            + " failures in a row, and nothing asks for it");
        }
        keepsDistance = true;
        sentNanos = nanos;
        silences.removeIf(silence -> silence <= nanos);
        isAnswered = false;
        isWanted = false;
        notBeforeNanos = Long.MIN_VALUE;
    }

    /**
     * Whether a look at {@code nanos} may find a holder silent, or comes at most one {@code retryInterval} before it
     * can.
     */
    private boolean isSilent(long nanos) {
        return silences.stream().anyMatch(silence -> nanos >= silence - spacing.retry());
    }

    /** A sign of life was seen that will be a lease old at {@code nanos}; only where observers judge. */
    public void showsLife(long nanos) {
        silences.add(nanos);
        if (silences.size() > SILENCES_MAX) {
            silences.remove();
        }
    }

    /** The look was answered. */
    public void answered(long nanos) {
        isAnswered = true;
        answeredNanos = nanos;
        failures = 0;
        notBeforeNanos = nanos + spacing.look();
    }

    /** The look failed: only later events call for another one. */
    public void failed(long nanos) {
        failures++;
        isWanted = false;
        hintedNanos = Long.MIN_VALUE;
        notBeforeNanos = nanos + spacing.upTo(spacing.poll()).applyAsLong(failures);
    }

    /** The look failed, and others will until somebody changes something. */
    public void faulted(long nanos) {
        notBeforeNanos = nanos + Spacing.least(spacing.fault());
    }

    /** Something asks for a look. */
    public void wanted() {
        isWanted = true;
    }

    /** The key was shown. A look at the same instant may show something older, so this still asks for another look. */
    public void hinted(long nanos) {
        isWanted = true;
        hintedNanos = nanos;
    }

    /** The client's role changed. */
    public void changed() {
        isWanted = true;
        failures = 0;
    }

    /** The key was won. Earlier looks say nothing about that, so the next need not keep its distance from them. */
    public void won() {
        keepsDistance = false;
    }
}
