package dev.mandate.peers.register;

import static dev.mandate.peers.register.Bench.KEY;
import static dev.mandate.peers.register.Bench.LEASE;
import static dev.mandate.peers.register.Bench.accept;
import static dev.mandate.peers.register.Bench.epoch;
import static dev.mandate.peers.register.Bench.prepare;

import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Schedules that lead straight to a weakness, where chance seldom does. */
class DirectedTest {
    static final Map<String, Runnable> SCHEDULES = schedules();

    @TestFactory
    Stream<DynamicTest> schedule() {
        return SCHEDULES.entrySet().stream().map(each -> DynamicTest.dynamicTest(each.getKey(), each.getValue()::run));
    }

    private static Map<String, Runnable> schedules() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("no ACCEPT leaves at the deadline or later", DirectedTest::noAcceptAtTheDeadline);
        all.put("two acquires never have one token, whatever their ids", DirectedTest::noTokenTwice);
        all.put("a forgotten promise is kept in the floor", DirectedTest::floor);
        all.put("no lease outlasts a quarantine", DirectedTest::lease);
        all.put("what contradicts a file outlives the starts that never voted", DirectedTest::contradiction);
        all.put("after a start everything below the ceiling counts as promised", DirectedTest::ceiling);
        all.put("a promise at the ceiling is on the disk before it is answered", DirectedTest::late);
        all.put("a lost file's ceiling is learnt", DirectedTest::learnt);
        all.put("a promise of a start that others know to be over is void", DirectedTest::startIds);
        all.put("no promise is counted beside one that came half a quarantine later", DirectedTest::oldEpoch);
        all.put("a promise below a ceiling that was learnt since is not repeated", DirectedTest::promisedBelow);
        all.put("a write is not refused for one that is forgotten first", DirectedTest::forgottenFirst);
        all.put("a record that is completed again and again is forgotten in time", DirectedTest::outlived);
        return all;
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new Violation(rule, "directed");
        }
    }

    /** A proposer is suspended between the promises and the ACCEPT. All files may have been lost since. */
    private static void noAcceptAtTheDeadline() {
        ProposalSettings settings =
                new ProposalSettings(Bench.THREE, new Id(0, 1), List.of(0, 1, 2), 0, 0, 100, 500, 10, 10, 3);
        Proposal proposal = Proposal.release(settings, KEY, Epoch.NONE);
        proposal.begin(new Moment(0, 20));
        Epoch epoch = new Epoch(20, new Id(0, 1));
        Message.Promise promise = new Message.Promise(epoch, new Start(1, new Id(0, 5)), List.of(), null, 0);
        proposal.step(0, promise, new Moment(99, 20));
        ProposalStep step = proposal.step(1, promise, new Moment(100, 20));
        require(step.sends().isEmpty() && step.ended() instanceof Outcome.Unknown, "no ACCEPT after the deadline");
    }

    /** The epoch with the lower id is promised by one majority, the other by another one. */
    private static void noTokenTwice() {
        Bench voter = Bench.voting(5);
        voter.send(prepare(10, 1));
        voter.send(accept(10, 1));
        require(voter.send(prepare(10, 2)).get(0) instanceof Message.Refusal, "tokens rise");
        require(voter.send(accept(10, 2)).get(0) instanceof Message.Refusal, "tokens rise");
    }

    private static void floor() {
        Bench voter = Bench.voting(5);
        voter.send(prepare(10, 1));
        voter.pass(3 * LEASE);
        require(voter.voter.status(voter.now).keys() == 0, "nothing grows");
        require(voter.send(accept(9, 2)).get(0) instanceof Message.Refusal, "nothing below a promise");
    }

    private static void lease() {
        Bench voter = Bench.voting(5);
        LeaderRecord record = LeaderRecord.proposal("a", Id.NONE, new Id(1, 1), "", Duration.ofNanos(LEASE + 1), 0);
        Value value = new Value(epoch(10, 1), Epoch.NONE, epoch(10, 1), record);
        require(
                voter.send(new Message.Accept(KEY, epoch(10, 1), value)).get(0) instanceof Message.Refusal,
                "no lease above the quarantine");
    }

    private static void contradiction() {
        Bench peer = Bench.voting(5);
        Start voted = new Start(2, new Id(6, 6));
        Start covers = new Start(1, new Id(6, 5));
        peer.send(new Message.Join(1, voted, covers, List.of(voted.id())));
        List<Id> attempts = List.of(new Id(5, 1), new Id(5, 2));
        peer.send(new Message.Join(1, new Start(2, attempts.get(0)), covers, attempts.subList(0, 1)));
        Message.Welcome welcome =
                (Message.Welcome) peer.send(new Message.Join(1, new Start(2, attempts.get(1)), covers, attempts))
                        .get(0);
        require(welcome.known().equals(voted), "a start that never voted proves nothing");
    }

    /** A release is promised by a majority; then one of it crashes, and a lower acquire asks the other majority. */
    private static void ceiling() {
        Bench voter = Bench.voting(5);
        voter.send(prepare(20, 1));
        voter.restart(8);
        voter.pass(LEASE);
        voter.welcomeBy(1, Message.Ceiling.CONFIRMED, 0);
        require(voter.send(prepare(10, 2)).get(0) instanceof Message.Refusal, "nothing below a promise");
    }

    /** The voter crashes while it writes. */
    private static void late() {
        Bench voter = Bench.voting(5);
        voter.writes = false;
        boolean isPromised = !voter.send(prepare(20, 1)).isEmpty();
        voter.writes = true;
        voter.restart(8);
        voter.pass(LEASE);
        voter.welcomeBy(1, Message.Ceiling.CONFIRMED, 0);
        boolean isLower = voter.send(prepare(10, 2)).get(0) instanceof Message.Promise;
        require(!isPromised || !isLower, "nothing below a promise");
    }

    private static void learnt() {
        Bench voter = Bench.voting(5);
        voter.send(prepare(20, 1));
        voter.start(new Recall.Missing(), 8, LEASE);
        voter.pass(LEASE);
        voter.welcomeBy(1, Message.Ceiling.CONFIRMED, 21);
        voter.welcomeBy(2, Message.Ceiling.CONFIRMED, 5);
        require(voter.isVoting(), "a voter that learnt votes");
        require(voter.send(prepare(10, 2)).get(0) instanceof Message.Refusal, "nothing below a promise");
    }

    /**
     * A voter promises, loses its file and learns from another one, which loses its own and promises, too: no promise
     * names the first one's new start.
     */
    private static void oldEpoch() {
        ProposalSettings settings = new ProposalSettings(
                Bench.THREE, new Id(0, 1), List.of(0, 1, 2), 0, 0, 5 * LEASE, LEASE / 2, 10, 10, 3);
        Proposal proposal = Proposal.release(settings, KEY, Epoch.NONE);
        proposal.begin(new Moment(0, 20));
        Epoch epoch = new Epoch(20, new Id(0, 1));
        Message.Promise first = new Message.Promise(epoch, new Start(1, new Id(0, 5)), List.of(), null, 0);
        proposal.step(0, first, new Moment(1, 20));
        Message.Promise second = new Message.Promise(epoch, new Start(1, new Id(0, 6)), List.of(), null, 0);
        ProposalStep step = proposal.step(1, second, new Moment(2 * LEASE, 20));
        require(
                step.sends().stream().noneMatch(send -> send.message() instanceof Message.Accept),
                "no promise counts for ever");
    }

    /** A voter finds that its file is an old one after it promised, and its proposer asks once more. */
    private static void promisedBelow() {
        Bench voter = Bench.voting(5);
        voter.send(prepare(10, 1));
        voter.contradictBy(1, new Start(2, new Id(6, 6)));
        voter.welcomeBy(1, Message.Ceiling.CONFIRMED, 20);
        voter.welcomeBy(2, Message.Ceiling.CONFIRMED, 30);
        require(voter.isVoting(), "a voter that learnt votes");
        require(voter.send(prepare(10, 1)).get(0) instanceof Message.Refusal, "nothing below a promise");
    }

    /** Otherwise it could outlive a release that others accepted. */
    private static void outlived() {
        Bench voter = Bench.voting(1);
        Value record = Bench.accept(10, 1).value();
        voter.send(new Message.Accept(KEY, epoch(10, 1), record));
        for (int time = 1; time <= 3; time++) {
            voter.pass(LEASE / 4);
            Message.Promise promise =
                    (Message.Promise) voter.send(prepare(10 + time, 1)).get(0);
            voter.send(new Message.Accept(KEY, promise.epoch(), record, promise.ageNanos()));
        }
        voter.pass(LEASE / 4);
        Message.Shown shown =
                (Message.Shown) voter.send(new Message.Look(Id.NONE, 0, KEY)).get(0);
        require(shown.vote() == null, "a record is forgotten a quarantine after it was written");
    }

    /**
     * Another write stands on the basis of this one, which a third voter accepted. This one is refused only if a
     * majority says that the other came since.
     */
    private static void forgottenFirst() {
        Epoch other = new Epoch(30, new Id(0, 2));
        Vote rival = new Vote(other, new Value(other, Epoch.NONE, other, null));
        require(metBy(rival, LEASE, LEASE) instanceof Outcome.Unknown, "not refused for an older write");
        require(metBy(rival, LEASE, 0) == null, "not refused at once for what a few accepted since");
        require(metBy(null, 0, 0) == null, "not refused at once for what was not chosen");
        require(metBy(rival, 0, 0) instanceof Outcome.Refused, "refused for what a majority accepted since");
    }

    /** What becomes of a write whose ACCEPT left if one voter then shows {@code first}, and one that other write. */
    private static @Nullable Outcome metBy(@Nullable Vote first, long firstNanos, long secondNanos) {
        Epoch other = new Epoch(30, new Id(0, 2));
        Vote second = new Vote(other, new Value(other, Epoch.NONE, other, null));
        ProposalSettings settings =
                new ProposalSettings(Bench.THREE, new Id(0, 1), List.of(0, 1, 2), 0, 0, LEASE, LEASE / 2, 10, 10, 3);
        Proposal proposal = Proposal.release(settings, KEY, Epoch.NONE);
        Moment now = new Moment(0, 20);
        proposal.begin(now);
        Start start = new Start(1, new Id(0, 5));
        Epoch epoch = new Epoch(20, new Id(0, 1));
        proposal.step(0, new Message.Promise(epoch, start, List.of(), null, 0), now);
        proposal.step(1, new Message.Promise(epoch, start, List.of(), null, 0), now);
        proposal.step(0, new Message.Refusal(epoch, Message.Reason.PROMISED, 30), now);
        proposal.step(1, new Message.Refusal(epoch, Message.Reason.PROMISED, 30), now);
        Moment later = new Moment(proposal.wakeAtNanos(), 20);
        proposal.tick(later);
        Epoch again = new Epoch(31, new Id(0, 1));
        proposal.step(0, new Message.Promise(again, start, List.of(), first, firstNanos), later);
        return proposal.step(1, new Message.Promise(again, start, List.of(), second, secondNanos), later)
                .ended();
    }

    /** The promise of a voter that has lost its file since, and has learnt before the other one promised. */
    private static void startIds() {
        ProposalSettings settings =
                new ProposalSettings(Bench.THREE, new Id(0, 1), List.of(0, 1, 2), 0, 0, 1000, 500, 10, 10, 3);
        Proposal proposal = Proposal.release(settings, KEY, Epoch.NONE);
        proposal.begin(new Moment(0, 20));
        Epoch epoch = new Epoch(20, new Id(0, 1));
        Start before = new Start(1, new Id(0, 5));
        Start since = new Start(2, new Id(0, 6));
        Start other = new Start(1, new Id(0, 7));
        Moment now = new Moment(1, 20);
        proposal.step(0, new Message.Promise(epoch, before, List.of(before), null, 0), now);
        ProposalStep step = proposal.step(1, new Message.Promise(epoch, other, List.of(since, other), null, 0), now);
        require(step.sends().isEmpty(), "a void promise counts for nothing");
        ProposalStep again = proposal.step(0, new Message.Promise(epoch, since, List.of(since), null, 0), now);
        require(!again.sends().isEmpty(), "the promise of the new start counts");
    }
}
