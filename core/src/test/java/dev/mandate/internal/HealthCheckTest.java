package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.RunOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** When a health check is asked, how long it may take, and what its answer means: to the nanosecond. */
class HealthCheckTest {
    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofMillis(200);
    private static final Duration NANO = Duration.ofNanos(1);

    private final World world = World.withSessions();
    private final Client client;
    private final ClientElection election;

    /** What the executor was given and has not run: the task first, then a check each time. */
    private final Deque<Runnable> given = new ArrayDeque<>();

    /** When the present term began: its task was handed over. */
    private long begunNanos;

    private boolean isTaskDue;

    private boolean refuses;
    private boolean isHealthy = true;
    private volatile int asked;
    private Runnable duringCheck = () -> {};

    HealthCheckTest() {
        world.executor = piece -> {
            if (refuses) {
                throw new RejectedExecutionException("full");
            }
            if (given.isEmpty() && isTaskDue) {
                begunNanos = world.host.nanos();
                isTaskDue = false;
            }
            given.add(piece);
        };
        client = world.client("a");
        election = (ClientElection) client.election("e");
    }

    /** Wins; the task waits for a thread, and its term lasts. */
    private WonLeadership win() {
        election.runWhileLeader(
                "v",
                RunOptions.DEFAULTS.withHealthCheck(
                        () -> {
                            asked++;
                            duringCheck.run();
                            return isHealthy;
                        },
                        EVERY,
                        TIMEOUT),
                leadership -> {});
        return nextTerm();
    }

    private WonLeadership nextTerm() {
        isTaskDue = true;
        world.passUntil(() -> !given.isEmpty());
        given.remove();
        return election.leadership();
    }

    /** Lets time pass until so long after the present term began. */
    private void passSinceBegin(Duration howLong) {
        world.pass(Duration.ofNanos(begunNanos + howLong.toNanos() - world.host.nanos()));
    }

    /** The next check is asked, and its thread hangs until {@code let}. */
    private Thread hang(CountDownLatch let) {
        duringCheck = () -> {
            while (let.getCount() > 0) {
                try {
                    let.await();
                } catch (InterruptedException e) {
                    // It ignores that it should stop.
                }
            }
        };
        int before = asked;
        Thread hangs = new Thread(given.remove());
        hangs.setDaemon(true);
        hangs.start();
        world.await(() -> asked > before);
        duringCheck = () -> {};
        return hangs;
    }

    private void answer() {
        given.remove().run();
        world.host.settle();
    }

    @Test
    void itIsAskedWhenEveryHasPassedAndAgainSoLongAfterEachAnswer() {
        WonLeadership won = win();
        passSinceBegin(EVERY.minus(NANO));
        for (int i = 0; i < 5; i++) {
            assertThat(given).isEmpty();
            world.pass(NANO);
            assertThat(given).hasSize(1);
            world.pass(TIMEOUT.minus(NANO));
            answer();
            assertThat(asked).isEqualTo(i + 1);
            world.pass(EVERY.minus(NANO));
        }

        assertThat(won.isValid()).isTrue();
    }

    @Test
    void anAnswerOfNoEndsTheTermAtOnce() {
        WonLeadership won = win();
        world.pass(EVERY);
        isHealthy = false;

        answer();

        assertThat(won.reason()).isEqualTo(EndReason.UNHEALTHY);
        assertThat(world.logged(line -> line.contains("the health check failed")))
                .isNotEmpty();
        world.pass(Duration.ofMillis(10));
        assertThat(world.isVacant("e")).isTrue();
        assertThat(election.status().state()).isEqualTo(CandidacyStatus.State.COOLING_DOWN);
    }

    @Test
    void noAnswerInTimeEndsTheTermWhenTheTimeIsOver() {
        WonLeadership won = win();
        passSinceBegin(EVERY.plus(TIMEOUT).minus(NANO));
        assertThat(won.isValid()).isTrue();

        world.pass(NANO);

        assertThat(won.reason()).isEqualTo(EndReason.UNHEALTHY);
    }

    /** It waited for a thread all the time, and nobody wants its answer any more. */
    @Test
    void aCheckThatHasNotBegunInTimeNeverDoes() {
        win();
        world.pass(EVERY.plus(TIMEOUT));

        answer();

        assertThat(asked).isZero();
    }

    @Test
    void aCheckThatNobodyTakesEndsTheTerm() {
        WonLeadership won = win();
        refuses = true;
        world.pass(EVERY);

        assertThat(won.reason()).isEqualTo(EndReason.UNHEALTHY);
    }

