package dev.mandate.peers.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Outcome;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Writes of one node on one key: one begins after the other. */
class TurnsTest {
    private static final RecordKey KEY = RecordKey.election("orders");

    private final Cluster cluster = Cluster.voting(3);

    private long acquires(RecordKey key, String candidate) {
        LeaderRecord record = LeaderRecord.proposal(candidate, Id.NONE, new Id(3, 4), "", Cluster.LEASE, 0);
        return cluster.begin(0, new Call.Acquire(key, Epoch.NONE, record));
    }

    private long prepares() {
        return cluster.sent.stream()
                .filter(each -> each.from() == 0 && each.message() instanceof Message.Prepare)
                .map(each -> ((Message.Prepare) each.message()).epoch())
                .distinct()
                .count();
    }

    private Outcome outcome(long call) {
        return ((CallResult.Ended) cluster.results.get(call)).outcome();
    }

    @Test
    void theNextWriteBeginsWhenTheOneBeforeIsOver() {
        long[] calls =
                IntStream.range(0, 20).mapToLong(i -> acquires(KEY, "c" + i)).toArray();
        assertThat(prepares()).isEqualTo(1);

        cluster.deliver();

        assertThat(outcome(calls[0])).isInstanceOf(Outcome.Written.class);
        for (int i = 1; i < calls.length; i++) {
            assertThat(outcome(calls[i])).isInstanceOf(Outcome.Refused.class);
        }
        assertThat(prepares()).as("each in its first round").isEqualTo(20);
    }

    @Test
    void readsAndOtherKeysDoNotWait() {
        acquires(KEY, "a");
        acquires(RecordKey.election("others"), "b");
        cluster.begin(0, new Call.Read(KEY));
        assertThat(prepares()).isEqualTo(2);
        assertThat(cluster.sent).anyMatch(each -> each.message() instanceof Message.Look);
    }

    /** A write whose voters are silent does not use up the time of the next one. */
    @Test
    void noWriteWaitsForMoreThanHalfOfItsTime() {
        cluster.isLost = each -> true;
        acquires(KEY, "a");
        cluster.pass(Duration.ofMillis(100));
        long next = acquires(KEY, "b");
        cluster.pass(Cluster.LEASE.dividedBy(2).minusMillis(1));
        cluster.deliver();
        assertThat(cluster.results).isEmpty();
        long before = prepares();

        cluster.isLost = each -> false;
        cluster.pass(Duration.ofMillis(1));
        assertThat(prepares()).isGreaterThan(before);
        cluster.deliver();
        cluster.pass(Cluster.LEASE.dividedBy(4));
        cluster.deliver();

        assertThat(outcome(next)).isNotInstanceOf(Outcome.Unknown.class);
    }

    /** As after a suspension: none of them would end if the stack did not suffice. */
    @Test
    void allThatWaitedForTooLongEndAtOnce() {
        cluster.isLost = each -> true;
        for (int i = 0; i < 30_000; i++) {
            acquires(KEY, "c");
        }

        cluster.pass(Cluster.LEASE);

        assertThat(cluster.results).hasSize(30_000);
    }

    @Test
    void whoWaitsIsToldOfADisagreement() {
        acquires(KEY, "a");
        long next = acquires(KEY, "b");
        cluster.step(0, new NodeEvent.Disagreed("the lists differ"));
        assertThat(cluster.results).hasSize(2).containsEntry(next, new CallResult.Disagreed("the lists differ"));
        assertThat(cluster.node(0).wakeAtNanos(cluster.now)).isGreaterThan(cluster.now.monotonicNanos());
    }
}
