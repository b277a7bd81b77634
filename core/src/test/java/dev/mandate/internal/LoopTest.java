package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** In what order the loop does what it is given, and what it refuses. */
class LoopTest {
    private final World world = World.withSessions();
    private final Client client = world.client("a");
    private final Loop loop = client.loop();
    private final List<String> done = new ArrayList<>();

    private Event say(String what) {
        return now -> done.add(what);
    }

    @Test
    void eventsHappenInTheOrderInWhichTheyCame() {
        for (int i = 0; i < 1_000; i++) {
            loop.post(say("event " + i));
        }
        world.host.settle();

        assertThat(done).hasSize(1_000).first().isEqualTo("event 0");
        assertThat(done.get(999)).isEqualTo("event 999");
    }

    /** However many events come: 256 at a time. */
    @Test
    void timersAreLookedAtBetweenBatchesOfEvents() {
        loop.post(now -> {
            loop.at(now.monotonicNanos(), say("timer"));
            for (int i = 0; i < 1_000; i++) {
                loop.post(say("event"));
            }
        });
        world.host.settle();

        assertThat(done.indexOf("timer")).isEqualTo(255);
        assertThat(done).hasSize(1_001);
    }

    /** Memory is short when the clocks are read for an event, or for a timer's. */
    @Test
    void anEventThatCouldNotBeGivenTheTimeHappensLater() {
        Map<String, Integer> reads = new HashMap<>();
        world.host.onRead = () -> {
            String reader = StackWalker.getInstance()
                    .walk(frames -> frames.map(f -> f.getClassName() + "." + f.getMethodName())
                            .dropWhile(name -> !name.endsWith("Loop.run"))
                            .skip(1)
                            .findFirst()
                            .orElse(""));
            if (!reader.isEmpty() && reads.merge(reader, 1, Integer::sum) <= 2) {
                throw new InternalError("simulated: one allocation failed");
            }
        };
        loop.post(say("event"));
        loop.post(now -> loop.at(now.monotonicNanos() + 1, say("timer")));

        world.pass(Duration.ofSeconds(5));

        assertThat(reads).hasSizeGreaterThan(1);
        assertThat(done).containsExactly("event", "timer");
    }

    @Test
    void anEventIsGivenTheTimeAtWhichItIsTaken() {
        List<Long> times = new ArrayList<>();
        loop.post(now -> {
            times.add(now.monotonicNanos());
            world.host.holdUp(Duration.ofMillis(7));
        });
        loop.post(now -> times.add(now.monotonicNanos()));
        long from = world.host.nanos();
        world.host.settle();

        assertThat(times).containsExactly(from, from + 7_000_000);
    }

    @Test
    void timersHappenAtTheirTimeInOrderUnlessTheyWereCancelled() {
        List<Timers.Timer> cancelled = new ArrayList<>();
        long from = world.host.nanos();
        loop.post(now -> {
            loop.at(now.monotonicNanos() + 3_000_000, say("third"));
            loop.at(now.monotonicNanos() + 1_000_000, say("first"));
            cancelled.add(loop.at(now.monotonicNanos() + 2_000_000, say("second")));
        });
        world.host.settle();
        assertThat(done).isEmpty();
        cancelled.get(0).cancel();

        world.pass(Duration.ofNanos(999_999));
        assertThat(done).isEmpty();
        world.pass(Duration.ofNanos(1));
        assertThat(done).containsExactly("first");
        world.pass(Duration.ofMillis(10));

        assertThat(done).containsExactly("first", "third");
        assertThat(world.host.nanos() - from).isEqualTo(11_000_000);
    }

    @Test
    void aTimerMaySetAnotherOneAndOneThatThrowsStopsNone() {
        loop.post(now -> {
            loop.at(now.monotonicNanos() + 1, then -> {
                loop.at(then.monotonicNanos(), say("next"));
                throw new IllegalStateException("a mistake of ours");
            });
            loop.at(now.monotonicNanos() + 1, say("beside"));
        });
        world.pass(Duration.ofMillis(1));

        assertThat(done).containsExactlyInAnyOrder("next", "beside");
        assertThat(world.logged(line -> line.contains("an event failed on the loop; please report this")
                        && line.contains("a mistake of ours")))
                .hasSize(1);
    }

    /** What is not known to be broken goes on. */
    @Test
    void anExceptionInAnEventEndsNoTerm() {
        Leadership leadership = world.win(client.election("e"));
        loop.post(now -> {
            throw new IllegalStateException("a mistake of ours");
        });
        loop.post(say("next"));
        world.host.settle();

        assertThat(done).containsExactly("next");
        assertThat(leadership.isValid()).isTrue();
    }

    @Test
    void commandsBeyondTheLimitAreRefusedUntilSomeAreDone() {
        world.host.stall("mandate-loop");
        AtomicInteger taken = new AtomicInteger();
        int limit = 1 << 18;
        for (int i = 0; i < limit; i++) {
            assertThat(loop.command(now -> taken.incrementAndGet())).isTrue();
        }
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> loop.command(say("one too many")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(limit + " commands wait for this client already");
        }
        world.host.resume();
        world.host.settle();

        assertThat(taken).hasValue(limit);
        assertThat(loop.command(say("one more"))).isTrue();
        world.host.settle();
        assertThat(done).containsExactly("one more");
    }

    @Test
    void aLoopThatHasEndedTakesNothing() {
        client.close();

        assertThat(loop.command(say("command"))).isFalse();
        loop.post(say("event"));
        world.host.settle();

        assertThat(done).isEmpty();
        assertThat(loop.step()).isEqualTo(Host.Step.DONE);
    }

    @Test
    void theWatchEndsWithTheLoop() {
        AtomicInteger closed = new AtomicInteger();
        world.store.onUnwatch = closed::incrementAndGet;
        world.win(client.election("e"));
        assertThat(closed).hasValue(0);

        client.close();

        assertThat(closed).hasValue(1);
    }

    @Test
    void withNothingToDoItSleeps() {
        world.pass(Duration.ofSeconds(1));
        AtomicInteger turns = new AtomicInteger();
        world.host.afterRead = name -> turns.addAndGet(name.startsWith("mandate-loop") ? 1 : 0);

        assertThat(loop.step()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void onlyATurnOfItsOwnIsCurrent() {
        List<Boolean> current = new ArrayList<>();
        loop.post(now -> current.add(loop.isCurrent()));
        world.host.settle();
        current.add(loop.isCurrent());

        assertThat(current).containsExactly(true, false);
    }
}
