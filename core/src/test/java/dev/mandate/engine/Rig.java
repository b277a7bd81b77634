package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One candidate in one election, with its clocks and its store in the hands of a test. Nothing is answered unless the
 * test does it: see {@link #answer}, {@link #land} and {@link #serve}. The lease is 10 s and all else as in
 * {@link #TIMING}, so that a term is believed for 7.324 s, is renewed every 3.333 s, and a follower looks every 1.25 s.
 */
final class Rig {
    static final RecordKey KEY = RecordKey.election("invoices");
    static final RecordKey REGISTRATION = new RecordKey(RecordKey.REGISTRATIONS, List.of("billing", "billing-1"));
    static final Id INCARNATION = new Id(0xAAAA, 1);
    static final Id RIVAL = new Id(0xBBBB, 1);
    static final Duration L = Duration.ofSeconds(10);
    static final Duration REGISTRATION_LEASE = Duration.ofSeconds(30);
    static final Duration MILLI = Duration.ofMillis(1);

    /** Round figures, all written out: no other default moves a test of a rule. */
    static final LeaseTiming TIMING = LeaseTiming.of(L, 1.1)
            .deadlineMargin(Duration.ofMillis(100))
            .renewInterval(Duration.ofNanos(3_333_333_333L))
            .requestTimeout(Duration.ofSeconds(1))
            .retryInterval(Duration.ofMillis(250))
            .drainTimeout(Duration.ofNanos(1_666_666_666L))
            .pollInterval(Duration.ofMillis(1_250))
            .recordCheckInterval(Duration.ofSeconds(30))
            .splay(Duration.ofMillis(200))
            .coolDown(Duration.ofMillis(2_500))
            .build();

    private static final int STEPS_MAX = 100_000;

    final StoreKind kind;
    /** The key that everything here is about unless something else is said. */
    final RecordKey key;

    final ElectionSettings settings;
    final LeaseTiming timing;
    final TestServer server;
    final CandidateMachine machine;

    /** Everything the candidate ever asked for or announced, in order. */
    final List<Action> log = new ArrayList<>();
    /** What it asked and the test neither answered nor lost. */
    final List<Action> waiting = new ArrayList<>();

    private Term lastTerm;
    private EndReason lossReason;

    long nanos;
    long wallMillis = 1_767_225_600_000L;
    private long asleepNanos;

    /** What the machines of a client share, where a test needs a part of one only. */
    static Shared shared(LeaseTiming timing, Entropy entropy) {
        return new Shared(entropy, new Retries(timing, entropy), new Hints(), () -> 1);
    }

    Rig(RigDraft draft) {
        this.kind = draft.kind;
        this.key = draft.key;
        this.timing = draft.timing;
        this.settings = new ElectionSettings(
                "a",
                INCARNATION,
                timing,
                kind.traits().expiry(),
                kind.traits().leaseScope(),
                timing.leaseNanos(),
                draft.reserve.toNanos(),
                draft.settle,
                draft.settleTime.toNanos(),
                draft.overrun,
                draft.ordered);
        this.server = new TestServer(kind.traits(), draft.options);
        LeaseTiming registering = timing.registering(kind.sharesSession() ? L : REGISTRATION_LEASE);
        this.machine = new CandidateMachine(
                new CandidateSettings(settings, settings.registrations(registering, registering.leaseNanos())),
                draft.entropy);
        this.nanos = draft.originNanos;
    }

    static RigDraft on(StoreKind kind) {
        return new RigDraft(kind);
    }

    /** A candidate that has just won; nothing waits to be answered. */
    static Rig leading(StoreKind kind) {
        return on(kind).leading();
    }

    // ---- time ----

    Now now() {
        return new Now(nanos, nanos + asleepNanos, wallMillis);
    }

    /** Both clocks go on; the candidate is ticked whenever it wants; nobody answers. */
    void pass(Duration duration) {
        go(duration, false);
    }

    /** As {@link #pass}, with a store that answers at once. */
    void passServed(Duration duration) {
        serve();
        go(duration, true);
    }

    private void go(Duration duration, boolean served) {
        long until = nanos + duration.toNanos();
        for (int steps = 0; machine.wakeAtNanos() <= until; steps++) {
            assertThat(steps)
                    .as(
                            "steps within %s in %s after %s",
                            duration, role(), log.isEmpty() ? "nothing" : log.get(log.size() - 1))
                    .isLessThan(STEPS_MAX);
            move(Math.max(machine.wakeAtNanos(), nanos) - nanos);
            take(machine.tick(now()));
            if (served) {
                serve();
            }
        }
        move(until - nanos);
    }

    /** As {@link #pass}, until {@code instant} on the monotonic clock. */
    void passUntil(long instant) {
        pass(Duration.ofNanos(instant - nanos));
    }

    /** The process stands still while both clocks go on. */
    void pause(Duration duration) {
        move(duration.toNanos());
    }

    /** The machine is suspended: the monotonic clock stands still. */
    void suspend(Duration duration) {
        asleepNanos += duration.toNanos();
        stepWall(duration);
    }

    /** The wall clock is set. */
    void stepWall(Duration duration) {
        wallMillis += duration.toMillis();
    }

    private void move(long by) {
        long before = Math.floorDiv(nanos, 1_000_000L);
        nanos += by;
        wallMillis += Math.floorDiv(nanos, 1_000_000L) - before;
    }

    void tick() {
        take(machine.tick(now()));
    }

    // ---- what happens to it ----

    void on(ElectionEvent event) {
        take(machine.on(key, event, now()));
    }

    void on(SessionEvent event) {
        take(machine.on(event, now()));
    }

    void campaign(String value) {
        on(new ElectionEvent.Campaign(value));
    }

    void withdraw() {
        on(new ElectionEvent.Withdraw(EndReason.WITHDRAWN));
    }

    void resign() {
        on(new ElectionEvent.Resign(lastTerm().number(), EndReason.RESIGNED));
    }

    void workStopped() {
        on(new ElectionEvent.WorkStopped(lastTerm().number()));
    }

    void proclaim(long command, String value) {
        on(new ElectionEvent.Proclaim(command, lastTerm().number(), value));
    }

    void observe(boolean on) {
        on(new ElectionEvent.Observe(on));
    }

    void hint(Observation seen) {
        on(new ElectionEvent.Hinted(seen));
    }

    void placed(int place) {
        on(new ElectionEvent.Placed(place));
    }

    void gap() {
        take(machine.onGap(now()));
    }

    /** The watch was opened, or has broken. */
    void watch(boolean open) {
        take(machine.onWatch(open, now()));
    }

    void clocksMoved() {
        take(machine.onClocksMoved(now()));
    }

    void close() {
        take(machine.close(now()));
    }

    void take(List<Action> actions) {
        log.addAll(actions);
        for (Action action : actions) {
            if (action instanceof ElectionAction.Begin begin) {
                lastTerm = begin.term();
            } else if (action instanceof ElectionAction.End end) {
                lossReason = end.reason();
            }
        }
        actions.stream().filter(Rig::isRequest).forEach(waiting::add);
    }

    static boolean isRequest(Action action) {
        return action instanceof ElectionAction.Request
                || action instanceof SessionAction.Request
                || action instanceof SweepAction;
    }

    // ---- its requests ----

    /** The one request of that kind that waits. */
    <T extends Action> T only(Class<T> type) {
        List<T> found = all(type);
        assertThat(found).as("waiting %s", type.getSimpleName()).hasSize(1);
        return found.get(0);
    }

    <T extends Action> List<T> all(Class<T> type) {
        return waiting.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <T extends Action> T newest(Class<T> type) {
        List<T> found = all(type);
        assertThat(found).as("waiting %s", type.getSimpleName()).isNotEmpty();
        return found.get(found.size() - 1);
    }

    /** The request takes effect in the store; its reply is in the test's hands. */
    Answer land(Action request) {
        return server.land(request, nanos, wallMillis);
    }

    void deliver(Action request, Answer answer) {
        waiting.remove(request);
        take(answer.deliver(machine, now()));
    }

    /** The request takes effect and is answered, now. */
    void answer(Action request) {
        deliver(request, land(request));
    }

    /** Answers the only request of that kind. */
    <T extends Action> T answer(Class<T> type) {
        T request = only(type);
        answer(request);
        return request;
    }

    void answer(ElectionAction.Request write, WriteOutcome outcome) {
        waiting.remove(write);
        on(new ElectionEvent.WriteAnswered(write.request(), outcome));
    }

    /** The request never reaches the store, or its reply never comes back. */
    void lose(Action request) {
        waiting.remove(request);
    }

    void loseAll() {
        waiting.clear();
    }

    /** The call failed: what it did is unknown. */
    void fail(Action request) {
        waiting.remove(request);
        if (request instanceof ElectionAction.Request r) {
            on(new ElectionEvent.Unanswered(r.request()));
        } else if (request instanceof SweepAction r) {
            take(machine.onSweepFailed(r.request(), null, now()));
        } else {
            on(new SessionEvent.Unanswered(((SessionAction.Request) request).request()));
        }
    }

    void fault(Action request, String message) {
        waiting.remove(request);
        if (request instanceof ElectionAction.Request r) {
            on(new ElectionEvent.Faulted(r.request(), message));
        } else if (request instanceof SweepAction r) {
            take(machine.onSweepFailed(r.request(), message, now()));
        } else {
            on(new SessionEvent.Faulted(((SessionAction.Request) request).request(), message));
        }
    }

    /** Answers what waits, and what is asked because of that, at this very instant. */
    void serve() {
        for (int steps = 0; !waiting.isEmpty(); steps++) {
            assertThat(steps).as("requests at one instant").isLessThan(1_000);
            answer(waiting.get(0));
        }
    }

    // ---- what it says ----

    Role role() {
        return machine.role(key);
    }

    CandidacyStatus.State status() {
        return machine.status(key, now());
    }

    <T extends Action> List<T> said(Class<T> type) {
        return log.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <T extends Action> T last(Class<T> type) {
        List<T> found = said(type);
        assertThat(found).as("any %s so far", type.getSimpleName()).isNotEmpty();
        return found.get(found.size() - 1);
    }

    Term lastTerm() {
        assertThat(lastTerm).as("a term so far").isNotNull();
        return lastTerm;
    }

    /** How it last said that it stands. */
    Stance stance() {
        List<ElectionAction.Stood> all = said(ElectionAction.Stood.class);
        return all.isEmpty() ? Stance.Absent.INSTANCE : all.get(all.size() - 1).stance();
    }

    /** Why the last term ended. */
    EndReason lossReason() {
        return lossReason;
    }

    /** What a caller's thread is told at this instant. */
    boolean isValid() {
        return lastTerm().check(this::now) == LeaseCell.Verdict.OPEN;
    }

    Observation.Held held() {
        Role role = role();
        Observation.Held held = role instanceof Role.Leading leading
                ? leading.held()
                : role instanceof Role.Settling settling
                        ? settling.held()
                        : role instanceof Role.Stopping stopping ? stopping.held() : null;
        assertThat(held).as("a record held in %s", role).isNotNull();
        return held;
    }

    // ---- the store, and others in it ----

    Observation stored() {
        return server.model.read(key, nanos);
    }

    Observation.Held storedHeld() {
        assertThat(stored()).isInstanceOf(Observation.Held.class);
        return (Observation.Held) stored();
    }

    boolean isVacant() {
        return stored() instanceof Observation.Vacant;
    }

    /** Somebody else takes the key on whatever stands there; the session it uses, where there are sessions, else 0. */
    long rivalTakes(Duration lease) {
        long session = kind.sharesSession() ? server.model.openSession(lease.toNanos(), nanos) : 0;
        LeaderRecord proposal =
                LeaderRecord.proposal("b", RIVAL, new Id(0xBBBB, nanos | 1), "rival", lease, wallMillis);
        WriteOutcome outcome = server.model.acquire(key, stored(), proposal, session, nanos, wallMillis);
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        return session;
    }

    void rivalRenews(long session) {
        if (kind.sharesSession()) {
            server.model.renewSession(session, nanos);
        } else {
            update(storedHeld().record(), Intent.RENEW);
        }
    }

    void rivalReleases() {
        assertThat(server.model.release(storedHeld(), nanos)).isInstanceOf(WriteOutcome.Written.class);
    }

    /** Somebody asks whoever holds the record to leave. */
    void askToLeave() {
        update(storedHeld().record().askedToLeave(), Intent.ASK_TO_LEAVE);
    }

    void update(LeaderRecord record, Intent intent) {
        // Whoever first updates a record writes its term in.
        LeaderRecord withTerm = record.withTerm(storedHeld().term());
        assertThat(server.model.update(storedHeld(), withTerm, intent, nanos)).isInstanceOf(WriteOutcome.Written.class);
    }
}
