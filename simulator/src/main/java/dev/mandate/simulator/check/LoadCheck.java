package dev.mandate.simulator.check;

import java.util.HashMap;
import java.util.Map;

/** Requests and wake-ups of one client, counted per lease. */
public final class LoadCheck {
    /** What one command calls for at most: to campaign, look and acquire, or to publish, release and look. */
    public static final int REQUESTS_PER_COMMAND = 4;

    private final Judge judge;
    private final String who;
    private final long spanNanos;
    private final int requestsMax;
    private final int wakesMax;
    private final int perSession;
    private long spanEnds = Long.MIN_VALUE;
    private int requests;
    private int wakes;
    private int commands;
    private int commandsBefore;
    private int news;
    private int newsBefore;
    /** What sessions beside the present one may call for. */
    private Map<Object, Integer> beside = new HashMap<>();

    private Map<Object, Integer> besideBefore = new HashMap<>();

    /**
     * Per span of {@code spanNanos}: the requests and wake-ups allowed, plus {@code perSession} requests for each older
     * session that covers work.
     */
    public LoadCheck(String who, long spanNanos, int requestsMax, int perSession, int wakesMax, Judge judge) {
        this.judge = judge;
        this.who = who;
        this.spanNanos = spanNanos;
        this.requestsMax = requestsMax;
        this.wakesMax = wakesMax;
        this.perSession = perSession;
    }

    private void roll(long nanos) {
        if (nanos >= spanEnds) {
            spanEnds = nanos + spanNanos;
            requests = 0;
            wakes = 0;
            commandsBefore = commands;
            commands = 0;
            newsBefore = news;
            news = 0;
            besideBefore = beside;
            beside = new HashMap<>();
        }
    }

    /** An older session is renewed because work outlives its term under it. */
    public void covers(Object session, long nanos) {
        roll(nanos);
        beside.put(session, perSession);
    }

    /** A session is ended that was useless because it was opened too late. */
    public void ends(Object session, long nanos) {
        roll(nanos);
        beside.putIfAbsent(session, REQUESTS_PER_COMMAND);
    }

    /** A command calls for requests that no settings foresee. */
    public void commanded(long nanos) {
        roll(nanos);
        commands++;
    }

    /** The client hears of a proclaimed value, or of a refusal that shows nothing: both call for one more look. */
    public void looks(long nanos) {
        roll(nanos);
        news++;
    }

    private int asMuchMore(int perCommand) {
        Map<Object, Integer> sessions = new HashMap<>(besideBefore);
        beside.forEach((session, requests) -> sessions.merge(session, requests, Math::max));
        int forSessions = sessions.values().stream().mapToInt(Integer::intValue).sum();
        int forLooks = (news + newsBefore) * perCommand / REQUESTS_PER_COMMAND;
        return (commands + commandsBefore) * perCommand + forLooks + forSessions;
    }

    /** The client was woken by time alone. */
    public void woke(long nanos) {
        roll(nanos);
        wakes++;
        if (wakes > wakesMax && wakes > wakesMax + asMuchMore(3 * REQUESTS_PER_COMMAND)) {
            judge.violated(Invariant.LOAD, who + " wants to be woken more than " + wakesMax + " times in one lease");
        }
    }

    /** The client sent a request. */
    public void asked(long nanos) {
        roll(nanos);
        requests++;
        int most = requests <= requestsMax ? requestsMax : requestsMax + asMuchMore(REQUESTS_PER_COMMAND);
        if (requests > most) {
            judge.violated(Invariant.LOAD, who + " sends more than " + most + " requests in one lease");
        }
    }
}
