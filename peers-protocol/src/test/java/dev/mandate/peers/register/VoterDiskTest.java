package dev.mandate.peers.register;

import static dev.mandate.peers.register.Bench.LEASE;
import static dev.mandate.peers.register.Bench.THREE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A voter whose disk fails: it tries again, and does nothing else meanwhile. */
class VoterDiskTest {
    private static final long PAUSE = 100;

    private static void fail(Bench bench) {
        VoterAction.Persist failed = bench.unwritten.remove(0);
        bench.take(bench.voter.step(new VoterEvent.PersistFailed(failed.sequence()), bench.now));
    }

    /** A full disk fails at once, every time. */
    @Test
    void whatPrecedesTheFirstVoteIsWrittenAgainAfterAPause() {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(Bench.complete(5, 0)), 7, LEASE);
        bench.pass(LEASE);
        bench.writes = false;
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 0);
        bench.welcomeBy(2, Message.Ceiling.CONFIRMED, 0);

        fail(bench);

        assertThat(bench.unwritten).isEmpty();
        assertThat(bench.voter.wakeAtNanos(bench.now)).isEqualTo(bench.now + PAUSE);
        bench.pass(PAUSE - 1);
        assertThat(bench.unwritten).isEmpty();
        bench.pass(1);
        assertThat(bench.unwritten).hasSize(1);
        bench.write();
        assertThat(bench.isVoting()).isTrue();
    }

    /** Nobody else could wake it. */
    @Test
    void whoIsAloneWritesItsStartAgainAfterAPause() {
        Bench bench = new Bench(new Group(1), 0, new Recall.Missing(), 7, LEASE);
        bench.writes = false;
        bench.restart(8);
        fail(bench);
        fail(bench);

        assertThat(bench.unwritten).isEmpty();
        assertThat(bench.voter.wakeAtNanos(bench.now)).isEqualTo(bench.now + PAUSE);
        bench.pass(PAUSE);
        assertThat(bench.unwritten).hasSize(1);
    }
}
