package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When an instance is asked whether it is well, and what its answers mean. */
class InstanceCheckTest {
    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofMillis(200);
    private static final Duration NANO = Duration.ofNanos(1);

    private final World world = World.withSessions();
    /** What the executor was given and has not run. */
    private final Deque<Runnable> given = new ConcurrentLinkedDeque<>();

    private Client client;
    private Registration registration;
    private volatile Runnable onGiven = () -> {};
    private boolean refuses;
    private boolean isWell = true;
    private RuntimeException thrown;
    private final AtomicInteger asked = new AtomicInteger();
    private volatile CountDownLatch hang = new CountDownLatch(0);

    @BeforeEach
    void register() throws Exception {
        world.executor = piece -> {
            if (refuses) {
                throw new RejectedExecutionException("full");
            }
            onGiven.run();
            given.add(piece);
        };
        client = world.client("a");
        registration =
                client.registry().register("web", ServiceInstance.at("a:1").withStatus(Status.STARTING));
        assertThat(registration.awaitRegistered(Duration.ofSeconds(5))).isTrue();
        check();
    }

    private void check() {
        registration.healthCheck(
                () -> {
                    asked.incrementAndGet();
                    awaitStubbornly(hang);
                    if (thrown != null) {
                        throw thrown;
                    }
                    return isWell;
                },
                EVERY,
                TIMEOUT);
        world.host.settle();
    }

