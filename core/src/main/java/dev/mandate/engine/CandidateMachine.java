package dev.mandate.engine;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One candidate: its elections, the session they share, and who learns what. All routing between them is here, so that
 * the runtime and the simulator run the same code.
 *
 * <p>An election in which nobody campaigns, and that nobody watches or waits for, is forgotten: at once if many such
 * are remembered, but never before its next cool-down would start from the shortest anyway.
 *
 * <p>Every method first reads the clock, then handles the event, then does what is due; it never throws on what a store
 * or a user may do. {@link #wakeAtNanos()} says when {@link #tick} is wanted. Not safe for use from several threads.
 */
public final class CandidateMachine {
    /** How many idle elections are remembered by default: enough for users that campaign in a few again and again. */
    public static final int IDLE_MAX = 128;

    private final CandidateSettings spaces;
    /** The settings of elections, which are the client's own. */
    private final ElectionSettings settings;

    private final Map<RecordKey, ElectionMachine> elections = new HashMap<>();
    /** Elections that may be forgotten, the longest idle first. */
    private final Set<ElectionMachine> idle = new LinkedHashSet<>();

    private final int idleMax;
    private final Probe probe;
    private final WakeHeap wakes = new WakeHeap();
    private final SessionMachine sessions;
    private final SessionNews news = new SessionNews();

    private long lastRequest;
    private final Retries retries;
    private final Hints hints = new Hints();
    private final Shared shared;
    private final Listing listing;
    /** Null where candidates don't queue. */
    private final @Nullable Arrivals arrivals;

    private int campaigning;
    private final Roll dependingOnSessions = new Roll(Concern.SESSIONS);
    private final Roll needingSight = new Roll(Concern.LISTING);
    private final Roll holding = new Roll(Concern.HOLDING);
    private final Roll watching = new Roll(Concern.WATCH);
    private boolean closing;
    private long closeSessionsAtNanos = Long.MAX_VALUE;

    /** Observes each event that an election, registration or place receives, to measure what a run covered. */
    @FunctionalInterface
    public interface Probe {
        /** {@code event} is delivered next. */
        void meets(RecordKey key, Role role, ElectionEvent event);

        /** An event without a key concerns a machine in this role. Called before any machine receives it. */
        default void concerns(Role role) {}
    }

    /** A candidate without elections. */
    public CandidateMachine(CandidateSettings settings, Entropy entropy) {
        this(settings, entropy, IDLE_MAX, (key, role, event) -> {});
    }

    /** A candidate without elections, whose registrations have the lease of elections. */
    public CandidateMachine(ElectionSettings settings, Entropy entropy) {
        this(settings, entropy, IDLE_MAX);
    }

    /** A candidate without elections that remembers {@code idleMax} idle ones. */
    public CandidateMachine(ElectionSettings settings, Entropy entropy, int idleMax) {
        this(settings, entropy, idleMax, (key, role, event) -> {});
    }

    /** A candidate without elections that remembers {@code idleMax} idle ones, and shows {@code probe} every event. */
    public CandidateMachine(ElectionSettings settings, Entropy entropy, int idleMax, Probe probe) {
        this(CandidateSettings.of(settings), entropy, idleMax, probe);
    }

    private CandidateMachine(CandidateSettings spaces, Entropy entropy, int idleMax, Probe probe) {
        this.idleMax = idleMax;
        this.probe = probe;
        this.spaces = spaces;
        this.settings = spaces.elections();
        this.retries = new Retries(settings.timing(), entropy);
        this.shared = new Shared(entropy, retries, hints, this::nextRequest);
        this.listing = new Listing(settings.timing(), entropy, retries, this::nextRequest);
        this.arrivals = settings.queue() == null ? null : new Arrivals(settings, entropy, arriving());
        this.sessions = new SessionMachine(settings, entropy, retries, this::nextRequest, news);
    }

    private Arrivals.Machines arriving() {
        return new Arrivals.Machines() {
            @Override
            public @Nullable ElectionMachine known(RecordKey key) {
                return elections.get(key);
            }

            @Override
            public ElectionMachine made(RecordKey key) {
                ElectionMachine place = election(key);
                if (!place.state().wanted.campaigns()) {
                    place.offer(sessions.current());
                }
                return place;
            }

            @Override
            public void deliver(ElectionMachine machine, ElectionEvent event, Now now, List<Action> out) {
                CandidateMachine.this.deliver(machine, event, now, out);
            }
        };
    }

    private long nextRequest() {
        return ++lastRequest;
    }

    /** Something happened to one election. */
    public List<Action> on(RecordKey key, ElectionEvent event, Now now) {
        List<Action> out = new ArrayList<>(2);
        if (event instanceof ElectionEvent.Hinted && key.space().equals(RecordKey.ELECTIONS)) {
            hints.heard();
        }
        boolean isNewWish = isNewWish(event);
        // Hints, late answers and ends do not make it remember an election that nobody asked for.
        ElectionMachine election = isNewWish && !closing ? election(key) : elections.get(key);
        if (election != null && !(closing && isNewWish)) {
            if (!election.state().wanted.campaigns()) {
                // Session events reach only elections that campaign, hold or wait.
                election.offer(sessions.current());
            }
            deliver(election, event, now, out);
        } else if (event instanceof ElectionEvent.Proclaim proclaim) {
            out.add(new ElectionAction.Proclaimed(key, proclaim.command(), false));
        } else if (!isNewWish && (event instanceof ElectionEvent.Observe || event instanceof ElectionEvent.Withdraw)) {
            out.add(new ElectionAction.Forgotten(key));
        }
        settle(now, out);
        return out;
    }

    private static boolean isNewWish(ElectionEvent event) {
        return event instanceof ElectionEvent.Campaign
                || event instanceof ElectionEvent.Observe observe && observe.on();
    }

    /** Something happened to a session. */
    public List<Action> on(SessionEvent event, Now now) {
        List<Action> out = new ArrayList<>(2);
        sessions.look(event, now, out);
        settle(now, out);
        return out;
    }

    /** Something happened to a queue that {@link QueueAction.Follow} asked for. */
    public List<Action> on(QueueEvent event, Now now) {
        List<Action> out = new ArrayList<>(2);
        if (arrivals != null) {
            arrivals.on(event, now, out);
        }
        settle(now, out);
        return out;
    }

    /** The watch over elections was opened, or broke. Idempotent. */
    public List<Action> onWatch(boolean isOpen, Now now) {
        if (isOpen == hints.isOpen()) {
            return List.of();
        }
        List<Action> out = new ArrayList<>(2);
        hints.watch(isOpen);
        if (!isOpen) {
            for (ElectionMachine election : concerned(watching)) {
                election.unhinted(now);
                wakes.put(election, election.wakeAtNanos());
            }
        }
        settle(now, out);
        return out;
    }

    /**
     * The watch over elections may have missed something: reads every election again, those held under a session by
     * one common listing.
     */
    public List<Action> onGap(Now now) {
        List<Action> out = new ArrayList<>(2);
        hints.heard();
        for (ElectionMachine election : concerned(watching)) {
            deliver(election, ElectionEvent.Gap.INSTANCE, now, out);
        }
        listing.hurry(now.monotonicNanos());
        settle(now, out);
        return out;
    }

    /** The page that {@link SweepAction} {@code request} asked for. */
    public List<Action> onSweep(long request, Page<Observation> page, Now now) {
        List<Action> out = new ArrayList<>(2);
        if (listing.awaits(request)) {
            long askedNanos = listing.askedNanos();
            for (Observation seen : page.items()) {
                ElectionMachine election = elections.get(seen.key());
                if (election != null) {
                    election.listedIn = listing.number();
                    deliver(election, new ElectionEvent.Swept(askedNanos, seen), now, out);
                }
            }
            ElectionEvent unseen = listing.answered(page, out, now.monotonicNanos());
            if (unseen != null) {
                notListed(unseen, now, out);
            }
        }
        settle(now, out);
        return out;
    }

    /** The page that {@code request} asked for will not come. {@code fault} says what must change first, if known. */
    public List<Action> onSweepFailed(long request, @Nullable String fault, Now now) {
        List<Action> out = new ArrayList<>(2);
        if (listing.awaits(request)) {
            if (fault == null) {
                listing.failed(now.monotonicNanos());
            } else {
                listing.faulted(fault, out, now.monotonicNanos());
            }
            notListed(ElectionEvent.NotSwept.INSTANCE, now, out);
        }
        settle(now, out);
        return out;
    }

    private void notListed(ElectionEvent event, Now now, List<Action> out) {
        for (ElectionMachine election : concerned(needingSight)) {
            if (election.listedIn != listing.number()) {
                deliver(election, event, now, out);
            }
        }
    }

    /** Time has passed. */
    public List<Action> tick(Now now) {
        List<Action> out = new ArrayList<>(2);
        settle(now, out);
        return out;
    }

    /**
     * The clocks ran apart: the machine was suspended, or the wall clock was set. The first clock to expire ends what
     * is held, so this computes the ticks of held elections anew.
     */
    public List<Action> onClocksMoved(Now now) {
        List<Action> out = new ArrayList<>(2);
        if (settings.sharesSession()) {
            sessions.look(null, now, out);
        }
        for (ElectionMachine election : concerned(holding)) {
            deliver(election, ElectionEvent.Tick.INSTANCE, now, out);
        }
        settle(now, out);
        return out;
    }

    /**
     * Withdraws from every election, and then ends the session: as soon as all are withdrawn, or after the drain budget
     * and a few request time-outs. A session that covers work is left to expire.
     */
    public List<Action> close(Now now) {
        List<Action> out = new ArrayList<>(2);
        if (!closing) {
            closing = true;
            LeaseTiming timing = settings.timing();
            if (settings.sharesSession()) {
                closeSessionsAtNanos =
                        now.monotonicNanos() + timing.drainTimeoutNanos() + 3 * timing.requestTimeoutNanos();
            }
            for (ElectionMachine election : List.copyOf(elections.values())) {
                // In this order: nothing else that is due may begin a term any more.
                deliver(election, new ElectionEvent.Withdraw(EndReason.WITHDRAWN), now, out);
                deliver(election, new ElectionEvent.Observe(false), now, out);
            }
        }
        settle(now, out);
        return out;
    }

    /** Whether everything that {@link #close} waits for has happened. */
    public boolean isClosed() {
        return closing && (settings.sharesSession() ? sessions.isClosed() : holding.size() == 0);
    }

    /** When {@link #tick} is wanted; {@code Long.MAX_VALUE} for never. */
    public long wakeAtNanos() {
        long wake = Math.min(wakes.firstAtNanos(), settings.sharesSession() ? sessions.wakeAtNanos() : Long.MAX_VALUE);
        wake = Math.min(wake, listing.wakeAtNanos());
        wake = arrivals == null ? wake : Math.min(wake, arrivals.wakeAtNanos());
        if (idle.size() > idleMax) {
            wake = Math.min(wake, idle.iterator().next().forgettableAtNanos());
        }
        return Math.min(wake, closeSessionsAtNanos);
    }

    /** The role in one election; Idle if that election is unknown. */
    public Role role(RecordKey key) {
        ElectionMachine election = elections.get(key);
        return election == null ? Role.Idle.INSTANCE : election.role();
    }

    /** The state in one election, as of {@code now}. {@code LEADING} ignores the clock: ask the term. */
    public CandidacyStatus.State status(RecordKey key, Now now) {
        ElectionMachine election = elections.get(key);
        return election == null
                ? CandidacyStatus.State.NOT_CAMPAIGNING
                : election.state().status(now);
    }

    /** The term whose work is taken to run in one election, or null. */
    public @Nullable Term work(RecordKey key) {
        ElectionMachine election = elections.get(key);
        return election == null ? null : election.state().work.term();
    }

    /** Whether it campaigns in one election, or has yet to report that it has withdrawn. */
    public boolean isToWithdraw(RecordKey key) {
        ElectionMachine election = elections.get(key);
        return election != null && !election.state().wanted.isAtRest();
    }

    /** What observers of one election were last told. */
    public View told(RecordKey key) {
        ElectionMachine election = elections.get(key);
        return election == null ? View.UNKNOWN : election.told();
    }

    /** How many sessions this client has had, the present one included. Any thread. */
    public long sessionsOpened() {
        return news.opened();
    }

    /** How many of them it lost: they ended before it was closed. Any thread. */
    public long sessionsLost() {
        return news.lost();
    }

    /** When that request was sent, if its answer is still awaited at {@code now}; else {@code Long.MIN_VALUE}. */
    public long askedNanos(RecordKey key, long request, Now now) {
        ElectionMachine election = elections.get(key);
        return election == null ? Long.MIN_VALUE : election.askedNanos(request, now);
    }

    /** The same for a page of the common listing. */
    public long askedNanos(long request) {
        return listing.awaits(request) ? listing.askedNanos() : Long.MIN_VALUE;
    }

    private ElectionMachine election(RecordKey key) {
        return elections.computeIfAbsent(key, k -> new ElectionMachine(k, spaces.of(k), shared));
    }

    /** Forgets idle elections, the longest idle first, until few enough are left or the next may still be needed. */
    private void forget(Now now, List<Action> out) {
        while (idle.size() > idleMax) {
            ElectionMachine eldest = idle.iterator().next();
            if (eldest.forgettableAtNanos() > now.monotonicNanos()) {
                return;
            }
            // First, even if memory was too short for this when it became idle: it must receive nothing any more.
            strike(eldest);
            wakes.remove(eldest);
            elections.remove(eldest.key());
            idle.remove(eldest);
            out.add(new ElectionAction.Forgotten(eldest.key()));
        }
    }

    private void deliver(ElectionMachine election, ElectionEvent event, Now now, List<Action> out) {
        probe.meets(election.key(), election.role(), event);
        campaigning -= election.state().wanted.campaigns() ? 1 : 0;
        try {
            out.addAll(election.on(event, now));
        } finally {
            // Whatever was thrown must not cost other elections their session or their sight.
            campaigning += election.state().wanted.campaigns() ? 1 : 0;
            wakes.put(election, election.wakeAtNanos());
            // The election used last is forgotten last.
            idle.remove(election);
            if (election.state().isIdle()) {
                idle.add(election);
            }
            enrol(election);
            if (arrivals != null) {
                arrivals.stepped(election.key());
            }
        }
    }

    /** Updates the rolls, so that no event takes time proportional to the number of elections. */
    private void enrol(ElectionMachine election) {
        dependingOnSessions.put(
                election, settings.sharesSession() && election.state().dependsOnSessions());
        needingSight.put(election, election.state().needsSight());
        holding.put(election, election.state().isHolding());
        watching.put(election, election.looksAfterGap());
    }

    private void strike(ElectionMachine election) {
        dependingOnSessions.put(election, false);
        needingSight.put(election, false);
        holding.put(election, false);
        watching.put(election, false);
    }

    private List<ElectionMachine> concerned(Roll roll) {
        List<ElectionMachine> all = roll.all();
        all.forEach(election -> probe.concerns(election.role()));
        return all;
    }

    /** Ticks what is due and passes on the news of sessions, until nothing more happens at this instant. */
    private void settle(Now now, List<Action> out) {
        while (wakes.firstAtNanos() <= now.monotonicNanos()) {
            ElectionMachine due = wakes.first();
            if (due == null) {
                break;
            }
            deliver(due, ElectionEvent.Tick.INSTANCE, now, out);
            if (wakes.firstAtNanos() <= now.monotonicNanos() && wakes.first() == due) {
                // It is due again at once: the next instant is soon enough.
                wakes.put(due, now.monotonicNanos() + 1);
            }
        }
        if (settings.sharesSession()) {
            settleSessions(now, out);
        }
        if (arrivals != null) {
            arrivals.proceed(now, out);
        }
        sweepIfDue(now, out);
        forget(now, out);
    }

    private void settleSessions(Now now, List<Action> out) {
        sessions.want(campaigning > 0);
        if (!closing && news.isEmpty() && now.monotonicNanos() < sessions.wakeAtNanos()) {
            return;
        }
        sessions.look(null, now, out);
        do {
            // The elections first. Else, when the stop of a session passes while work runs under it: (1) the session is
            // latched, and nobody covers it yet; (2) it is ended in the store; (3) another candidate leads; (4) only
            // then is the work told to stop.
            passOnNews(now, out);
            if (closing && (holding.size() == 0 || now.monotonicNanos() >= closeSessionsAtNanos)) {
                sessions.close();
                news.close();
                closeSessionsAtNanos = Long.MAX_VALUE;
            }
            sessions.proceed(now, out);
        } while (!news.isEmpty());
    }

    private void passOnNews(Now now, List<Action> out) {
        while (!news.isEmpty()) {
            ElectionEvent item = news.first();
            for (ElectionMachine election : concerned(dependingOnSessions)) {
                deliver(election, item, now, out);
            }
            // Only now: if one of them throws, the others are told again before any session is ended under their work.
            news.removeFirst();
        }
    }

    private boolean wantsSweep() {
        return settings.sharesSession() && needingSight.size() > 0;
    }

    private void sweepIfDue(Now now, List<Action> out) {
        if (listing.isOverdue(now.monotonicNanos())) {
            listing.failed(now.monotonicNanos());
            notListed(ElectionEvent.NotSwept.INSTANCE, now, out);
        }
        listing.want(wantsSweep(), now.monotonicNanos());
        listing.proceed(out, now.monotonicNanos());
    }
}
