package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * To the nanosecond when sessions are opened, renewed and ended, and who is told; whatever is drawn is the latest that
 * may be.
 */
class SessionMachineTest {
    private static final LeaseTiming TIMING = Rig.TIMING;
    private static final long START = 5_000_000_000_000L;
    private static final long ANSWER = TIMING.requestTimeoutNanos();
    private static final long RETRY = TIMING.retryIntervalNanos();
    private static final Duration L = Rig.L;
    private static final int STEPS_MAX = 10_000;

    private final Entropy entropy = new LatestEntropy();
    private final Retries retries = new Retries(TIMING, entropy);
    private final List<Action> out = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private int steps;
    private long requests;
    private long nanos = START;
    private SessionMachine machine = machine(L);

    private SessionMachine machine(Duration freed) {
        ElectionSettings settings = new ElectionSettings(
                "a",
                Rig.INCARNATION,
                TIMING,
                Expiry.STORE_REMOVES,
                LeaseScope.SESSION,
                freed.toNanos(),
                0,
                Settle.NEVER,
                0,
                OverrunPolicy.RELEASE,
                false);
        SessionMachine.Listener listener = new SessionMachine.Listener() {
            @Override
            public void up(SessionLease session) {
                told.add("up " + session.handle().id());
            }

            @Override
            public void latched(SessionLease session) {
                told.add("latched " + session.handle().id());
            }

            @Override
            public void over(SessionLease session) {
                told.add("over " + session.handle().id());
            }
        };
        return new SessionMachine(settings, entropy, retries, () -> requests++, listener);
    }

    private Now now() {
        // A wall clock that stands still says nothing, so that every instant is exact.
        return new Now(nanos, nanos, 1_767_225_600_000L);
    }

    /** Tells it, and returns what it asks for then. */
    private List<Action> on(@Nullable SessionEvent event) {
        assertThat(++steps).as("steps").isLessThan(STEPS_MAX);
        out.clear();
        machine.look(event, now(), out);
        List<Action> asked = new ArrayList<>(out);
        out.clear();
        machine.proceed(now(), out);
        asked.addAll(out);
        return asked;
    }

    /** To the instant that it wants to be woken at, just before which it wants nothing. */
    private List<Action> onWaking() {
        long wake = machine.wakeAtNanos();
        assertThat(wake).isGreaterThan(nanos).isLessThan(Long.MAX_VALUE);
        nanos = wake - 1;
        assertThat(on(null)).isEmpty();
        assertThat(machine.wakeAtNanos()).isEqualTo(wake);
        nanos = wake;
        return on(null);
    }

    private static StoreSession session(int number) {
        return session(number, L);
    }

    private static StoreSession session(int number, Duration granted) {
        return new TestServer.TestSession(number, granted);
    }

    private SessionAction.Open opening() {
        machine.want(true);
        on(null);
        List<Action> asked = onWaking();
        assertThat(asked).singleElement().isInstanceOf(SessionAction.Open.class);
        return (SessionAction.Open) asked.get(0);
    }

    private SessionLease open(StoreSession handle) {
        SessionAction.Open open = opening();
        assertThat(on(new SessionEvent.Opened(open.request(), handle))).isEmpty();
        return current();
    }

    private SessionLease current() {
        SessionLease current = machine.current();
        assertThat(current).isNotNull();
        return current;
    }

    private static <T extends Action> T only(List<Action> asked, Class<T> type) {
        assertThat(asked).singleElement().isInstanceOf(type);
        return type.cast(asked.get(0));
    }

    @Test
    void theFirstOneIsOpenedWithinTheSplay() {
        machine.want(true);
        assertThat(on(null)).isEmpty();
        assertThat(machine.wakeAtNanos()).isEqualTo(START + TIMING.splayNanos());

        SessionAction.Open open = only(onWaking(), SessionAction.Open.class);

        assertThat(open.timeoutNanos()).isEqualTo(ANSWER);
        assertThat(open.leaseNanos()).isEqualTo(L.toNanos());
        assertThat(machine.wakeAtNanos()).isEqualTo(nanos + ANSWER);
        assertThat(on(null)).isEmpty();
    }

