package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.support.StoreCalls.Turn;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every call has its turn, its deadline and one answer, whatever ends it. */
class StoreCallsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final StoreThreads threads = new StoreThreads("mandate-test-", 1);
    private final Queue<Runnable> handedOver = new ArrayDeque<>();
    private final List<PendingCall<String>> sent = new CopyOnWriteArrayList<>();
    private final StoreCalls calls = calls(2, 1, 2);

    private StoreCalls calls(int underWay, int urgentOnly, int waiting) {
        return new StoreCalls(
                "store", threads, Runnable::run, new CallGate(underWay, urgentOnly, waiting), StoreCallsTest::fault);
    }

    private static RuntimeException fault(Object what, Throwable thrown) {
        return thrown instanceof ElectionException known
                ? known
                : new StoreUnavailableException("store: " + what + ": " + thrown, thrown);
    }

    @AfterEach
    void close() {
        calls.close();
        threads.close();
    }

    private CompletableFuture<String> call(StoreCalls to, String what, Turn turn, CallContext context) {
        return to.call(what, turn, context, sent::add);
    }

    private CompletableFuture<String> call(String what, Turn turn) {
        return call(calls, what, turn, CallContext.within(PATIENCE));
    }

    private static void fails(CompletableFuture<?> answer, Class<? extends Throwable> type, String... words) {
        assertThatThrownBy(() -> answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(type)
                .message()
                .contains(words);
    }

    @Test
    void anAnswerIsTheCallers() {
        CompletableFuture<String> answer = call("reading", Turn.ORDINARY);

        sent.get(0).answer("a");
        sent.get(0).answer("b");
        sent.get(0).fail(new IllegalStateException("late"));

        assertThat(answer).isCompletedWithValue("a");
    }

    @Test
    void aFailureSaysWhatTheCallWasFor() {
        CompletableFuture<String> answer = call("reading", Turn.ORDINARY);

        sent.get(0).fail(new IllegalArgumentException("odd"));
        sent.get(0).answer("a");

        fails(answer, StoreUnavailableException.class, "store: reading: ", "odd");
    }

    @Test
    void aRequestThatCannotBeSentFailsItsCall() {
        CompletableFuture<String> answer = calls.call("reading", Turn.AT_ONCE, CallContext.within(PATIENCE), call -> {
            throw new IllegalArgumentException("odd");
        });

        fails(answer, StoreUnavailableException.class, "store: reading: ", "odd");
    }

    /** Once the deadline has passed the call is unknown, and an answer that comes later never counts. */
    @ParameterizedTest
    @EnumSource(Turn.class)
    void theDeadlineEndsACallThatIsNotAnswered(Turn turn) {
        AtomicInteger cancelled = new AtomicInteger();
        CompletableFuture<String> answer =
                calls.call("renewing", turn, CallContext.within(Duration.ofMillis(300)), call -> {
                    call.whenOver(cancelled::incrementAndGet);
                    sent.add(call);
                });

        fails(answer, StoreUnavailableException.class, "store: renewing: ");
        assertThat(Causes.has(answer.handle((value, why) -> why).join(), TimeoutException.class))
                .isTrue();
        // A busy machine may have sent none in time.
        assertThat(cancelled).hasValueGreaterThanOrEqualTo(sent.size());
        sent.forEach(call -> call.answer("late"));

        assertThat(answer).isCompletedExceptionally();
    }

    /** After a pause of the process, the answer may come before the timer fires. */
    @Test
    void anAnswerAfterTheDeadlineCountsAsNone() {
        AtomicLong nanos = new AtomicLong();
        CompletableFuture<String> answer =
                call(calls, "renewing", Turn.URGENT, CallContext.until(PATIENCE.toNanos(), nanos::get));

        nanos.set(PATIENCE.toNanos());
        sent.get(0).answer("renewed");

        fails(answer, StoreUnavailableException.class, "store: renewing: ", "Timeout");
    }

    @Test
    void aFailureThatCannotBeExplainedEndsItsCall() {
        StoreCalls mute = new StoreCalls("store", threads, Runnable::run, new CallGate(1, 0, 1), (what, thrown) -> {
            throw new IllegalArgumentException("no words");
        });
        CompletableFuture<String> answer = call(mute, "reading", Turn.ORDINARY, CallContext.within(PATIENCE));

        sent.get(0).fail(new IllegalStateException("odd"));

        fails(answer, IllegalArgumentException.class, "no words");
    }

    /** Or the gate would fill up. */
    @Test
    void aCancellationThatFailsKeepsNoPlace() {
        CompletableFuture<String> first = call("first", Turn.ORDINARY);
        sent.get(0).whenOver(() -> {
            throw new IllegalStateException("odd");
        });
        call("second", Turn.ORDINARY);

        first.cancel(true);

        assertThat(sent).hasSize(2);
    }

    @Test
    void theDeadlineEndsACallThatWaitsForItsTurn() {
        call("first", Turn.ORDINARY);
        CompletableFuture<String> waiting =
                call(calls, "second", Turn.ORDINARY, CallContext.within(Duration.ofMillis(50)));

        fails(waiting, StoreUnavailableException.class, "store: second: ");
        sent.get(0).answer("");

        assertThat(sent).hasSize(1);
    }

    /** After a pause of the process, the turn may come before the timer fires. */
    @Test
    void nothingIsSentOnceItsDeadlineHasPassed() {
        AtomicLong nanos = new AtomicLong();
        StoreCalls late =
                new StoreCalls("store", threads, handedOver::add, new CallGate(2, 0, 2), StoreCallsTest::fault);
        CompletableFuture<String> answer =
                call(late, "renewing", Turn.URGENT, CallContext.until(PATIENCE.toNanos(), nanos::get));

        nanos.set(PATIENCE.toNanos());
        handedOver.remove().run();

        assertThat(sent).isEmpty();
        fails(answer, StoreUnavailableException.class, "store: renewing: ");
    }

    @Test
    void nothingIsSentForACallWhoseDeadlineHasPassedAlready() {
        fails(
                call(calls, "reading", Turn.AT_ONCE, CallContext.until(0, () -> 1)),
                StoreUnavailableException.class,
                "store: reading: ");
        assertThat(sent).isEmpty();
    }

    @Test
    void urgentCallsGoBeforeOthersAndSomeBesideAll() {
        call("first", Turn.ORDINARY);
        call("second", Turn.ORDINARY);
        call("renewal", Turn.URGENT);
        assertThat(sent).as("one place is for urgent calls").hasSize(2);
        CompletableFuture<String> urgent = call("another renewal", Turn.URGENT);
        call("long poll", Turn.AT_ONCE);
        assertThat(sent).hasSize(3);

        sent.get(0).answer("");
        sent.get(3).answer("renewed");

        assertThat(urgent).isCompletedWithValue("renewed");
    }

    @Test
    void whatFindsTooManyWaitingIsNotSent() {
        StoreCalls narrow = calls(1, 0, 1);
        call(narrow, "first", Turn.ORDINARY, CallContext.within(PATIENCE));
        call(narrow, "second", Turn.ORDINARY, CallContext.within(PATIENCE));

        fails(
                call(narrow, "third", Turn.ORDINARY, CallContext.within(PATIENCE)),
                StoreUnavailableException.class,
                "store: third: not sent");
        assertThat(sent).hasSize(1);
    }

    @Test
    void aCancelledCallGivesItsPlaceToTheNext() {
        AtomicInteger cancelled = new AtomicInteger();
        CompletableFuture<String> first = call("first", Turn.ORDINARY);
        sent.get(0).whenOver(cancelled::incrementAndGet);
        CompletableFuture<String> second = call("second", Turn.ORDINARY);

        first.cancel(true);

        assertThat(cancelled).hasPositiveValue();
        assertThat(sent).hasSize(2);
        sent.get(0).answer("late");
        assertThat(first).isCancelled();
        sent.get(1).answer("b");
        assertThat(second).isCompletedWithValue("b");
    }

    @Test
    void aRequestOfACallThatIsOverIsCancelledAtOnce() {
        AtomicInteger cancelled = new AtomicInteger();
        call("first", Turn.ORDINARY).cancel(true);

        sent.get(0).whenOver(cancelled::incrementAndGet);

        assertThat(cancelled).hasPositiveValue();
    }

    @Test
    void closingEndsAllCallsAndLaterOnes() {
        List<CompletableFuture<String>> pending =
                List.of(call("first", Turn.ORDINARY), call("waiting", Turn.ORDINARY), call("long poll", Turn.AT_ONCE));

        calls.close();

        pending.forEach(answer -> fails(answer, IllegalStateException.class, "the store is closed"));
        fails(call("later", Turn.AT_ONCE), IllegalStateException.class, "store: later: the store is closed");
        assertThat(sent).hasSize(2);
        assertThat(calls.isClosed()).isTrue();
    }

    /** Without a timer it might never end. */
    @Test
    void withoutATimerNothingIsCalled() {
        threads.close();

        fails(call("reading", Turn.ORDINARY), IllegalStateException.class, "the store is closed");
        assertThat(sent).isEmpty();
    }

    @Test
    void aRejectedRequestIsSentAgainOnceIfTheCredentialsHaveChanged() throws Exception {
        CompletableFuture<String> answer = call("reading", Turn.ORDINARY);
        CompletableFuture<PendingCall<String>> rejected = new CompletableFuture<>();

        sent.get(0).again(() -> CompletableFuture.completedFuture(true), () -> {});
        while (sent.size() < 2) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        sent.get(1).again(() -> CompletableFuture.completedFuture(true), () -> rejected.complete(sent.get(1)));

        rejected.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).answer("rejected");
        assertThat(answer).isCompletedWithValue("rejected");
    }

    @Test
    void aRejectionStandsIfThereAreNoOtherCredentials() {
        CompletableFuture<String> same = call("reading", Turn.AT_ONCE);
        CompletableFuture<String> unreadable = call("reading", Turn.AT_ONCE);

        sent.get(0)
                .again(
                        () -> CompletableFuture.completedFuture(false),
                        () -> sent.get(0).answer("rejected"));
        sent.get(1)
                .again(
                        () -> CompletableFuture.failedFuture(new IllegalStateException("unreadable")),
                        () -> sent.get(1).answer("rejected"));

        assertThat(same).succeedsWithin(PATIENCE).isEqualTo("rejected");
        assertThat(unreadable).succeedsWithin(PATIENCE).isEqualTo("rejected");
    }
}