    @Test
    void whenTheTermIsOverNothingIsAskedAnyMore() {
        WonLeadership won = win();
        won.resign();
        world.pass(EVERY.multipliedBy(2));

        assertThat(given).isEmpty();
        assertThat(won.reason()).isEqualTo(EndReason.RESIGNED);
    }

    /** The next term asks when its own time comes. */
    @Test
    void anAnswerAfterTheTermSaysNothing() {
        WonLeadership first = win();
        world.pass(EVERY);
        Runnable late = given.remove();
        first.resign();
        WonLeadership second = nextTerm();
        isHealthy = false;

        late.run();
        world.host.settle();
        assertThat(second.isValid()).isTrue();
        assertThat(first.reason()).isEqualTo(EndReason.RESIGNED);
        isHealthy = true;
        passSinceBegin(EVERY.minus(NANO));
        assertThat(given).isEmpty();
        world.pass(NANO);
        answer();

        assertThat(second.isValid()).isTrue();
    }

    /**
     * One thread hangs at most: the check of the next term waits for the former one, as long as for any other answer.
     */
    @Test
    void theCheckOfTheNextTermWaitsForTheFormerOneToReturn() throws Exception {
        WonLeadership first = win();
        world.pass(EVERY);
        CountDownLatch let = new CountDownLatch(1);
        Thread hangs = hang(let);
        first.resign();
        WonLeadership second = nextTerm();

        passSinceBegin(EVERY.plus(TIMEOUT).minus(NANO));
        assertThat(given).isEmpty();
        assertThat(second.isValid()).isTrue();
        let.countDown();
        hangs.join();
        world.host.settle();
        assertThat(given).hasSize(1);
        world.pass(TIMEOUT.minus(NANO));
        assertThat(second.isValid()).isTrue();
        answer();
        world.pass(TIMEOUT);

        assertThat(second.isValid()).isTrue();
    }

    @Test
    void aFormerCheckThatNeverReturnsEndsTheNextTermAtTheTimeOutOfItsOwn() {
        WonLeadership first = win();
        world.pass(EVERY);
        hang(new CountDownLatch(1));
        first.resign();
        WonLeadership second = nextTerm();

        passSinceBegin(EVERY.plus(TIMEOUT).minus(NANO));
        assertThat(second.isValid()).isTrue();
        world.pass(NANO);

        assertThat(second.reason()).isEqualTo(EndReason.UNHEALTHY);
    }

    @Test
    void aFormerCheckThatNeverBeganHoldsUpNothing() {
        WonLeadership first = win();
        world.pass(EVERY);
        Runnable dropped = given.remove();
        first.resign();
        WonLeadership second = nextTerm();
        passSinceBegin(EVERY);
        answer();
        assertThat(asked).isEqualTo(1);

        dropped.run();
        world.host.settle();

        assertThat(asked).isEqualTo(1);
        assertThat(second.isValid()).isTrue();
    }

    /** The executor begins, too late, what it seemed to have dropped; meanwhile another check hangs. */
    @Test
    void aFormerCheckThatBeginsTooLateLetsNoSecondOneStart() {
        WonLeadership first = win();
        world.pass(EVERY);
        Runnable late = given.remove();
        first.resign();
        WonLeadership second = nextTerm();
        passSinceBegin(EVERY);
        CountDownLatch let = new CountDownLatch(1);
        hang(let);

        late.run();
        world.host.settle();
        second.resign();
        nextTerm();
        passSinceBegin(EVERY);

        assertThat(given).isEmpty();
        let.countDown();
    }

    @Test
    void aCheckThatThrowsIsNoYes() {
        election.runWhileLeader(
                "v",
                RunOptions.DEFAULTS.withHealthCheck(
                        () -> {
                            throw new AssertionError("no database");
                        },
                        EVERY,
                        TIMEOUT),
                leadership -> {});
        WonLeadership won = nextTerm();
        world.pass(EVERY);

        answer();

        assertThat(won.reason()).isEqualTo(EndReason.UNHEALTHY);
        assertThat(world.logged(line -> line.contains("a health check threw") && line.contains("no database")))
                .hasSize(1);
    }

    /** It is a pool's thread. */
    @Test
    void theInterruptOfACheckIsTakenBackWhenItReturns() {
        election.runWhileLeader(
                "v",
                RunOptions.DEFAULTS.withHealthCheck(
                        () -> {
                            world.host.holdUp(TIMEOUT);
                            client.loop().step();
                            return Thread.currentThread().isInterrupted();
                        },
                        EVERY,
                        TIMEOUT),
                leadership -> {});
        WonLeadership won = nextTerm();
        world.pass(EVERY);

        answer();

        assertThat(won.reason()).isEqualTo(EndReason.UNHEALTHY);
        assertThat(Thread.interrupted()).isFalse();
    }
}