    @Test
    void whoeverWantsNoneOpensNone() {
        assertThat(on(null)).isEmpty();
        assertThat(machine.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
        nanos += Duration.ofDays(1).toNanos();
        assertThat(on(null)).isEmpty();
    }

    /** Under whatever number it was asked for. */
    @Test
    void anOpeningThatIsNotAnsweredIsOverAfterAnAnswersTime() {
        SessionAction.Open open = opening();
        assertThat(open.request()).isZero();
        long sent = nanos;

        assertThat(onWaking()).isEmpty();
        assertThat(nanos).isEqualTo(sent + ANSWER);
        SessionAction.Open next = only(onWaking(), SessionAction.Open.class);

        assertThat(nanos).isEqualTo(sent + ANSWER + RETRY + RETRY / 5);
        StoreSession late = session(1);
        assertThat(only(on(new SessionEvent.Opened(open.request(), late)), SessionAction.End.class)
                        .handle())
                .isEqualTo(late);
        assertThat(on(new SessionEvent.Opened(next.request(), session(2)))).isEmpty();
        assertThat(told).containsExactly("up " + session(2).id());
    }

    @Test
    void itIsRenewedATenthOfTheIntervalEarlyAtMost() {
        SessionAction.Open open = opening();
        long sent = nanos;
        nanos += ANSWER / 2;
        assertThat(on(new SessionEvent.Opened(open.request(), session(1)))).isEmpty();
        long interval = TIMING.renewIntervalNanos();

        SessionAction.Renew renew = only(onWaking(), SessionAction.Renew.class);

        assertThat(nanos).isEqualTo(sent + interval - interval / 10);
        assertThat(renew.timeoutNanos()).isEqualTo(ANSWER);
        long renewed = nanos;
        nanos += ANSWER / 2;
        assertThat(on(new SessionEvent.Renewed(renew.request(), SessionRenewal.renewed(L))))
                .isEmpty();
        only(onWaking(), SessionAction.Renew.class);
        assertThat(nanos).isEqualTo(renewed + interval - interval / 10);
    }

    /** Twice after the retry spacing, so that three tries fit, and then ever later. */
    @Test
    void aRenewalThatFailsIsRepeated() {
        open(session(1, Duration.ofSeconds(10)));
        List<Long> pauses = new ArrayList<>();
        SessionAction.Renew renew = only(onWaking(), SessionAction.Renew.class);
        for (int i = 0; i < 4; i++) {
            long failed = nanos;
            assertThat(on(new SessionEvent.Unanswered(renew.request()))).isEmpty();
            renew = only(onWaking(), SessionAction.Renew.class);
            pauses.add((nanos - failed) / 1_000_000);
        }

        assertThat(pauses).containsExactly(250L, 250L, 500L, 1_000L);
        // Silence is noticed after an answer's time, and counts as well.
        long sent = nanos;
        assertThat(onWaking()).isEmpty();
        assertThat(nanos).isEqualTo(sent + ANSWER);
    }

    @Test
    void aRenewalThatGrantsNothingIsNone() {
        SessionLease lease = open(session(1));
        LeaseWindow before = lease.cell().window();
        SessionAction.Renew renew = only(onWaking(), SessionAction.Renew.class);
        long failed = nanos;

        assertThat(on(new SessionEvent.Renewed(renew.request(), SessionRenewal.renewed(Duration.ZERO))))
                .isEmpty();

        assertThat(lease.cell().window()).isEqualTo(before);
        only(onWaking(), SessionAction.Renew.class);
        assertThat(nanos).isEqualTo(failed + RETRY);
    }

    /** Renewed ever again, but never in time, it is believed no longer than its window says. */
    @Test
    void itIsLatchedAtItsStop() {
        SessionLease lease = open(session(1));
        long stop = lease.cell().window().stopAtNanos();
        while (machine.wakeAtNanos() < stop) {
            for (Action asked : onWaking()) {
                on(new SessionEvent.Unanswered(((SessionAction.Request) asked).request()));
            }
        }
        assertThat(told).containsExactly("up " + lease.handle().id());

        nanos = stop;
        on(null);

        assertThat(told)
                .containsExactly(
                        "up " + lease.handle().id(), "latched " + lease.handle().id());
        assertThat(machine.current()).isNull();
    }

    @Test
    void aGrantThatIsOverWhenItComesIsLatchedAtOnceAndFollowedByAnother() {
        SessionAction.Open open = opening();
        nanos += ANSWER - 1;
        StoreSession brief = session(1, Duration.ofMillis(500));

        List<Action> asked = on(new SessionEvent.Opened(open.request(), brief));

        assertThat(told).containsExactly("latched " + brief.id());
        assertThat(machine.current()).isNull();
        assertThat(opened(asked)).isNotNull();
        assertThat(asked)
                .hasSize(2)
                .anyMatch(action ->
                        action instanceof SessionAction.End end && end.handle().equals(brief));
    }

    @Test
    void aGrantOfNothingIsEndedAndCountsAsNotOpened() {
        SessionAction.Open open = opening();

        only(on(new SessionEvent.Opened(open.request(), session(1, Duration.ZERO))), SessionAction.End.class);

        long failed = nanos;
        only(onWaking(), SessionAction.Open.class);
        assertThat(nanos).isEqualTo(failed + RETRY + RETRY / 5);
        assertThat(told).isEmpty();
    }

    /** The store may still keep it: until then nobody may take it for gone. */
    @Test
    void oneWhoseEndIsNotConfirmedIsOverWhenTheStoreHasCertainlyFreedIt() {
        SessionLease lease = open(session(1));
        machine.want(false);
        SessionAction.Renew renew = only(onWaking(), SessionAction.Renew.class);
        long asked = nanos;
        on(new SessionEvent.Unanswered(renew.request()));
        lease.cell().latch();
        SessionAction.End end = only(on(new SessionEvent.Latched(lease)), SessionAction.End.class);
        assertThat(end.timeoutNanos()).isEqualTo(ANSWER);
        long over = asked + L.toNanos() + ANSWER;
        while (machine.wakeAtNanos() < over) {
            for (Action again : onWaking()) {
                on(new SessionEvent.Unanswered(((SessionAction.End) again).request()));
            }
        }
        assertThat(told).doesNotContain("over " + lease.handle().id());
        assertThat(machine.wakeAtNanos()).isEqualTo(over);

        nanos = over;
        on(null);

        assertThat(told).endsWith("over " + lease.handle().id());
        assertThat(machine.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aConfirmedEndIsToldAtOnce() {
        SessionLease lease = open(session(1));
        machine.want(false);
        lease.cell().latch();
        SessionAction.End end = only(on(new SessionEvent.Latched(lease)), SessionAction.End.class);

        assertThat(on(new SessionEvent.Ended(end.request()))).isEmpty();

        assertThat(told).endsWith("over " + lease.handle().id());
        assertThat(on(new SessionEvent.Ended(end.request()))).isEmpty();
        assertThat(told).hasSize(3);
        assertThat(machine.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** Work drains under it: others must not get what it holds. */
    @Test
    void oneThatCoversWorkIsRenewedThoughItIsLatched() {
        SessionLease lease = open(session(1));
        machine.want(false);
        lease.cover();
        lease.cell().latch();
        assertThat(on(new SessionEvent.Latched(lease))).isEmpty();

        SessionAction.Renew renew = only(onWaking(), SessionAction.Renew.class);
        assertThat(on(new SessionEvent.Renewed(renew.request(), SessionRenewal.renewed(L))))
                .isEmpty();

        assertThat(lease.cell().isLatched()).isTrue();
        lease.uncover();
        only(on(null), SessionAction.End.class);
    }

    /** Only that one, and only once. */
    @Test
    void whoeverSawItsStopPassLatchesIt() {
        SessionLease first = open(session(1));
        first.cover();
        first.cell().latch();
        on(new SessionEvent.Latched(first));
        assertThat(told).endsWith("latched " + first.handle().id());
        SessionLease second = open(session(2));
        int before = told.size();

        on(new SessionEvent.Latched(first));

        assertThat(told).hasSize(before);
        assertThat(machine.current()).isSameAs(second);
        assertThat(second.cell().isLatched()).isFalse();
    }

    /** Taken for late, it would end a session whose work still drains. */
    @Test
    void anAnswerThatComesTwiceEndsNothing() {
        SessionAction.Open open = opening();
        StoreSession handle = session(1);
        on(new SessionEvent.Opened(open.request(), handle));
        SessionLease first = current();
        assertThat(on(new SessionEvent.Opened(open.request(), handle))).isEmpty();
        first.cover();
        first.cell().latch();
        on(new SessionEvent.Latched(first));
        open(session(2));

        assertThat(on(new SessionEvent.Opened(open.request(), handle))).isEmpty();
    }

    @Test
    void closingEndsItAndIsDoneWhenThatIsConfirmed() {
        SessionLease lease = open(session(1));
        assertThat(machine.isClosed()).isFalse();

        machine.close();
        SessionAction.End end = only(on(null), SessionAction.End.class);

        assertThat(lease.cell().isLatched()).isTrue();
        assertThat(told).endsWith("latched " + lease.handle().id());
        assertThat(machine.isClosed()).isFalse();
        assertThat(on(new SessionEvent.Ended(end.request()))).isEmpty();
        assertThat(machine.isClosed()).isTrue();
    }

    @Test
    void closingWaitsForAnOpeningAndLeavesWhatCoversWork() {
        SessionAction.Open open = opening();
        assertThat(open.request()).isZero();
        machine.close();
        on(null);
        assertThat(machine.isClosed()).isFalse();
        only(on(new SessionEvent.Opened(open.request(), session(1))), SessionAction.End.class);
        assertThat(machine.isClosed()).isTrue();

        machine = machine(L);
        SessionLease covering = open(session(2));
        covering.cover();
        machine.close();
        assertThat(on(null)).isEmpty();
        assertThat(machine.isClosed()).isTrue();
    }

    /** A store that grants sessions and does not end them must not be filled with them. */
    @Test
    void noFurtherOneIsOpenedWhileSixteenAreWaitingForTheirEnd() {
        machine = machine(Duration.ofHours(1));
        List<SessionLease> ending = new ArrayList<>();
        SessionLease covering = open(session(100));
        covering.cover();
        covering.cell().latch();
        on(new SessionEvent.Latched(covering));
        for (int i = 0; i < 16; i++) {
            StoreSession handle = session(i);
            SessionAction.Open open = null;
            while (open == null) {
                nanos = machine.wakeAtNanos();
                open = opened(on(null));
            }
            on(new SessionEvent.Opened(open.request(), handle));
            SessionLease lease = current();
            ending.add(lease);
            lease.cell().latch();
            on(new SessionEvent.Latched(lease));
        }

        for (long end = nanos + 60_000_000_000L; nanos < end; nanos = machine.wakeAtNanos()) {
            assertThat(opened(on(null))).isNull();
        }

        assertThat(IntStream.range(0, 16))
                .allMatch(i -> told.contains("latched " + session(i).id()));
        SessionAction.End end = endOf(ending.get(0));
        assertThat(opened(on(new SessionEvent.Ended(end.request())))).isNotNull();
    }

    /** The next try to end it, whenever that is. */
    private SessionAction.End endOf(SessionLease lease) {
        while (true) {
            for (Action action : on(null)) {
                if (action instanceof SessionAction.End end && end.handle().equals(lease.handle())) {
                    return end;
                }
            }
            nanos = Math.max(nanos + 1, machine.wakeAtNanos());
        }
    }

    private static SessionAction.@Nullable Open opened(List<Action> asked) {
        return asked.stream()
                .filter(SessionAction.Open.class::isInstance)
                .map(SessionAction.Open.class::cast)
                .findFirst()
                .orElse(null);
    }

    /** Numbers of requests have no meaning: the first may be that of a renewal. */
    @Test
    void aRenewalUnderTheFirstNumberIsAwaited() {
        requests = 7;
        open(session(1));
        requests = 0;
        SessionAction.Renew renew = only(onWaking(), SessionAction.Renew.class);
        assertThat(renew.request()).isZero();

        assertThat(machine.wakeAtNanos()).isEqualTo(nanos + ANSWER);
        assertThat(on(null)).isEmpty();
    }

    /** A renewal that failed is retried at once, and what else fails has one retry less. */
    @Test
    void renewalsThatAreRetriedUseUpTheBudget() {
        open(session(1));
        for (int i = 0; i < 3; i++) {
            SessionAction.Renew renew = (SessionAction.Renew) onWaking().get(0);
            on(new SessionEvent.Unanswered(renew.request()));
        }

        int left = 0;
        while (retries.pauseNanos(1, TIMING.leaseNanos(), nanos) < TIMING.pollIntervalNanos()) {
            left++;
        }

        assertThat(left).isEqualTo(TIMING.retriesPerLease() - 3);
    }
}
