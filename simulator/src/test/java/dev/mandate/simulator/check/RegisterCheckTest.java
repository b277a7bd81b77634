package dev.mandate.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.node.Call;
import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Value;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Histories of a register, written by hand: what is wrong is found, and what is right is not. */
class RegisterCheckTest {
    private static final RecordKey KEY = RecordKey.election("e0");
    private static final long LEASE = 100;

    private final Judge judge = new Judge();
    private final RegisterCheck check = new RegisterCheck(1, LEASE, judge);

    private static Value held(long counter, Epoch basis) {
        Epoch write = new Epoch(counter, new Id(0, counter));
        LeaderRecord record = LeaderRecord.proposal("c", Id.NONE, new Id(1, counter), "", Duration.ofNanos(LEASE), 0)
                .withTerm(counter);
        return new Value(write, basis, write, record);
    }

    private long acquires(Value value, long now) {
        Call call = new Call.Acquire(
                KEY, value.basis(), LeaderRecord.proposal("c", Id.NONE, new Id(1, 1), "", Duration.ofNanos(LEASE), 0));
        long begun = check.begins(0, call, now);
        check.isNamed(begun, value.write().id());
        return begun;
    }

    private void written(Value value, long from, long until) {
        check.ends(acquires(value, from), new Outcome.Written(value, true), until);
    }

    private void reads(@org.jspecify.annotations.Nullable Value value, long from, long until) {
        check.ends(check.begins(0, new Call.Read(KEY), from), new Outcome.Read(value), until);
    }

    @Test
    void whatWasConfirmedIsShownUntilItsLeaseIsOver() {
        Value first = held(5, Epoch.NONE);
        written(first, 0, 10);

        reads(first, 20, 30);
        reads(null, 5, 31);
        reads(null, 40, LEASE);
        assertThat(judge.isBroken()).isFalse();

        written(held(7, Epoch.NONE), 200, 210);
        reads(null, 220, 230);
        assertThat(judge.broken()).isEqualTo(Invariant.REGISTER);
    }

    @Test
    void whatDescendsFromItMayBeShown() {
        Value first = held(5, Epoch.NONE);
        Value second = held(6, first.write());
        Value third = held(7, second.write());
        written(first, 0, 10);
        check.carried(second);

        reads(third, 20, 30);
        assertThat(judge.isBroken()).isFalse();

        reads(held(8, Epoch.NONE), 40, 50);
        assertThat(judge.broken()).isEqualTo(Invariant.REGISTER);
    }

    @Test
    void whatWasRefusedIsNotShownWhileItsLeaseRuns() {
        Value refused = held(5, Epoch.NONE);
        check.ends(acquires(refused, 0), new Outcome.Refused(false, null), 10);

        reads(refused, 20, LEASE);
        assertThat(judge.isBroken()).isFalse();

        reads(refused, 20, LEASE - 1);
        assertThat(judge.broken()).isEqualTo(Invariant.REGISTER);
    }

    @Test
    void tokensRiseAlsoWhenLeasesAreOver() {
        written(held(9, Epoch.NONE), 0, 10);

        written(held(8, Epoch.NONE), 300, 310);
        assertThat(judge.broken()).isEqualTo(Invariant.TERMS);
    }

    @Test
    void tokensMayFallOnceAMajorityForgot() {
        written(held(9, Epoch.NONE), 0, 10);
        check.tokensMayFall();

        written(held(8, Epoch.NONE), 300, 310);
        assertThat(judge.isBroken()).isFalse();
    }
}
