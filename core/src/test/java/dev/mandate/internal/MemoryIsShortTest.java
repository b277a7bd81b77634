package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.LeaderLatch;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.OverrunPolicy;
import dev.mandate.RunOptions;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An allocation fails, or a logger throws when it is asked what it wants: nothing leads on that should not. */
class MemoryIsShortTest {
    private final World world = World.withSessions();

    private static void fail() {
        // Not an OutOfMemoryError itself: on that one JUnit gives up all tests.
        throw new InternalError("simulated: one allocation failed");
    }

    private boolean isVacant() {
        return world.store.shown("e") instanceof Observation.Vacant;
    }

    private void waitUntilInterrupted(Client client, AtomicBoolean interrupted) {
        world.host.useRealThreads();
        AtomicBoolean entered = new AtomicBoolean();
        client.election("e").runWhileLeader("v", leadership -> {
            entered.set(true);
            while (true) {
                try {
                    new CompletableFuture<Void>().get();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                }
            }
        });
        world.passUntil(() -> world.host.running() > 0);
        world.await(entered::get);
    }

    @Test
    void aCandidacyThatCannotSayThatItIsOverKeepsNoOtherFromIt() {
        Client client = world.client("a");
        List<OwnCandidacy> own = new ArrayList<>();
        for (String name : List.of("one", "two")) {
            LeaderLatch latch = client.election(name).latch("v");
            latch.onChange(now -> {});
            own.add((OwnCandidacy) latch);
        }
        world.passUntil(
                () -> own.stream().allMatch(each -> each.election().status().isLeader()));
        world.store.hangs = true;
        world.store.onClose = () -> world.host.refuseThreads(1_000);
        AtomicInteger failed = new AtomicInteger();
        world.host.onNanos = () -> {
            List<String> callers = StackWalker.getInstance()
                    .walk(frames ->
                            frames.map(StackWalker.StackFrame::getMethodName).toList());
            if (callers.contains("retryLater") && callers.contains("finished")) {
                failed.incrementAndGet();
                fail();
            }
        };

        client.close();

        assertThat(own).allMatch(each -> each.over().isDone());
        assertThat(failed).hasValue(2);
    }

    @Test
    void anAnswerThatTheMachineCouldNotTakeVouchesForNothing() {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        connection.isDeaf = true;
        Observing observing = world.client("b", connection).election("e").observe(view -> {});
        world.passUntil(() -> observing.view() instanceof LeaderView.Led);
        int reads = connection.requests.get("read");
        world.passUntil(() -> connection.requests.get("read") > reads);
        Duration before = observing.view().age();
        AtomicBoolean hasFailed = new AtomicBoolean();
        world.onEntropy = () -> {
            if (!hasFailed.getAndSet(true)) {
                fail();
            }
        };

        world.passUntil(hasFailed::get);
        world.host.settle();

        assertThat(observing.view().age()).isGreaterThan(before);
    }

