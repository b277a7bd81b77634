package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.CandidacyStatus;
import dev.mandate.Explanation;
import dev.mandate.Leader;
import dev.mandate.Leadership;
import dev.mandate.engine.LeaseTiming;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a client says of itself, and of the leaders it sees. */
class ClientTest {
    private final World world = World.withSessions();
    private final Client client = world.client("a");

    @Test
    void itExplainsWhatItsTimingAndItsStorePromise() {
        Explanation explanation = client.explain();
        LeaseTiming timing = client.timing();
        LeaseTiming.Bounds bounds = timing.bounds(world.store.traits());

        assertThat(explanation.store()).isEqualTo("virtual:a");
        assertThat(explanation.guarantee()).isEqualTo(world.store.traits().guarantee());
        assertThat(explanation.lease()).isEqualTo(World.LEASE);
        assertThat(explanation.believedFor()).isEqualTo(timing.believedFor());
        assertThat(explanation.failoverAtMost()).isEqualTo(bounds.failover());
        assertThat(explanation.recoveryAtMost()).isEqualTo(bounds.recovery());
        assertThat(explanation.overlapAtMost()).isEqualTo(bounds.forcedOverlap());
        assertThat(explanation.drainBudget()).isEqualTo(Duration.ofNanos(timing.drainTimeoutNanos()));
        assertThat(explanation.coldStartWait()).isEqualTo(bounds.coldStart());
        assertThat(explanation.assumptions())
                .containsAll(world.store.traits().assumptions())
                .contains("The rates of two machines' clocks differ by less than a factor of 1.1.");
        assertThat(client.toString()).isEqualTo("client a of virtual:a");
        assertThat(client.candidate()).isEqualTo("a");
        assertThat(client.guarantee()).isEqualTo(explanation.guarantee());
    }

    @Test
    void aLeaderIsWhatItsRecordSays() {
        Leadership leadership = world.win(client.election("e"), "here");
        Leader leader = client.leaders("", 5).get(0);

        assertThat(leader.election()).isEqualTo("e");
        assertThat(leader.candidate()).isEqualTo("a");
        assertThat(leader.value()).isEqualTo("here");
        assertThat(leader.token()).isEqualTo(leadership.fencingToken());
        assertThat(leader.since()).isAfter(Instant.EPOCH);
        assertThat(leader.lease()).isEqualTo(World.LEASE);
        assertThat(leader.foreign()).isFalse();
        assertThat(leader.asked()).isFalse();
        assertThat(leader.verified()).isTrue();
    }

    @Test
    void aForeignLeaderIsShownAsItIsWritten() {
        world.store.overwriteForeign("e", "another program", Duration.ofSeconds(42));
        Leader leader = client.leaders("", 5).get(0);

        assertThat(leader.candidate()).isEqualTo("another program");
        assertThat(leader.value()).isEmpty();
        assertThat(leader.since()).isEqualTo(Instant.EPOCH);
        assertThat(leader.lease()).isEqualTo(Duration.ofSeconds(42));
        assertThat(leader.foreign()).isTrue();
        assertThat(leader.asked()).isFalse();
    }

    @Test
    void oneNameIsOneObject() {
        assertThat(client.election("e")).isSameAs(client.election("e")).isNotSameAs(client.election("f"));
        assertThat(client.election("e").name()).isEqualTo("e");
    }

    @Test
    void itListsTheElectionsThatItCampaignsIn() {
        Leadership leading = world.win(client.election("b"));
        world.win(world.client("other", world.store.another()).election("a"));
        client.election("a").latch("v");
        client.election("only observed").observe(view -> {});
        client.election("untouched");
        world.pass(Duration.ofSeconds(1));

        Map<String, CandidacyStatus> elections = client.elections();
        assertThat(List.copyOf(elections.keySet())).containsExactly("a", "b");
        assertThat(elections.get("a").state()).isEqualTo(CandidacyStatus.State.FOLLOWING);
        assertThat(elections.get("b").fencingToken()).contains(leading.fencingToken());
        assertThatThrownBy(() -> elections.remove("a")).isInstanceOf(UnsupportedOperationException.class);

        leading.close();
        assertThat(elections).hasSize(2);
        assertThat(client.elections()).containsOnlyKeys("a");
        client.close();
        assertThat(client.elections()).isEmpty();
    }

    /** The clocks say so, not what the loop last noticed. */
    @Test
    void aListedElectionLeadsOnlyAsLongAsItsTermIsValid() {
        world.win(client.election("e"));
        world.host.stall("mandate-");
        assertThat(client.elections().get("e").isLeader()).isTrue();

        world.pass(World.LEASE);

        assertThat(client.elections().get("e").isLeader()).isFalse();
    }

    /** Listeners are given a little time, all together; whoever blocks for longer is left behind. */
    @Test
    void closingWaitsForListenersAsLongAsForOneAnswer() {
        world.host.useRealThreads();
        CountDownLatch let = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(3);
        for (String name : List.of("e", "f", "g")) {
            client.election(name).observe(view -> {
                inside.countDown();
                try {
                    let.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        world.await(() -> inside.getCount() == 0);
        long from = world.host.nanos();

        client.close();

        assertThat(Duration.ofNanos(world.host.nanos() - from))
                .isBetween(
                        Duration.ofNanos(client.timing().requestTimeoutNanos()),
                        Duration.ofNanos(client.timing().requestTimeoutNanos()).plusMillis(100));
        let.countDown();
    }

    /** Somebody else finds out whether the loop hangs: it has waited too short a time to say so. */
    @Test
    void whoIsInterruptedWhileClosingLeavesTheRestToOthers() throws Exception {
        world.win(client.election("e"));
        world.store.hangs = true;
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        world.host.useRealThreads();
        Thread closer = new Thread(() -> {
            Thread.currentThread().interrupt();
            client.close();
            flag.complete(Thread.currentThread().isInterrupted());
        });
        closer.start();
        closer.join();
        assertThat(flag).isCompletedWithValue(true);
        assertThat(world.store.closed).isZero();

        world.passUntilReally(() -> world.store.closed == 1);

        assertThat(world.logged(line -> line.contains("the store blocks the loop")))
                .isEmpty();
    }
}
