package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A voter by itself, on a disk that writes when it is told to. */
final class Bench {
    static final RecordKey KEY = RecordKey.election("orders");
    static final long LEASE = 1_000;
    static final Group THREE = new Group(3);

    Voter voter;
    final int self;
    long now;
    DurableState disk;
    boolean writes = true;
    final List<Message> replies = new ArrayList<>();
    final List<VoterAction.Tell> tells = new ArrayList<>();
    final List<VoterAction.Persist> unwritten = new ArrayList<>();
    private final Group group;

    Bench(Group group, int self, Recall recall, long start, long quarantine) {
        this.group = group;
        this.self = self;
        this.disk = recall.state().orElse(DurableState.none(group));
        start(recall, start, quarantine);
    }

    /** A voter of three that votes. */
    static Bench voting(long ceiling) {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(complete(ceiling, 0)), 7, LEASE);
        bench.pass(LEASE);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 0);
        return bench;
    }

    static DurableState complete(long ceiling, long number) {
        DurableState none = DurableState.none(THREE);
        return new DurableState(
                LEASE, ceiling, true, new Start(number, new Id(9, number)), List.of(), List.of(), none.known());
    }

    void start(Recall recall, long start, long quarantine) {
        unwritten.clear();
        voter = new Voter(new VoterSettings(group, self, quarantine, 1, 100), recall, new Id(0, start), now);
        take(voter.begin());
    }

    void restart(long start) {
        start(new Recall.Intact(disk), start, LEASE);
    }

    List<Message> send(Message message) {
        replies.clear();
        take(voter.step(new VoterEvent.Received(1, message), now));
        return List.copyOf(replies);
    }

    void pass(long nanos) {
        now += nanos;
        take(voter.step(new VoterEvent.Tick(), now));
    }

    void write() {
        while (!unwritten.isEmpty()) {
            VoterAction.Persist first = unwritten.remove(0);
            disk = first.state();
            take(voter.step(new VoterEvent.Persisted(first.sequence()), now));
        }
    }

    void take(List<VoterAction> actions) {
        for (VoterAction action : actions) {
            if (action instanceof VoterAction.Reply reply) {
                replies.add(reply.message());
            } else if (action instanceof VoterAction.Tell tell) {
                tells.add(tell);
            } else if (action instanceof VoterAction.Persist persist) {
                unwritten.add(persist);
            }
        }
        if (writes) {
            write();
        }
    }

    /** What the voter says when it joins. */
    Message.Join join() {
        return tells.stream()
                .map(tell -> (Message.Join) tell.message())
                .reduce((first, next) -> next)
                .orElseThrow();
    }

    void welcomeBy(int other, Message.Ceiling ceiling, long height) {
        Start start = voter.status(now).start();
        send(new Message.Welcome(
                other, start, new Start(1, new Id(8, other)), start, ceiling, height, List.of(), List.of()));
    }

    void contradictBy(int other, Start known) {
        Start start = voter.status(now).start();
        send(new Message.Welcome(
                other,
                start,
                new Start(1, new Id(8, other)),
                known,
                Message.Ceiling.CONFIRMED,
                0,
                List.of(),
                List.of()));
    }

    boolean isVoting() {
        return voter.status(now).phase() == VoterStatus.Phase.VOTING;
    }

    static Epoch epoch(long counter, long id) {
        return new Epoch(counter, new Id(1, id));
    }

    static Message.Prepare prepare(long counter, long id) {
        return new Message.Prepare(KEY, epoch(counter, id));
    }

    static Message.Accept accept(long counter, long id) {
        return new Message.Accept(KEY, epoch(counter, id), held(epoch(counter, id), Epoch.NONE));
    }

    static Value held(Epoch write, Epoch basis) {
        return new Value(write, basis, write, record("a", write.counter()));
    }

    static LeaderRecord record(String candidate, long term) {
        return LeaderRecord.proposal(candidate, Id.NONE, new Id(3, term), "", Duration.ofNanos(LEASE), 0)
                .withTerm(term);
    }
}
