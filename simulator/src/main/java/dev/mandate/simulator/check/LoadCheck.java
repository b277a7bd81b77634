package dev.mandate.simulator.check;

import java.util.HashMap;
import java.util.Map;

/** Requests and wake-ups of one client, counted per lease. */
public final class LoadCheck {
    /** To stand, to look, to acquire; or to publish, to release, to look: whatever one command calls for. */
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
    /** What the sessions beside the present one may call for. */
    private Map<Object, Integer> beside = new HashMap<>();

    private Map<Object, Integer> besideBefore = new HashMap<>();
    private int mostRequests;
    private int mostWakes;

    /**
     * At most so many requests and wake-ups in any span of {@code spanNanos}, and {@code perSession} requests more for each older session that covers
     * work.
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

    /** It hears of a value that somebody proclaimed, or of a refusal that shows nothing: that calls for one look more. */
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
        mostWakes = Math.max(mostWakes, ++wakes);
        if (wakes > wakesMax && wakes > wakesMax + asMuchMore(3 * REQUESTS_PER_COMMAND)) {
            judge.violated(Invariant.LOAD, who + " wants to be woken more than " + wakesMax + " times in one lease");
        }
    }

    /** A request was handed out. */
    public void asked(long nanos) {
        roll(nanos);
        mostRequests = Math.max(mostRequests, ++requests);
        int most = requests <= requestsMax ? requestsMax : requestsMax + asMuchMore(REQUESTS_PER_COMMAND);
        if (requests > most) {
            judge.violated(Invariant.LOAD, who + " sends more than " + most + " requests in one lease");
        }
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