    @Test
    void aTaskThatReturnsIsOver() {
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", leadership -> {
            world.onIsLoggable = MemoryIsShortTest::fail;
        });

        world.pass(Duration.ofSeconds(5));

        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(isVacant()).isTrue();
    }

    @Test
    void aTermThatBeginsStartsItsTask() {
        world.onIsLoggable = MemoryIsShortTest::fail;
        AtomicInteger runs = new AtomicInteger();

        world.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());

        world.passUntil(() -> runs.get() == 1);
    }

    @Test
    void aTaskWhoseLeaseRanOutIsInterrupted() {
        AtomicBoolean interrupted = new AtomicBoolean();
        waitUntilInterrupted(world.client("a"), interrupted);
        world.onIsLoggable = MemoryIsShortTest::fail;
        world.store.hangs = true;
        world.host.stall("mandate-loop");

        world.pass(World.LEASE);

        world.await(interrupted::get);
    }

    @Test
    void theJvmIsHalted() {
        world.set(Setting.ON_OVERRUN, OverrunPolicy.HALT);
        waitUntilInterrupted(world.client("a"), new AtomicBoolean());
        world.onIsLoggable = MemoryIsShortTest::fail;
        world.store.hangs = true;

        world.pass(World.LEASE);

        assertThat(world.host.halts).contains(Overruns.HALT_STATUS);
    }

    /** The first allocations of a term fail, before anybody is told to lead: it is given back, and won again. */
    @Test
    void aTermThatCannotBeginIsGivenBack() {
        AtomicBoolean armed = new AtomicBoolean(true);
        world.host.onRead = () -> {
            boolean begins = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("begun")));
            if (begins && armed.getAndSet(false)) {
                fail();
            }
        };
        AtomicInteger runs = new AtomicInteger();
        world.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());

        world.passUntil(() -> !armed.get());
        world.passUntil(this::isVacant, Duration.ofSeconds(1));
        world.passUntil(() -> runs.get() == 1);
    }

    /**
     * What throws in the midst of one of the machine's steps, once for each of {@code times}, in the method {@code in}
     * of the class {@code of}.
     */
    private AtomicInteger failInside(String of, String in, int times, Throwing what) {
        AtomicInteger left = new AtomicInteger(times);
        world.onEntropy = () -> {
            boolean isThere = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f ->
                            f.getClassName().endsWith(of) && f.getMethodName().equals(in)));
            if (isThere && left.get() > 0) {
                left.decrementAndGet();
                what.happen();
            }
        };
        return left;
    }

    private interface Throwing {
        void happen();

        static void error() {
            fail();
        }

        static void exception() {
            throw new IllegalStateException("simulated: a mistake of ours");
        }
    }

    /** The store gave the lead, and the machine has it: somebody has to do the work, or somebody else to lead. */
    private void isLedAgain(Client client, Runnable work) {
        AtomicInteger runs = new AtomicInteger();
        client.election("e").runWhileLeader("v", RunOptions.DEFAULTS.withCampaignAgain(), leadership -> {
            runs.incrementAndGet();
            work.run();
        });

        world.passUntil(() -> runs.get() == 2);
    }

    @Test
    void aTermThatIsWonButNotAnnouncedIsGivenBack() {
        AtomicInteger left = failInside("Listing", "want", 1, Throwing::error);

        isLedAgain(world.client("a"), () -> {});

        assertThat(left).hasValue(0);
    }

    @Test
    void whoFollowsIsToldThoughTheFirstStepFailed() {
        AtomicInteger left = failInside("Pace", "start", 1, Throwing::error);
        List<LeaderView> told = new ArrayList<>();

        world.client("a").election("e").observe(told::add);

        world.passUntil(() -> told.stream().anyMatch(LeaderView.Vacant.class::isInstance));
        assertThat(left).hasValue(0);
    }

    @Test
    void whoStandsIsElectedThoughTheFirstStepFailed() {
        AtomicInteger left = failInside("Pace", "start", 1, Throwing::error);

        world.win(world.client("a").election("e"));

        assertThat(left).hasValue(0);
    }

    /** The answer is taken, and forgotten: it was never known whether the term was won. */
    @Test
    void anAcquireWhoseAnswerIsLostIsLookedAfter() {
        World records = World.withRecords();
        AtomicBoolean armed = new AtomicBoolean(true);
        records.onEntropy = () -> {
            boolean isGranted = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("granted")));
            if (isGranted && armed.getAndSet(false)) {
                fail();
            }
        };
        AtomicInteger runs = new AtomicInteger();

        records.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());

        records.passUntil(() -> runs.get() == 1);
        assertThat(armed).isFalse();
    }

    /** Whatever it was that kept it from being announced. */
    @Test
    void aTermThatIsWonButNotAnnouncedForAMistakeOfOursIsGivenBack() {
        AtomicInteger left = failInside("Listing", "want", 1, Throwing::exception);

        isLedAgain(world.client("a"), () -> {});

        assertThat(left).hasValue(0);
    }

    /** Nor does it help if memory is still short when the terms are to be ended. */
    @Test
    void whatCannotBeEndedForWantOfMemoryIsEndedLater() {
        AtomicInteger left = failInside("Listing", "want", 1, () -> {
            failInside("Transitions", "toStopping", 3, Throwing::error);
            fail();
        });

        isLedAgain(world.client("a"), () -> {});

        assertThat(left).hasValue(0);
    }

    @Test
    void aTaskWhoseEndCannotBeToldRunsAgain() {
        AtomicInteger left = failInside("Transitions", "toStopping", 1, Throwing::error);

        isLedAgain(world.client("a"), () -> {
            throw new IllegalStateException("the work failed");
        });

        assertThat(left).hasValue(0);
    }

    @Test
    void aTaskWhoseEndCannotBeToldForAMistakeOfOursRunsAgain() {
        AtomicInteger left = failInside("Transitions", "toStopping", 1, Throwing::exception);

        isLedAgain(world.client("a"), () -> {
            throw new IllegalStateException("the work failed");
        });

        assertThat(left).hasValue(0);
    }

    @Test
    void aTaskThatIsDoneDoesNotRunAgain() {
        AtomicInteger left = failInside("Transitions", "toStopping", 1, Throwing::error);
        AtomicInteger runs = new AtomicInteger();
        Candidacy candidacy = world.client("a").election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());

        world.pass(Duration.ofMinutes(5));

        assertThat(left).hasValue(0);
        assertThat(runs).hasValue(1);
        assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.NOT_CAMPAIGNING);
        assertThat(isVacant()).isTrue();
    }

    @Test
    void theTermsOfEveryElectionEndThoughOneOfThemCannot() {
        Client client = world.client("a");
        List<Leadership> terms = List.of(world.win(client.election("x")), world.win(client.election("y")));
        failInside("Transitions", "toStopping", 1, Throwing::error);

        client.loop().post(now -> fail());
        world.host.settle();

        assertThat(terms).noneMatch(Leadership::isValid);
        terms.forEach(Leadership::close);
        assertThat(world.isVacant("x")).isTrue();
        assertThat(world.isVacant("y")).isTrue();
    }

    /** A hint and the first gap come together, and looking at the hint fails: the gap is still to be told. */
    @Test
    void theLoopGoesOnThoughTheFirstGapCannotBeTold() {
        Leadership first = world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        connection.isDeaf = true;
        AtomicInteger runs = new AtomicInteger();
        world.client("b", connection).election("e").runWhileLeader("v", leadership -> runs.incrementAndGet());
        world.pass(Duration.ofSeconds(3));
        first.close();
        AtomicInteger left = failInside("Duties", "acquire", 1, Throwing::error);

        connection.isDeaf = false;
        connection.hint(new Hint.Seen(world.store.shown("e")));
        connection.hint(Hint.Gap.INSTANCE);

        world.passUntil(() -> runs.get() == 1);
        assertThat(left).hasValue(0);
    }

    @Test
    void anErrorOfTheJvmOnTheLoopEndsAllTerms() {
        Client client = world.client("a");
        List<Leadership> terms = List.of(world.win(client.election("x")), world.win(client.election("y")));
        List<EndReason> lost = new ArrayList<>();
        terms.forEach(term -> term.ended().thenAccept(lost::add));

        client.loop().post(now -> fail());
        world.passUntil(() -> lost.size() == 2);

        assertThat(terms).noneMatch(Leadership::isValid);
        assertThat(world.logged(line -> line.contains("an event failed on the loop")))
                .hasSize(1);
    }
}