    private static void awaitStubbornly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // It was told to stop, and does not.
            }
        }
    }

    private Status status() {
        return registration.instance().status();
    }

    private void answer() {
        given.remove().run();
        world.host.settle();
    }

    /** Two equal answers, {@code every} apart. */
    private void answerTwice() {
        answer();
        world.pass(EVERY);
        answer();
        world.pass(EVERY);
    }

    @Test
    void itIsAskedAtOnceAndAgainSoLongAfterEachAnswer() {
        for (int i = 1; i < 5; i++) {
            assertThat(given).hasSize(1);
            world.pass(TIMEOUT.minus(NANO));
            answer();
            assertThat(asked).hasValue(i);
            world.pass(EVERY.minus(NANO));
            assertThat(given).isEmpty();
            world.pass(NANO);
        }
    }

    @Test
    void twoEqualAnswersCountAndOneDoesNot() {
        answer();
        assertThat(status()).isEqualTo(Status.STARTING);
        world.pass(EVERY);
        answer();
        assertThat(status()).isEqualTo(Status.UP);
        for (int i = 0; i < 4; i++) {
            isWell = !isWell;
            world.pass(EVERY);
            answer();
            assertThat(status()).isEqualTo(Status.UP);
        }
        isWell = false;
        world.pass(EVERY);
        answer();
        assertThat(status()).isEqualTo(Status.UP);
        world.pass(EVERY);
        answer();
        assertThat(status()).isEqualTo(Status.DOWN);
    }

    @Test
    void whatItSaysReachesTheStore() throws Exception {
        answerTwice();

        assertThat(registration.awaitRegistered(Duration.ofSeconds(1))).isTrue();
        assertThat(world.store.shown(((ClientRegistration) registration).key()).toString())
                .contains("held");
        assertThat(world.store.requests).containsEntry("PROCLAIM", 1);
    }

    @Test
    void oneThatThrowsHasSaidNo() {
        answerTwice();
        thrown = new IllegalStateException("planted");

        answerTwice();

        assertThat(status()).isEqualTo(Status.DOWN);
        assertThat(world.logged(line -> line.contains("a health check threw"))).isNotEmpty();
        thrown = null;
        answerTwice();
        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void oneThatIsSilentHasSaidNoAndIsNotAskedAgainBeforeItReturned() throws Exception {
        answerTwice();
        hang = new CountDownLatch(1);
        Thread hangs = new Thread(given.remove());
        hangs.start();
        world.await(() -> asked.get() == 3);
        world.pass(TIMEOUT);
        assertThat(status()).isEqualTo(Status.UP);
        world.pass(EVERY.minus(NANO));
        assertThat(status()).isEqualTo(Status.UP);

        world.pass(NANO);

        assertThat(status()).isEqualTo(Status.DOWN);
        world.pass(EVERY.multipliedBy(3));
        assertThat(given).isEmpty();
        // It returns at last.
        hang.countDown();
        hangs.join();
        world.pass(EVERY);
        assertThat(status()).isEqualTo(Status.DOWN);
        answerTwice();
        assertThat(status()).isEqualTo(Status.UP);
    }

    /** What a check says after its time-out counts for nothing, however well it is by then. */
    @Test
    void anAnswerThatIsTooLateCountsForNothing() throws Exception {
        isWell = false;
        answerTwice();
        isWell = true;
        hang = new CountDownLatch(1);
        Thread thread = new Thread(given.remove());
        thread.start();
        world.await(() -> asked.get() == 3);
        world.pass(TIMEOUT);
        assertThat(status()).isEqualTo(Status.DOWN);

        hang.countDown();
        thread.join();
        world.pass(EVERY);
        answer();

        // A no for the time-out, and one yes.
        assertThat(status()).isEqualTo(Status.DOWN);
        world.pass(EVERY);
        answer();
        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void oneThatTheExecutorRefusesHasSaidNo() {
        answerTwice();
        answer();
        refuses = true;

        world.pass(EVERY.multipliedBy(2));

        assertThat(status()).isEqualTo(Status.DOWN);
    }

    /** An executor that drops what it cannot run does not say so. */
    @Test
    void oneThatTheExecutorDropsHasSaidNoAndAnotherIsAsked() {
        answerTwice();
        given.clear();
        world.pass(TIMEOUT.plus(EVERY));
        assertThat(given).as("another question").hasSize(1);
        given.clear();
        world.pass(TIMEOUT.plus(EVERY));
        assertThat(status()).isEqualTo(Status.DOWN);

        world.pass(EVERY);
        answerTwice();

        assertThat(status()).isEqualTo(Status.UP);
    }

    /** What waits in an executor that runs nothing is bounded, and says nothing when it is run after all. */
    @Test
    void anExecutorThatRunsNothingIsGivenEverLess() {
        answerTwice();
        world.pass(Duration.ofHours(1));
        assertThat(given).hasSizeBetween(55, 70);
        assertThat(status()).isEqualTo(Status.DOWN);
        int before = asked.get();

        while (given.size() > 1) {
            answer();
        }
        assertThat(asked).hasValue(before);
        assertThat(status()).isEqualTo(Status.DOWN);
        given.clear();
        world.passUntil(() -> !given.isEmpty(), Duration.ofMinutes(1).plus(EVERY));
        answerTwice();

        assertThat(asked).hasValue(before + 2);
        assertThat(status()).isEqualTo(Status.UP);
    }

    /** It has a thread, which is as good as hanging in the check. */
    @Test
    void whileAnExecutorBlocksNoOtherQuestionIsHandedToIt() {
        CountDownLatch blocks = new CountDownLatch(1);
        AtomicInteger handed = new AtomicInteger();
        answerTwice();
        world.host.useRealThreads();
        onGiven = () -> {
            handed.incrementAndGet();
            awaitStubbornly(blocks);
        };
        given.clear();
        world.pass(TIMEOUT.plus(EVERY));
        world.await(() -> handed.get() == 1);
        world.pass(Duration.ofMinutes(10));
        assertThat(handed).hasValue(1);
        assertThat(status()).isEqualTo(Status.DOWN);

        onGiven = () -> {};
        blocks.countDown();
        world.await(() -> given.size() == 1);
        given.clear();
        world.pass(Duration.ofMinutes(2));

        assertThat(given).isNotEmpty();
    }

    /** It was too late, but has returned when the next is due; its answer is behind a whole batch of events. */
    @Test
    void aCheckWhoseAnswerTheLoopHasYetToHearHoldsUpNoOther() throws Exception {
        answerTwice();
        hang = new CountDownLatch(1);
        Thread late = new Thread(given.remove());
        late.start();
        world.await(() -> asked.get() == 3);
        world.pass(TIMEOUT.plus(EVERY).minus(NANO));
        world.host.stall("mandate-loop");
        world.pass(NANO);
        for (int i = 0; i < 256; i++) {
            client.loop().post(now -> {});
        }
        hang.countDown();
        late.join();
        world.host.resume();

        world.host.settle();

        assertThat(given).hasSize(1);
        assertThat(status()).isEqualTo(Status.UP);
    }

    @Test
    void outOfServiceEndsByHandAlone() {
        answerTwice();
        registration.status(Status.OUT_OF_SERVICE);
        answerTwice();
        assertThat(status()).isEqualTo(Status.OUT_OF_SERVICE);
        isWell = false;
        answerTwice();
        assertThat(status()).isEqualTo(Status.OUT_OF_SERVICE);

        registration.status(Status.UP);

        assertThat(status()).isEqualTo(Status.UP);
        answer();
        assertThat(status()).isEqualTo(Status.DOWN);
    }

    @Test
    void aNewCheckReplacesTheOldOne() {
        answer();
        world.pass(NANO);
        check();
        assertThat(given).hasSize(1);
        answer();

        world.pass(EVERY);

        assertThat(asked).hasValue(2);
        assertThat(given).hasSize(1);
    }

    @Test
    void nothingIsAskedOnceItIsClosed() {
        answer();
        registration.close();

        world.pass(Duration.ofSeconds(10));

        assertThat(given).isEmpty();
        assertThat(asked).hasValue(1);
    }

    @Test
    void anAnswerThatComesAfterItWasClosedCountsForNothing() {
        answer();
        world.pass(EVERY);
        registration.close();

        given.remove().run();
        world.pass(Duration.ofSeconds(10));

        assertThat(status()).isEqualTo(Status.STARTING);
        assertThat(given).isEmpty();
    }
}
