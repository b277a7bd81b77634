package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.StoreSetupException;
import dev.mandate.engine.Now;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What becomes of one call to the store: its deadline, its answer, and what the log says of slow and silent stores. */
class StoreCallsTest {
    private static final long TIMEOUT = 1_000_000_000L;

    private final World world = World.withSessions();
    private final Client client = world.client("a");
    private final List<String> outcomes = new ArrayList<>();
    private final CompletableFuture<String> answer = new CompletableFuture<>();

    private void send(Function<CallContext, CompletionStage<String>> call) {
        client.loop()
                .post(now -> client.loop()
                        .calls()
                        .send(Verb.READ, now, TIMEOUT, call, new StoreCalls.Outcome<String>() {
                            @Override
                            public void answered(String value, Now then) {
                                outcomes.add("answered " + value);
                            }

                            @Override
                            public void failed(Throwable why, Now then) {
                                outcomes.add("failed " + why);
                            }
                        }));
        world.host.settle();
    }

    private void send() {
        send(call -> answer);
    }

    private List<String> trouble() {
        world.host.settle();
        return world.logged(line -> line.contains("store trouble") || line.contains("answers again"));
    }

    @Test
    void aCallHasItsTimeoutFromWhenItCountsAsSent() {
        List<Duration> left = new ArrayList<>();
        send(call -> {
            left.add(call.remaining());
            return answer;
        });

        assertThat(left).containsExactly(Duration.ofNanos(TIMEOUT));
    }

    @Test
    void anAnswerIsTakenOnTheLoop() {
        send();
        world.host.stall("mandate-loop");
        answer.complete("yes");
        world.host.settle();
        assertThat(outcomes).isEmpty();

        world.host.resume();
        world.host.settle();

        assertThat(outcomes).containsExactly("answered yes");
        assertThat(trouble()).isEmpty();
    }

    @Test
    void aFailureIsWhatItWasAtBottom() {
        send();
        answer.completeExceptionally(new CompletionException(new StoreSetupException("grant SELECT")));
        world.host.settle();

        assertThat(outcomes).containsExactly("failed " + new StoreSetupException("grant SELECT"));
        assertThat(trouble()).singleElement().asString().contains("a call failed: grant SELECT");
    }

    /** A store must answer something, and with a stage; one that does neither has failed. */
    @Test
    void nothingIsNoAnswer() {
        send(call -> null);
        send();
        answer.complete(null);
        send(call -> {
            throw new StackOverflowError("deep");
        });
        world.host.settle();

        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        "failed java.lang.IllegalStateException: the store returned no stage",
                        "failed java.lang.StackOverflowError: deep",
                        "failed java.lang.IllegalStateException: the store returned null, a bug in its implementation");
    }

    @Test
    void anAnswerThatTookLongerThanItIsAwaitedForIsCalledSlow() {
        send();
        world.pass(Duration.ofNanos(TIMEOUT + 1_000_000));
        answer.complete("late");

        assertThat(trouble())
                .singleElement()
                .asString()
                .contains("an answer took 1001ms, longer than requestTimeout (1000ms); find out what slows the store");
        assertThat(outcomes).containsExactly("answered late");
    }

    @Test
    void anAnswerThatComesInTimeEndsTheTrouble() {
        send(call -> null);
        send();
        world.pass(Duration.ofNanos(TIMEOUT));
        answer.complete("in time");

        assertThat(trouble()).hasSize(2).last().asString().contains("the store answers again");
    }

    /** Counted from the first call that was not answered, and said when the next one is sent. */
    @Test
    void aStoreThatIsSilentForLongerThanATimeoutIsSaidToBe() {
        CompletableFuture<String> never = new CompletableFuture<>();
        send(call -> never);
        world.pass(Duration.ofNanos(TIMEOUT));
        send(call -> never);
        assertThat(trouble()).isEmpty();
        world.pass(Duration.ofMillis(5));
        send(call -> never);

        assertThat(trouble()).singleElement().asString().contains("no answer for 1005ms");
    }

    @Test
    void anyAnswerEndsTheSilence() {
        CompletableFuture<String> never = new CompletableFuture<>();
        send(call -> never);
        world.pass(Duration.ofNanos(TIMEOUT));
        send();
        answer.complete("yes");
        world.host.settle();
        world.pass(Duration.ofNanos(TIMEOUT / 2));
        send(call -> never);
        world.pass(Duration.ofNanos(TIMEOUT));
        send(call -> never);

        assertThat(trouble()).isEmpty();
    }

    @Test
    void aFailureEndsTheSilenceToo() {
        CompletableFuture<String> never = new CompletableFuture<>();
        send(call -> never);
        send(call -> null);
        world.pass(Duration.ofNanos(TIMEOUT + 1));
        send(call -> never);

        assertThat(trouble()).singleElement().asString().contains("a call failed");
    }
}
