package dev.mandate.simulator.check;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Requests and wake-ups of one client, counted per lease; and one request in flight per election. */
public final class LoadCheck {
    /** To stand, to look, to acquire; or to publish, to release, to look: whatever one command calls for. */
    private static final int REQUESTS_PER_COMMAND = 4;

    private final Judge judge;
    private final String who;
    private final long spanNanos;
    private final int requestsMax;
    private final int wakesMax;
    private final int perSession;
    private final long[] pendingUntil;
    private final boolean[] pendingRead;
    private final long[] readAt;
    private final long readGapNanos;
    private long spanEnds = Long.MIN_VALUE;
    private int requests;
    private int wakes;
    private int commands;
    private int commandsBefore;
    /** What the sessions beside the present one may call for. */
    private Map<Object, Integer> beside = new HashMap<>();

    private Map<Object, Integer> besideBefore = new HashMap<>();
    private int mostRequests;
    private int mostWakes;

    /**
     * At most so many requests and wake-ups in any span of {@code spanNanos}, and {@code perSession} requests more for each older session that covers
     * work.
     */
    public LoadCheck(
            String who,
            int elections,
            long spanNanos,
            long readGapNanos,
            int requestsMax,
            int perSession,
            int wakesMax,
            Judge judge) {
        this.judge = judge;
        this.who = who;
        this.spanNanos = spanNanos;
        this.requestsMax = requestsMax;
        this.wakesMax = wakesMax;
        this.perSession = perSession;
        this.pendingUntil = new long[elections];
        this.pendingRead = new boolean[elections];
        this.readAt = new long[elections];
        this.readGapNanos = readGapNanos;
        Arrays.fill(pendingUntil, Long.MIN_VALUE);
    }

    private void roll(long nanos) {
        if (nanos >= spanEnds) {
            spanEnds = nanos + spanNanos;
            requests = 0;
            wakes = 0;
            commandsBefore = commands;
            commands = 0;
            besideBefore = beside;
            beside = new HashMap<>();
        }
    }

    /** A session is renewed though a newer one was opened: work outlives its term under it. */
    public void covers(Object session, long nanos) {
        roll(nanos);
        beside.put(session, perSession);
    }

    /** A session is ended that was opened for nothing, because the answer came too late. */
    public void ends(Object session, long nanos) {
        roll(nanos);
        beside.putIfAbsent(session, REQUESTS_PER_COMMAND);
    }

    /** Somebody asked for something: that calls for requests which no settings foresee. */
    public void commanded(long nanos) {
        roll(nanos);
        commands++;
    }

    private int asMuchMore(int perCommand) {
        Map<Object, Integer> sessions = new HashMap<>(besideBefore);
        beside.forEach((session, requests) -> sessions.merge(session, requests, Math::max));
        int forSessions = sessions.values().stream().mapToInt(Integer::intValue).sum();
        return (commands + commandsBefore) * perCommand + forSessions;
    }

    /** The client was woken by time alone. */
    public void woke(long nanos) {
        roll(nanos);
        mostWakes = Math.max(mostWakes, ++wakes);
        if (wakes > wakesMax && wakes > wakesMax + asMuchMore(3 * REQUESTS_PER_COMMAND)) {
            judge.violated(Invariant.LOAD, who + " wants to be woken more than " + wakesMax + " times in one lease");
        }
    }

    /** A request was handed out that belongs to no election. */
    public void asked(long nanos) {
        roll(nanos);
        mostRequests = Math.max(mostRequests, ++requests);
        int most = requests <= requestsMax ? requestsMax : requestsMax + asMuchMore(REQUESTS_PER_COMMAND);
        if (requests > most) {
            judge.violated(Invariant.LOAD, who + " sends more than " + most + " requests in one lease");
        }
    }

    /**
     * A request for one election was handed out, awaited until {@code untilNanos}. A read under way may be given up, but reads keep their
     * distance.
     */
    public void asked(int election, boolean read, long nanos, long untilNanos) {
        asked(nanos);
        if (nanos < pendingUntil[election] && !pendingRead[election]) {
            judge.violated(Invariant.LOAD, who + " has two requests in flight for election " + election);
        }
        if (read) {
            if (nanos < pendingUntil[election] && nanos - readAt[election] < readGapNanos) {
                judge.violated(
                        Invariant.LOAD,
                        who + " reads election " + election + " twice in a row without waiting for the answer");
            }
            readAt[election] = nanos;
        }
        pendingUntil[election] = untilNanos;
        pendingRead[election] = read;
    }

    /** The request that is in flight for this election was answered. */
    public void answered(int election) {
        pendingUntil[election] = Long.MIN_VALUE;
    }

    /** The most requests that were seen in one span. */
    public int mostRequests() {
        return mostRequests;
    }

    /** The most wake-ups that were seen in one span. */
    public int mostWakes() {
        return mostWakes;
    }
}
