package dev.mandate.simulator.check;

import dev.mandate.peers.node.Call;
import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Value;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Histories of the register that a group keeps. */
final class HandmadeRegisters {
    private static final RecordKey KEY = RecordKey.election("e0");
    private static final long LEASE = 100;
    private static final Value FIRST = held(5, Epoch.NONE);
    private static final Value SECOND = held(6, FIRST.write());
    private static final Value THIRD = held(7, SECOND.write());
    private static final List<HandmadeHistory> ALL = new ArrayList<>();

    private final RegisterCheck check;

    private HandmadeRegisters(Judge judge) {
        this.check = new RegisterCheck(1, LEASE, judge);
    }

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

    private void refused(Value value, long from, long until) {
        check.ends(acquires(value, from), new Outcome.Refused(false, null), until);
    }

    private void reads(@Nullable Value value, long from, long until) {
        check.ends(check.begins(0, new Call.Read(KEY), from), new Outcome.Read(value), until);
    }

    private static void bad(Invariant broken, String words, Consumer<HandmadeRegisters> events) {
        ALL.add(new HandmadeHistory(broken, words, judge -> events.accept(new HandmadeRegisters(judge))));
    }

    private static void good(String words, Consumer<HandmadeRegisters> events) {
        ALL.add(new HandmadeHistory(null, words, judge -> events.accept(new HandmadeRegisters(judge))));
    }

    static {
        bad(Invariant.REGISTER, "what was confirmed is gone while its lease runs", register -> {
            register.written(FIRST, 0, 10);
            register.reads(null, 20, 30);
        });
        bad(Invariant.REGISTER, "what was confirmed has made way for what does not descend from it", register -> {
            register.written(FIRST, 0, 10);
            register.reads(held(8, Epoch.NONE), 40, 50);
        });
        bad(Invariant.REGISTER, "what was refused stands while its lease runs", register -> {
            register.refused(FIRST, 0, 10);
            register.reads(FIRST, 20, LEASE - 1);
        });
        bad(Invariant.TERMS, "a token falls, though the lease before is over", register -> {
            register.written(held(9, Epoch.NONE), 0, 10);
            register.written(held(8, Epoch.NONE), 300, 310);
        });
        good("what was confirmed is shown until its lease is over, and before it may not have been", register -> {
            register.written(FIRST, 0, 10);
            register.reads(FIRST, 20, 30);
            register.reads(null, 5, 31);
            register.reads(null, 40, LEASE);
        });
        good("what descends from it is shown", register -> {
            register.written(FIRST, 0, 10);
            register.check.carried(SECOND);
            register.reads(THIRD, 20, 30);
        });
        good("what was refused stands once its lease is over", register -> {
            register.refused(FIRST, 0, 10);
            register.reads(FIRST, 20, LEASE);
        });
        good("a token falls after a majority forgot", register -> {
            register.written(held(9, Epoch.NONE), 0, 10);
            register.check.tokensMayFall();
            register.written(held(8, Epoch.NONE), 300, 310);
        });
    }

    static List<HandmadeHistory> all() {
        return ALL;
    }
}
