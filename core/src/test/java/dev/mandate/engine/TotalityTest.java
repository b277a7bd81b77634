package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Stance;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * "{@code ElectionMachine} is a total, deterministic function with memory" (section 4): any event in any role, in any
 * order, with any content, on clocks that jump. Some answers are honest, so that every role is reached; most are not.
 */
class TotalityTest {
    private static final int SEEDS = 80;
    private static final int STEPS = 400;

    /** No event throws in any role, and what must hold whatever a store says does hold. */
    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void noEventThrowsInAnyRole(StoreKind kind) {
        Map<String, Integer> met = new TreeMap<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                new Mob(kind, seed, met).run();
            } catch (Throwable e) {
                throw new AssertionError(kind + ", seed " + seed, e);
            }
        }

        for (Class<?> role : Role.class.getPermittedSubclasses()) {
            for (Class<?> event : ElectionEvent.class.getPermittedSubclasses()) {
                assertThat(met).as("a run without this pair proves nothing").containsKey(pair(role, event));
            }
        }
    }

    /** "[...] deterministic": the same events make the same actions. */
    @Test
    void theSameEventsMakeTheSameActions() {
        for (StoreKind kind : StoreKind.values()) {
            for (int seed = 0; seed < 5; seed++) {
                assertThat(actions(kind, seed)).isEqualTo(actions(kind, seed));
            }
        }
    }

    private static List<String> actions(StoreKind kind, int seed) {
        Mob mob = new Mob(kind, seed, new TreeMap<>());
        mob.run();
        // Objects that are compared by identity have no text of their own.
        return mob.rig.log.stream()
                .map(a -> a.toString().replaceAll("@[0-9a-f]+", ""))
                .toList();
    }

    private static String pair(Class<?> role, Class<?> event) {
        return role.getSimpleName() + " x " + event.getSimpleName();
    }

    private static final class Mob {
        final Rig rig;
        final Random random;
        final Map<String, Integer> met;
        final List<SessionLease> sessions = new ArrayList<>();
        private int checked;
        private boolean working;
        private boolean stopping;
        private long lastTerm;
        private final Set<Long> overran = new HashSet<>();
        private final Set<Long> askedToProclaim = new HashSet<>();
        private long awaited = -1;
        private Stance stance = Stance.Absent.INSTANCE;

        Mob(StoreKind kind, long seed, Map<String, Integer> met) {
            this.random = new Random(seed);
            this.met = met;
            RigDraft draft = Rig.on(kind);
            this.rig = (seed % 2 == 0 ? draft : draft.ordered())
                    .entropy(new SeededEntropy(seed))
                    .settle(one(List.of(Settle.values())))
                    .overrun(one(List.of(OverrunPolicy.values())))
                    .origin(random.nextLong() / 4)
                    .idle();
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(3) > 0) {
                    rig.campaign("value");
                    check();
                }
                passTime();
                check();
                if (!rig.waiting.isEmpty() && random.nextInt(3) > 0) {
                    honest(one(rig.waiting));
                } else if (random.nextInt(6) == 0) {
                    rig.on(sessionEvent());
                } else if (random.nextInt(12) == 0) {
                    sweep();
                } else {
                    ElectionEvent event = event();
                    met.merge(pair(rig.role().getClass(), event.getClass()), 1, Integer::sum);
                    long before = lastTerm;
                    stopping = event instanceof ElectionEvent.WorkStopped stopped && stopped.term() == before;
                    rig.on(event);
                    check();
                    // Not the work that has begun just now, of another term.
                    working &= !stopping || lastTerm != before;
                    stopping = false;
                }
                check();
                settles();
            }
        }

        private void passTime() {
            switch (random.nextInt(12)) {
                case 0 -> rig.pass(Duration.ofMillis(random.nextInt(3_000)));
                case 1 -> rig.pause(Duration.ofMillis(random.nextInt(12_000)));
                case 2 -> rig.stepWall(Duration.ofMillis(random.nextInt(60_000) - 30_000));
                case 3 -> rig.nanos -= random.nextInt(1_000_000);
                case 4 -> rig.wallMillis = random.nextLong();
                default -> rig.pass(Duration.ofMillis(random.nextInt(200)));
            }
        }

        private void honest(Action request) {
            if (request instanceof ElectionAction.Acquire acquire && acquire.session() != null) {
                sessions.add(acquire.session());
            }
            if (random.nextInt(8) == 0) {
                rig.lose(request);
            } else {
                rig.answer(request);
            }
        }

        private void sweep() {
            long request = requestId();
            Cursor next = random.nextBoolean() ? null : new Cursor("" + random.nextInt(3));
            Page<Observation> page = new Page<>(List.of(observation(), observation()), next);
            rig.take(
                    switch (random.nextInt(4)) {
                        case 0 -> rig.machine.onSweepFailed(request, null, rig.now());
                        case 1 -> rig.machine.onSweepFailed(request, "not permitted", rig.now());
                        default -> rig.machine.onSweep(request, page, rig.now());
                    });
            if (random.nextBoolean()) {
                rig.gap();
            }
        }

        private ElectionEvent event() {
            long term = random.nextBoolean() ? lastTerm : random.nextLong();
            EndReason reason = one(List.of(EndReason.values()));
            return switch (random.nextInt(19)) {
                case 0 -> ElectionEvent.Tick.INSTANCE;
                case 1 -> new ElectionEvent.Campaign(text());
                case 2 -> new ElectionEvent.Withdraw(reason);
                case 3 -> new ElectionEvent.Resign(term, reason);
                case 4 -> {
                    long command = askedToProclaim.size();
                    askedToProclaim.add(command);
                    yield new ElectionEvent.Proclaim(command, term, text());
                }
                case 5 -> new ElectionEvent.Observe(random.nextBoolean());
                case 6 -> new ElectionEvent.WorkStopped(term);
                case 7 -> new ElectionEvent.ReadAnswered(requestId(), observation());
                case 8 -> new ElectionEvent.WriteAnswered(requestId(), outcome());
                case 9 -> new ElectionEvent.Unanswered(requestId());
                case 10 -> new ElectionEvent.Faulted(requestId(), text());
                case 11 -> new ElectionEvent.Swept(random.nextLong(), random.nextBoolean() ? null : observation());
                case 12 -> new ElectionEvent.Hinted(observation());
                case 13 -> ElectionEvent.Gap.INSTANCE;
                case 14 -> new ElectionEvent.SessionUp(session());
                case 16 -> ElectionEvent.NotSwept.INSTANCE;
                case 17 -> new ElectionEvent.Placed(random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(10));
                case 15 ->
                    random.nextBoolean()
                            ? new ElectionEvent.SessionLatched(session())
                            : new ElectionEvent.SessionOver(session());
                default -> new ElectionEvent.TermLatched(term);
            };
        }

        private SessionEvent sessionEvent() {
            Duration granted = duration();
            return switch (random.nextInt(7)) {
                case 0 -> new SessionEvent.Opened(requestId(), new TestServer.TestSession(1_000, granted));
                case 1 -> new SessionEvent.Renewed(requestId(), SessionRenewal.renewed(granted));
                case 2 -> new SessionEvent.Renewed(requestId(), SessionRenewal.gone());
                case 3 -> new SessionEvent.Ended(requestId());
                case 4 -> new SessionEvent.Unanswered(requestId());
                case 5 -> new SessionEvent.Faulted(requestId(), text());
                default -> new SessionEvent.Latched(session());
            };
        }

        private SessionLease session() {
            if (!sessions.isEmpty() && random.nextBoolean()) {
                return one(sessions);
            }
            return new SessionLease(
                    new TestServer.TestSession(2_000, Rig.L), rig.timing.window(rig.now(), 1), rig.timing);
        }

        private long requestId() {
            if (!rig.waiting.isEmpty() && random.nextBoolean()) {
                Action request = one(rig.waiting);
                return request instanceof ElectionAction.Request r
                        ? r.request()
                        : request instanceof SessionAction.Request r ? r.request() : ((SweepAction) request).request();
            }
            return random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(200) - 2;
        }

        private Observation observation() {
            Observation stored = rig.stored();
            return switch (random.nextInt(6)) {
                case 0 -> Observation.vacant(Rig.KEY, stored.basis());
                case 1 ->
                    Observation.foreign(
                            Rig.KEY,
                            stored.basis(),
                            new Alive(random.nextInt(3)),
                            random.nextInt(3) - 1,
                            text(),
                            random.nextBoolean() ? null : duration());
                case 2, 3 -> held(stored);
                default -> stored;
            };
        }

        private Observation.Held held(Observation stored) {
            Id incarnation = random.nextBoolean() ? Rig.INCARNATION : Rig.RIVAL;
            Id attempt = new Id(random.nextInt(3), random.nextInt(3));
            Role role = rig.role();
            if (role instanceof Role.Acquiring acquiring) {
                attempt = acquiring.attempt();
            } else if (role instanceof Role.Doubting doubting) {
                attempt = doubting.attempt();
            } else if (role instanceof Role.Leading leading && random.nextBoolean()) {
                attempt = leading.term().attempt();
            }
            Duration lease = duration();
            LeaderRecord record = new LeaderRecord(
                    text(),
                    incarnation,
                    attempt,
                    text(),
                    lease.isNegative() || lease.isZero() ? Rig.L : lease,
                    random.nextInt(3) == 0 ? Math.abs(random.nextInt(1_000)) : 0,
                    random.nextInt(4) == 0,
                    random.nextLong(),
                    Map.of());
            return Observation.held(
                    Rig.KEY, stored.basis(), new Alive(random.nextInt(3)), lastTerm + random.nextInt(5) - 1, record);
        }

        private WriteOutcome outcome() {
            return switch (random.nextInt(5)) {
                case 0 -> WriteOutcome.written(observation());
                case 1 -> WriteOutcome.renewed(observation(), duration());
                case 2 -> WriteOutcome.refused();
                case 3 -> WriteOutcome.refusedFor(duration(), random.nextBoolean() ? null : observation());
                default -> WriteOutcome.refused(observation());
            };
        }

        private Duration duration() {
            return switch (random.nextInt(6)) {
                case 0 -> Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
                case 1 -> Duration.ofSeconds(Long.MIN_VALUE);
                case 2 -> Duration.ZERO;
                case 3 -> Duration.ofNanos(random.nextInt(20));
                default -> Duration.ofMillis(random.nextInt(30_000));
            };
        }

        private <T> T one(List<T> of) {
            return of.get(random.nextInt(of.size()));
        }

        private String text() {
            return "t" + random.nextInt(3);
        }

        /** What must hold whatever a store says. */
        private void check() {
            for (; checked < rig.log.size(); checked++) {
                Action action = rig.log.get(checked);
                if (action instanceof ElectionAction.Begin begin) {
                    assertThat(working).as("work of two terms").isFalse();
                    assertThat(begin.term().number()).as("terms rise").isGreaterThan(lastTerm);
                    lastTerm = begin.term().number();
                    working = true;
                } else if (action instanceof ElectionAction.End end) {
                    assertThat(end.term().number()).isEqualTo(lastTerm);
                    assertThat(end.term().check(rig::now)).isEqualTo(LeaseCell.Verdict.LATCHED);
                } else if (action instanceof ElectionAction.Overrun overrun) {
                    assertThat(working).isTrue();
                    assertThat(overran.add(overrun.term().number()))
                            .as("reported once")
                            .isTrue();
                } else if (action instanceof ElectionAction.Proclaimed proclaimed) {
                    assertThat(askedToProclaim.contains(proclaimed.command())).isTrue();
                } else if (action instanceof ElectionAction.Stood stood) {
                    assertThat(stood.stance()).as("a change").isNotEqualTo(stance);
                    stance = stood.stance();
                } else if (action instanceof ElectionAction.Request request) {
                    checkRequest(request);
                }
            }
        }

        private void checkRequest(ElectionAction.Request request) {
            assertThat(request.request()).as("requests are numbered").isGreaterThan(awaited);
            awaited = request.request();
            if (request instanceof ElectionAction.Release release
                    && working
                    && !stopping
                    && !release.basis().isForeign()) {
                boolean covered = overran.contains(lastTerm);
                boolean others = !release.basis().isAttempt(rig.lastTerm().attempt());
                assertThat(covered || others)
                        .as("released before the work stopped")
                        .isTrue();
            }
            if (request instanceof ElectionAction.Acquire && rig.settings.ordered()) {
                // Said at the end of the step, if it was not said before.
                assertThat(stance == Stance.Seeking.INSTANCE ? stance : nextStance())
                        .as("the stance of whoever tries")
                        .isEqualTo(Stance.Seeking.INSTANCE);
            }
            if (request instanceof ElectionAction.Acquire) {
                assertThat(working && !stopping)
                        .as("acquires while earlier work runs")
                        .isFalse();
            }
        }

        private Stance nextStance() {
            return rig.log.stream()
                    .skip(checked)
                    .filter(ElectionAction.Stood.class::isInstance)
                    .map(action -> ((ElectionAction.Stood) action).stance())
                    .findFirst()
                    .orElse(stance);
        }

        /** It may want another tick at once, but not for ever. */
        private void settles() {
            for (int i = 0; i < 5 && rig.machine.wakeAtNanos() <= rig.nanos; i++) {
                rig.tick();
            }
            assertThat(rig.machine.wakeAtNanos()).as("spins in %s", rig.role()).isGreaterThan(rig.nanos);
            check();
        }
    }

    private record Alive(int beat) implements dev.mandate.spi.Liveness, dev.mandate.spi.Basis {}
}
