package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.OverrunPolicy;
import dev.mandate.RunOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What work that does not stop means, by policy. */
class OverrunTest {
    private final World world = World.withSessions();

    private Leadership resignStubborn(Stubborn work) {
        world.host.useRealThreads();
        AtomicReference<Leadership> won = new AtomicReference<>();
        world.client("a").election("e").runWhileLeader("v", leadership -> {
            won.set(leadership);
            work.run(leadership);
        });
        world.passUntilReally(() -> work.entered.get() && won.get() != null);
        won.get().resign();
        return won.get();
    }

    @Test
    void anOverrunIsReportedOnceWithTheStackOfTheStuckThreadAndReleasedAfterOneMoreLease() {
        Stubborn work = new Stubborn();
        resignStubborn(work);
        world.pass(Duration.ofSeconds(2));

        world.await(() -> !world.logged(line -> line.contains("OVERRUN")).isEmpty());
        assertThat(world.isVacant("e")).isFalse();
        world.pass(Duration.ofSeconds(9));
        assertThat(world.isVacant("e")).isFalse();
        world.pass(Duration.ofSeconds(2));

        assertThat(world.isVacant("e")).isTrue();
        world.pass(Duration.ofMinutes(3));
        assertThat(world.logged(line -> line.contains("OVERRUN")))
                .singleElement()
                .asString()
                .startsWith("WARNING")
                .contains("election=e", "stuck in thread", "1666ms");
        work.let.countDown();
    }

    @Test
    void workOfAnEarlierTermKeepsItsClientFromStanding() {
        Stubborn work = new Stubborn();
        resignStubborn(work);
        world.pass(Duration.ofMinutes(2));

        assertThat(world.isVacant("e")).isTrue();

        work.let.countDown();
        world.passUntilReally(() -> !world.isVacant("e"));
    }

    @Test
    void anOverrunThatHoldsKeepsTheLease() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HOLD);
        Stubborn work = new Stubborn();
        resignStubborn(work);

        for (int i = 0; i < 120; i++) {
            world.pass(Duration.ofSeconds(1));
            assertThat(world.isVacant("e")).isFalse();
        }
        work.let.countDown();
        world.passUntilReally(() -> world.isVacant("e"));
    }

    @ParameterizedTest
    @EnumSource(
            value = OverrunPolicy.class,
            names = {"RELEASE", "HALT"})
    void anOverrunHaltsOnlyByPolicy(OverrunPolicy policy) {
        world.set(Setting.ON_OVERRUN, policy);
        Stubborn work = new Stubborn();
        resignStubborn(work);

        world.pass(Duration.ofMillis(1_600));
        assertThat(world.host.halts).isEmpty();
        world.pass(Duration.ofMinutes(1));

        assertThat(world.host.halts)
                .isEqualTo(policy == OverrunPolicy.HALT ? List.of(Overruns.HALT_STATUS) : List.of());
        work.let.countDown();
    }

    @Test
    void theJvmIsHaltedAtTheDeadlineThoughTheLoopStandsStill() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        world.host.useRealThreads();
        Stubborn work = new Stubborn();
        world.client("a").election("e").runWhileLeader("v", work::run);
        world.passUntil(() -> world.host.running() > 0);
        world.await(work.entered::get);

        world.host.stall("mandate-loop");
        world.pass(Duration.ofMillis(7_000));
        assertThat(world.host.halts).isEmpty();
        world.pass(Duration.ofMillis(2_100));

        assertThat(world.host.halts).containsExactly(Overruns.HALT_STATUS);
        work.let.countDown();
    }

    /** The loop began to report, and lost the processor. */
    @Test
    void theJvmIsHaltedByTheWatchdogThoughTheLoopIsHeldUpWhileItHaltsIt() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        Client client = world.client("a");
        Leadership leadership = world.win(client.election("e"));
        world.host.stall("mandate-watchdog");
        List<Integer> meanwhile = new ArrayList<>();
        world.host.onNanos = () -> {
            if (meanwhile.isEmpty() && isReporting()) {
                world.host.resume();
                world.host.preempts = "mandate-watchdog";
                client.watchdog().lookNow();
                meanwhile.addAll(world.host.halts);
            }
        };

        world.store.delete("e");
        world.passUntil(() -> !leadership.isValid());
        world.pass(Duration.ofSeconds(2));

        assertThat(meanwhile).containsExactly(Overruns.HALT_STATUS);
    }

    private static boolean isReporting() {
        return StackWalker.getInstance()
                .walk(calls -> calls.anyMatch(call -> call.getClassName().equals(Overruns.class.getName())
                        && call.getMethodName().equals("report")));
    }

    /** The monotonic clock stood still, and everybody else's deadline has passed. */
    @Test
    void theJvmIsHaltedAtOnceWhenTheMachineWasSuspendedWhileWorkDrained() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        Stubborn work = new Stubborn();
        resignStubborn(work);
        world.pass(Duration.ofMillis(100));
        world.host.stall("mandate-loop");

        world.host.suspend(Duration.ofSeconds(60));
        assertThat(world.host.halts).isEmpty();
        world.pass(Duration.ofMillis(250));

        assertThat(world.host.halts).containsExactly(Overruns.HALT_STATUS);
        work.let.countDown();
    }

    /** The budget is not over before its time: the lease, which was renewed a moment ago, outlasts this suspension. */
    @Test
    void aSuspensionThatTheLeaseOutlastsTakesNothingFromTheDrainBudget() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        Stubborn work = new Stubborn();
        resignStubborn(work);
        world.pass(Duration.ofMillis(100));

        world.host.suspend(Duration.ofSeconds(3));
        world.pass(Duration.ofMillis(1_500));
        assertThat(world.host.halts).isEmpty();
        world.pass(Duration.ofMillis(100));

        assertThat(world.host.halts).containsExactly(Overruns.HALT_STATUS);
        work.let.countDown();
    }

    /**
     * The watchdog is the last line: it needs neither the loop nor the store to say that work outlived its deadline.
     */
    @ParameterizedTest
    @EnumSource(OverrunPolicy.class)
    void anOverrunIsReportedByTheDeadlineThoughTheLoopStandsStill(OverrunPolicy policy) {
        world.set(Setting.ON_OVERRUN, policy);
        world.host.useRealThreads();
        Stubborn work = new Stubborn();
        AtomicReference<Leadership> won = new AtomicReference<>();
        world.client("a").election("e").runWhileLeader("v", leadership -> {
            won.set(leadership);
            work.run(leadership);
        });
        world.passUntilReally(() -> work.entered.get());

        world.host.stall("mandate-loop");
        world.passUntil(() -> !won.get().isValid());
        world.pass(Duration.ofMillis(1_660));
        assertThat(world.logged(line -> line.contains("OVERRUN"))).isEmpty();
        world.pass(Duration.ofMillis(10));
        world.await(() -> !world.logged(line -> line.contains("OVERRUN")).isEmpty());

        world.host.resume();
        world.pass(Duration.ofMinutes(1));
        assertThat(world.logged(line -> line.contains("OVERRUN"))).hasSize(1);
        work.let.countDown();
    }

    @Test
    void workThatEndsInTimeHaltsNothing() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        AtomicInteger runs = new AtomicInteger();
        world.client("a")
                .election("e")
                .runWhileLeader("v", RunOptions.DEFAULTS.withCampaignAgain(), leadership -> runs.incrementAndGet());

        world.passUntil(() -> runs.get() == 5, Duration.ofMinutes(5));

        assertThat(world.host.halts).isEmpty();
    }
}
