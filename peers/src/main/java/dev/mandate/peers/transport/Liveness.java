package dev.mandate.peers.transport;

/**
 * Tells whether the other side of a connection is still there. It asks only if something was sent and nothing came for
 * a while: an idle connection costs nothing. Pure; the time is passed in.
 */
final class Liveness {
    /** Later than any time. */
    static final long NEVER = Long.MAX_VALUE;

    /** What to do now. */
    enum Verdict {
        WAIT,
        /** Ask whether it is there. */
        ASK,
        /** It did not answer in time. */
        SILENT
    }

    private final long probeAfterNanos;
    private final long probeTimeoutNanos;
    private long wakeAtNanos = NEVER;
    private boolean isAsked;

    Liveness(long probeAfterNanos, long probeTimeoutNanos) {
        this.probeAfterNanos = probeAfterNanos;
        this.probeTimeoutNanos = probeTimeoutNanos;
    }

    /** A payload was sent. Questions and answers do not count: two idle sides would ask each other forever. */
    void sent(long nowNanos) {
        if (wakeAtNanos == NEVER) {
            wakeAtNanos = nowNanos + probeAfterNanos;
        }
    }

    /** Anything came from the other side. */
    void heard() {
        wakeAtNanos = NEVER;
        isAsked = false;
    }

    /** Starts the wait for an answer: the other side is being asked now. */
    void ask(long nowNanos) {
        if (!isAsked) {
            isAsked = true;
            wakeAtNanos = nowNanos + probeTimeoutNanos;
        }
    }

    /** When to call {@link #due} next; {@link #NEVER} until something is sent. */
    long wakeAtNanos() {
        return wakeAtNanos;
    }

    /** What to do now. Call it after taking all that has come: a process that was stopped may not have read it yet. */
    Verdict due(long nowNanos) {
        if (wakeAtNanos == NEVER || nowNanos - wakeAtNanos < 0) {
            return Verdict.WAIT;
        }
        if (isAsked) {
            return Verdict.SILENT;
        }
        ask(nowNanos);
        return Verdict.ASK;
    }
}
