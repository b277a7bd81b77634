package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What is written to the log, and that writing it holds nothing up. */
class LogTest {
    private final World world = World.withSessions();

    @Test
    void everyChangeOfRoleIsOneLineWithStableKeys() {
        Leadership leadership = world.win(world.client("a").election("in\u202evoices"));
        leadership.close();
        world.host.settle();

        List<String> lines = world.logged(line -> true);
        String token = leadership.fencingToken().toString();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0))
                .matches("INFO elected election=in\\\\u202evoices candidate=a term=" + token
                        + " reason=won remaining=\\d+ms");
        assertThat(lines.get(1))
                .matches("INFO ended election=in\\\\u202evoices candidate=a term=" + token
                        + " reason='resigned' remaining=\\d+ms");
    }

    @Test
    void anHourOfOutageIsTenLinesAndOneAMinute() {
        world.client("a").election("e").observe(view -> {});
        world.pass(Duration.ofSeconds(5));
        world.store.failure = new IllegalStateException("connection refused");

        world.pass(Duration.ofHours(1));

        List<String> trouble = world.logged(line -> line.contains("store trouble"));
        assertThat(trouble).hasSizeBetween(50, 75);
        assertThat(trouble).last().asString().contains("connection refused", "times=");
        world.store.failure = null;
        world.pass(Duration.ofMinutes(2));
        assertThat(world.logged(line -> line.contains("answers again"))).hasSize(1);
        assertThat(world.logged(line -> line.contains("store trouble"))).hasSize(trouble.size());
    }

    @Test
    void aStoreThatHangsIsTroubleToo() {
        world.client("a").election("e").observe(view -> {});
        world.pass(Duration.ofSeconds(5));
        world.store.hangs = true;

        world.pass(Duration.ofHours(1));

        assertThat(world.logged(line -> line.contains("no answer for"))).hasSizeBetween(50, 75);
    }

    @Test
    void aStoreThatFlapsDoesNotFillTheLog() {
        world.client("a").election("e").observe(view -> {});

        for (int i = 0; i < 3_600; i++) {
            world.store.failure = i % 2 == 0 ? new IllegalStateException("flapping") : null;
            world.pass(Duration.ofSeconds(1));
        }

        assertThat(world.logged(line -> true)).hasSizeLessThan(90);
    }

    @Test
    void aSlowStoreIsCalledSlow() {
        world.client("a").election("e").observe(view -> {});
        world.store.latency = Duration.ofMillis(1_200);

        world.pass(Duration.ofSeconds(30));

        assertThat(world.logged(line -> line.contains("find out what slows the store")))
                .isNotEmpty();
    }

    @Test
    void aThousandHandlesThatWereNotClosedAreTenLinesAndOneThatCountsTheRest() {
        Client client = world.client("a");
        List<Leadership> held = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            client.election("e" + i).campaignAsync("v").thenAccept(held::add);
        }
        world.passUntil(() -> held.size() == 1_000);

        client.close();

        assertThat(held).noneMatch(Leadership::isValid);
        assertThat(world.logged(line -> line.contains("OVERRUN: a Leadership was not closed")))
                .hasSize(10);
        assertThat(world.logged(line -> line.contains("OVERRUN: and 990 more terms like these")))
                .hasSize(1);
    }

    /** A disk that is full, a terminal that is held. */
    @Test
    void aLoggerThatBlocksHoldsUpNoRenewal() {
        world.host.useRealThreads();
        CountDownLatch let = new CountDownLatch(1);
        Thread loop = Thread.currentThread();
        AtomicBoolean wroteOnTheLoop = new AtomicBoolean();
        world.onLog = () -> {
            if (Thread.currentThread() == loop) {
                wroteOnTheLoop.set(true);
                return;
            }
            try {
                let.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        List<Leadership> won = new ArrayList<>();
        Client client = world.client("a");
        client.election("e").campaignAsync("v").thenAccept(won::add);
        world.passUntil(() -> {
            Thread.yield();
            return !won.isEmpty();
        });

        for (int i = 0; i < 60; i++) {
            world.pass(Duration.ofSeconds(1));
            assertThat(won.get(0).isValid()).isTrue();
        }
        assertThat(wroteOnTheLoop).isFalse();
        let.countDown();
        world.await(() -> !world.logged(line -> line.contains("elected")).isEmpty());
    }

    @Test
    void aLoggerThatThrowsChangesNothing() {
        world.onLog = () -> {
            throw new IllegalStateException("a logger's own trouble");
        };
        Leadership leadership = world.win(world.client("a").election("e"));

        world.pass(Duration.ofMinutes(1));

        assertThat(leadership.isValid()).isTrue();
    }
}
