package dev.mandate.peers.register;

import static dev.mandate.peers.register.Bench.KEY;
import static dev.mandate.peers.register.Bench.LEASE;
import static dev.mandate.peers.register.Bench.THREE;
import static dev.mandate.peers.register.Bench.accept;
import static dev.mandate.peers.register.Bench.epoch;
import static dev.mandate.peers.register.Bench.prepare;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Id;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of a voter, one by one. */
class VoterTest {
    @Test
    void nothingIsPromisedOrAcceptedBelowAPromise() {
        Bench bench = Bench.voting(1);
        assertThat(bench.send(prepare(10, 1))).first().isInstanceOf(Message.Promise.class);
        assertThat(bench.send(prepare(9, 2))).containsExactly(refused(9, 2, 10));
        assertThat(bench.send(accept(9, 2))).containsExactly(refused(9, 2, 10));
        assertThat(bench.send(accept(10, 1))).containsExactly(new Message.Accepted(epoch(10, 1)));
    }

    private static Message.Refusal refused(long counter, long id, long promised) {
        return new Message.Refusal(epoch(counter, id), Message.Reason.PROMISED, promised);
    }

    @Test
    void aCounterIsNotPromisedTwiceToDifferentEpochs() {
        Bench bench = Bench.voting(1);
        bench.send(prepare(10, 1));
        assertThat(bench.send(prepare(10, 2))).containsExactly(refused(10, 2, 10));
        assertThat(bench.send(prepare(10, 1))).first().isInstanceOf(Message.Promise.class);
    }

    @Test
    void aPromiseShowsWhatWasAcceptedLast() {
        Bench bench = Bench.voting(1);
        bench.send(accept(10, 1));
        Message.Promise promise = (Message.Promise) bench.send(prepare(11, 2)).get(0);
        assertThat(promise.vote())
                .isEqualTo(new Vote(epoch(10, 1), accept(10, 1).value()));
    }

    @Test
    void aPromiseAtTheCeilingWaitsForTheDisk() {
        Bench bench = Bench.voting(10);
        assertThat(bench.send(prepare(9, 1))).hasSize(1);
        bench.writes = false;
        assertThat(bench.send(prepare(10, 1))).isEmpty();
        assertThat(bench.send(prepare(10, 1))).as("the same once more").isEmpty();
        assertThat(bench.unwritten).hasSize(1);
        assertThat(bench.unwritten.get(0).state().ceiling()).isEqualTo(11);
        bench.write();
        assertThat(bench.replies).hasSize(1).first().isInstanceOf(Message.Promise.class);
    }

    @Test
    void nothingIsAnsweredWhereTheDiskFailsAndTheNextTriesAgain() {
        Bench bench = Bench.voting(10);
        bench.writes = false;
        bench.send(prepare(10, 1));
        bench.take(bench.voter.step(
                new VoterEvent.PersistFailed(bench.unwritten.get(0).sequence()), bench.now));
        assertThat(bench.replies).isEmpty();
        bench.unwritten.clear();
        bench.writes = true;
        assertThat(bench.send(prepare(10, 1))).hasSize(1);
        assertThat(bench.disk.ceiling()).isEqualTo(11);
    }

    /** It would be asked again and again, for as long as the write takes. */
    @Test
    void whileTheDiskWritesNothingIsDue() {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(Bench.complete(5, 0)), 7, LEASE);
        bench.writes = false;
        bench.restart(8);

        assertThat(bench.voter.wakeAtNanos(bench.now)).isGreaterThan(bench.now);

        bench.pass(LEASE);
        assertThat(bench.voter.wakeAtNanos(bench.now)).isGreaterThan(bench.now);

        bench.write();
        assertThat(bench.tells).isNotEmpty();
    }

    @Test
    void afterAStartEverythingBelowTheCeilingIsPromised() {
        Bench bench = Bench.voting(1);
        bench.send(prepare(10, 1));
        bench.restart(8);
        bench.pass(LEASE);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 0);
        assertThat(bench.send(accept(10, 1))).containsExactly(refused(10, 1, 10));
        assertThat(bench.send(prepare(11, 1))).first().isInstanceOf(Message.Promise.class);
    }

    @Test
    void aStartIsSilentForItsQuarantine() {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(Bench.complete(5, 0)), 7, LEASE);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 0);
        bench.pass(LEASE - 1);
        assertThat(bench.send(prepare(10, 1))).isEmpty();
        assertThat(bench.send(new Message.Look(Id.NONE, 0, KEY))).isEmpty();
        bench.pass(1);
        assertThat(bench.send(prepare(10, 1))).hasSize(1);
    }

    @Test
    void theFormerQuarantineIsKeptWhereItIsLonger() {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(Bench.complete(5, 0)), 7, LEASE / 2);
        bench.pass(LEASE - 1);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 0);
        assertThat(bench.isVoting()).isFalse();
        assertThat(bench.disk.quarantineNanos()).isEqualTo(LEASE);
        bench.pass(1);
        assertThat(bench.isVoting()).isTrue();
        assertThat(bench.disk.quarantineNanos()).isEqualTo(LEASE / 2);
    }

    @Test
    void aFileThatNobodyContradictsNeedsAMajorityToSaySo() {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(Bench.complete(5, 0)), 7, LEASE);
        bench.pass(LEASE);
        assertThat(bench.isVoting()).isFalse();
        bench.welcomeBy(1, Message.Ceiling.NONE, 0);
        assertThat(bench.isVoting()).as("by one that remembers nothing").isFalse();
        bench.welcomeBy(2, Message.Ceiling.UNCONFIRMED, 0);
        assertThat(bench.isVoting()).isTrue();
    }

    @Test
    void aLostCeilingIsLearntFromSoManyThatEveryMajorityIsMet() {
        Bench bench = new Bench(THREE, 0, new Recall.Missing(), 7, LEASE);
        bench.pass(LEASE);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 20);
        assertThat(bench.isVoting()).isFalse();
        bench.welcomeBy(2, Message.Ceiling.UNCONFIRMED, 40);
        assertThat(bench.isVoting()).as("by one whose own file may be old").isFalse();
        bench.welcomeBy(2, Message.Ceiling.CONFIRMED, 30);
        assertThat(bench.isVoting()).isTrue();
        assertThat(bench.send(prepare(29, 1))).first().isInstanceOf(Message.Refusal.class);
        assertThat(bench.send(prepare(30, 1))).first().isInstanceOf(Message.Promise.class);
    }

    @Test
    void whatWasLearntBeforeTheEndOfTheQuarantineIsAskedForAgain() {
        Bench bench = new Bench(THREE, 0, new Recall.Damaged("test"), 7, LEASE);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 20);
        bench.welcomeBy(2, Message.Ceiling.CONFIRMED, 20);
        bench.pass(LEASE);
        assertThat(bench.isVoting()).isFalse();
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 21);
        bench.welcomeBy(2, Message.Ceiling.CONFIRMED, 20);
        assertThat(bench.isVoting()).isTrue();
    }

    @Test
    void aGroupStartsForTheFirstTimeWhenNobodyHasACeiling() {
        Bench bench = new Bench(THREE, 0, new Recall.Missing(), 7, LEASE);
        bench.pass(LEASE);
        bench.welcomeBy(1, Message.Ceiling.NONE, 0);
        assertThat(bench.isVoting()).isFalse();
        bench.welcomeBy(2, Message.Ceiling.NONE, 0);
        assertThat(bench.isVoting()).isTrue();
        assertThat(bench.disk.founders()).containsExactlyInAnyOrder(new Id(8, 1), new Id(8, 2), new Id(0, 7));
    }

    @Test
    void aFounderLetsThoseInWhomItFoundWithoutACeiling() {
        Bench bench = new Bench(THREE, 0, new Recall.Missing(), 7, LEASE);
        bench.restart(6);
        bench.pass(LEASE);
        Start start = bench.voter.status(bench.now).start();
        bench.send(new Message.Welcome(
                2,
                start,
                new Start(1, new Id(8, 2)),
                start,
                Message.Ceiling.CONFIRMED,
                5,
                List.of(new Id(0, 9)),
                List.of()));
        assertThat(bench.isVoting()).isFalse();
        // It was an earlier start that was met, and its file is still there.
        bench.send(new Message.Welcome(
                2,
                start,
                new Start(1, new Id(8, 2)),
                start,
                Message.Ceiling.CONFIRMED,
                5,
                List.of(new Id(0, 7)),
                List.of()));
        assertThat(bench.isVoting()).isTrue();
        assertThat(bench.disk.ceiling()).isEqualTo(5);
    }

    /** It cannot vote before somebody else has a ceiling. */
    @Test
    void aFounderThatStartedAgainBeforeAnybodyElseVotedLetsThoseInToo() {
        Bench bench = new Bench(THREE, 0, new Recall.Missing(), 7, LEASE);
        bench.restart(6);
        bench.pass(LEASE);
        Start start = bench.voter.status(bench.now).start();
        Message.Welcome founder = new Message.Welcome(
                2,
                start,
                new Start(2, new Id(8, 2)),
                start,
                Message.Ceiling.UNCONFIRMED,
                5,
                List.of(new Id(0, 7)),
                List.of());
        bench.send(founder);
        assertThat(bench.isVoting()).isFalse();
        bench.welcomeBy(1, Message.Ceiling.UNCONFIRMED, 9);
        assertThat(bench.isVoting()).isFalse();

        bench.restart(5);
        bench.pass(LEASE);
        start = bench.voter.status(bench.now).start();
        bench.send(new Message.Welcome(
                2, start, founder.own(), start, founder.ceiling(), 5, founder.founders(), List.of()));
        bench.welcomeBy(1, Message.Ceiling.NONE, 0);
        assertThat(bench.isVoting()).isTrue();
        assertThat(bench.disk.ceiling()).isEqualTo(5);
        assertThat(bench.disk.founders()).containsExactly(new Id(0, 7));
    }

    @Test
    void aVoterOfOneAsksNobody() {
        Bench bench = new Bench(new Group(1), 0, new Recall.Missing(), 7, LEASE);
        bench.pass(LEASE);
        assertThat(bench.isVoting()).isTrue();
    }

    @Test
    void anOldFileIsNotTrustedAndItsCeilingLearnt() {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(Bench.complete(5, 1)), 7, LEASE);
        bench.contradictBy(1, new Start(2, new Id(6, 6)));
        bench.pass(LEASE);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 20);
        assertThat(bench.isVoting()).isFalse();
        assertThat(bench.voter.status(bench.now).start().number()).isEqualTo(3);
        bench.welcomeBy(2, Message.Ceiling.CONFIRMED, 30);
        assertThat(bench.isVoting()).isTrue();
        assertThat(bench.disk.ceiling()).isEqualTo(30);
    }

    @Test
    void anOldFileThatWasContradictedStaysIncompleteWhenItsVoterCrashesBeforeItVotes() {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(Bench.complete(5, 1)), 7, LEASE);
        bench.contradictBy(1, new Start(2, new Id(6, 6)));
        bench.restart(8);
        bench.pass(LEASE);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 20);
        assertThat(bench.isVoting()).isFalse();
    }

    @Test
    void aStartThatNeverVotedProvesNothingAndWhatContradictsAFileIsKept() {
        Bench bench = Bench.voting(5);
        Start voted = new Start(2, new Id(6, 6));
        Start covers = new Start(1, new Id(6, 5));
        bench.send(new Message.Join(1, voted, covers, List.of(voted.id())));
        for (int start = 1; start <= 3; start++) {
            // An old file, whose voter writes its starts into it.
            Start other = new Start(2, new Id(5, start));
            List<Id> attempts = java.util.stream.LongStream.rangeClosed(1, start)
                    .mapToObj(each -> new Id(5, each))
                    .toList();
            Message.Welcome welcome = (Message.Welcome)
                    bench.send(new Message.Join(1, other, covers, attempts)).get(0);
            assertThat(welcome.known()).isEqualTo(voted);
        }
    }

    /** A group that is restarted twice in a quarantine would take all its files for old ones. */
    @Test
    void aStartThatNeverVotedProvesNothingAfterALaterOneVotedEither() {
        Bench bench = new Bench(THREE, 0, new Recall.Intact(Bench.complete(5, 1)), 7, LEASE);
        bench.restart(8);
        bench.pass(LEASE);
        bench.welcomeBy(1, Message.Ceiling.CONFIRMED, 0);
        assertThat(bench.isVoting()).isTrue();
        bench.pass(100);
        Message.Join join = bench.join();
        assertThat(join.covers()).isEqualTo(join.start());

        Bench peer = Bench.voting(5);
        Start first = new Start(2, new Id(0, 7));
        peer.send(new Message.Join(1, first, new Start(1, new Id(9, 1)), List.of(first.id())));
        List<Message> answer = peer.send(new Message.Join(1, join.start(), join.covers(), join.attempts()));

        assertThat(answer)
                .singleElement()
                .isInstanceOfSatisfying(
                        Message.Welcome.class,
                        welcome -> assertThat(welcome.known()).isEqualTo(join.start()));
    }

    /** Its file may be an old one, and then its promises would make those of this voter void for ever. */
    @Test
    void whoStartsAgainIsToldOfThisStartOnceMore() {
        Bench bench = Bench.voting(5);
        bench.welcomeBy(2, Message.Ceiling.CONFIRMED, 0);
        bench.pass(100);
        bench.tells.clear();
        bench.pass(100);
        assertThat(bench.tells).isEmpty();

        Start again = new Start(2, new Id(6, 6));
        bench.send(new Message.Join(1, again, new Start(1, new Id(8, 1)), List.of(again.id())));
        bench.pass(100);

        assertThat(bench.tells).extracting(VoterAction.Tell::voter).containsExactly(1);
        assertThat(bench.join().start()).isEqualTo(bench.voter.status(bench.now).start());
    }

    @Test
    void aStartIsOnTheDiskBeforeItIsAnsweredAndThenNamedInEveryPromise() {
        Bench bench = Bench.voting(5);
        bench.writes = false;
        Start start = new Start(4, new Id(6, 6));
        assertThat(bench.send(new Message.Join(2, start, new Start(3, new Id(6, 5)), List.of(start.id()))))
                .isEmpty();
        bench.write();
        assertThat(bench.replies).hasSize(1);
        assertThat(bench.disk.known().get(2)).isEqualTo(start);
        bench.writes = true;
        Message.Promise promise = (Message.Promise) bench.send(prepare(10, 1)).get(0);
        assertThat(promise.known().get(2)).isEqualTo(start);
    }

    @Test
    void aLateJoinOfAnEarlierStartChangesNothing() {
        Bench bench = Bench.voting(5);
        Start covers = new Start(3, new Id(6, 5));
        Start first = new Start(4, new Id(6, 6));
        Start second = new Start(4, new Id(6, 7));
        bench.send(new Message.Join(2, first, covers, List.of(first.id())));
        bench.send(new Message.Join(2, second, covers, List.of(first.id(), second.id())));
        bench.send(new Message.Join(2, first, covers, List.of(first.id())));
        assertThat(bench.disk.known().get(2)).isEqualTo(second);
    }

    /** Otherwise the last word on the disk would be a start that is over, and all promises of the later one void. */
    @Test
    void aLateJoinOfAnEarlierStartChangesNothingWhileTheLaterOneIsWritten() {
        Bench bench = Bench.voting(5);
        bench.writes = false;
        Start covers = new Start(3, new Id(6, 5));
        Start first = new Start(4, new Id(6, 6));
        Start second = new Start(4, new Id(6, 7));
        bench.send(new Message.Join(2, second, covers, List.of(first.id(), second.id())));
        bench.send(new Message.Join(2, first, covers, List.of(first.id())));
        bench.write();
        assertThat(bench.disk.known().get(2)).isEqualTo(second);
    }

    @Test
    void aValueIsForgottenAfterAQuarantineAVacantOneAfterTwoAndThePromiseNever() {
        Bench bench = Bench.voting(5);
        bench.send(accept(10, 1));
        RecordKey vacant = RecordKey.election("vacant");
        Value released = new Value(epoch(12, 1), Epoch.NONE, epoch(12, 1), null);
        bench.send(new Message.Accept(vacant, epoch(12, 1), released));
        bench.pass(LEASE - 1);
        assertThat(shown(bench, KEY).vote()).isNotNull();
        bench.pass(1);
        assertThat(shown(bench, KEY).vote()).isNull();
        assertThat(shown(bench, vacant).vote()).isNotNull();
        assertThat(bench.send(prepare(10, 2))).containsExactly(refused(10, 2, 10));
        bench.pass(LEASE);
        assertThat(shown(bench, vacant).vote()).isNull();
        bench.pass(LEASE);
        assertThat(bench.voter.status(bench.now).keys()).isZero();
        Epoch never = epoch(12, 3);
        assertThat(bench.send(new Message.Prepare(RecordKey.election("never seen"), never)))
                .as("one floor for all keys that are not held")
                .containsExactly(new Message.Refusal(never, Message.Reason.PROMISED, 12));
    }

    @Test
    void aVacantValueThatIsCompletedIsForgottenNoLater() {
        Bench bench = Bench.voting(5);
        Value released = new Value(epoch(10, 1), Epoch.NONE, epoch(10, 1), null);
        bench.send(new Message.Accept(KEY, epoch(10, 1), released, LEASE / 2));
        assertThat(promised(bench, 11).ageNanos()).isEqualTo(LEASE / 2);
        bench.pass(LEASE);
        bench.send(new Message.Accept(KEY, epoch(12, 1), released, LEASE * 3));
        assertThat(promised(bench, 13).ageNanos()).as("the younger account").isEqualTo(LEASE * 3 / 2);
        bench.pass(LEASE / 2 - 3);
        bench.send(new Message.Accept(KEY, epoch(14, 1), released, 2 * LEASE - 3));
        bench.pass(2);
        assertThat(shown(bench, KEY).vote()).isNotNull();
        bench.pass(1);
        assertThat(shown(bench, KEY).vote()).isNull();
        assertThat(promised(bench, 15).ageNanos()).as("nothing is accepted").isZero();
    }

    @Test
    void aRecordThatIsCompletedIsForgottenNoLater() {
        Bench bench = Bench.voting(5);
        bench.send(accept(10, 1));
        bench.pass(LEASE - 1);
        assertThat(promised(bench, 11).ageNanos()).isEqualTo(LEASE - 1);
        bench.send(new Message.Accept(KEY, epoch(11, 1), accept(10, 1).value(), LEASE - 1));
        assertThat(shown(bench, KEY).vote()).isNotNull();
        bench.pass(1);
        assertThat(shown(bench, KEY).vote()).isNull();
    }

    @Test
    void anAgeBeyondAllMeasureIsOld() {
        Bench bench = Bench.voting(5);
        bench.send(new Message.Accept(KEY, epoch(10, 1), accept(10, 1).value(), Long.MAX_VALUE));
        bench.pass(1);
        assertThat(shown(bench, KEY).vote()).isNull();
    }

    private static Message.Promise promised(Bench bench, long counter) {
        return (Message.Promise) bench.send(prepare(counter, 1)).get(0);
    }

    private static Message.Shown shown(Bench bench, RecordKey key) {
        return (Message.Shown) bench.send(new Message.Look(Id.NONE, 0, key)).get(0);
    }

    @Test
    void nothingGrowsWithTheNamesEverUsed() {
        Bench bench = Bench.voting(5);
        for (int i = 0; i < 10_000; i++) {
            bench.pass(1);
            RecordKey key = RecordKey.election("e" + i);
            bench.send(new Message.Accept(key, epoch(10, 1), Bench.held(epoch(10, 1), Epoch.NONE)));
            bench.send(new Message.Prepare(RecordKey.election("f" + i), epoch(10 + i, 1)));
        }
        assertThat(bench.voter.status(bench.now).keys()).isLessThan(4 * (int) LEASE);
    }

    @Test
    void aLeaseAboveTheQuarantineIsRefused() {
        Bench bench = Bench.voting(5);
        Value value = new Value(
                epoch(10, 1),
                Epoch.NONE,
                epoch(10, 1),
                dev.mandate.spi.LeaderRecord.proposal("a", Id.NONE, Id.NONE, "", Duration.ofNanos(LEASE + 1), 0));
        assertThat(bench.send(new Message.Accept(KEY, epoch(10, 1), value)))
                .containsExactly(new Message.Refusal(epoch(10, 1), Message.Reason.LEASE, 4));
    }

    @Test
    void aPageHasTheKeysBehindTheCursor() {
        Bench bench = Bench.voting(5);
        for (String name : List.of("b", "a", "c")) {
            bench.send(
                    new Message.Accept(RecordKey.election(name), epoch(10, 1), Bench.held(epoch(10, 1), Epoch.NONE)));
        }
        Message.Listed first = (Message.Listed) bench.send(new Message.ListKeys(Id.NONE, RecordKey.elections(), "", 2))
                .get(0);
        assertThat(first.votes()).extracting(at -> at.key().name()).containsExactly("a", "b");
        assertThat(first.isLast()).isFalse();
        Message.Listed next =
                (Message.Listed) bench.send(new Message.ListKeys(Id.NONE, RecordKey.elections(), "election/b", 2))
                        .get(0);
        assertThat(next.votes()).extracting(at -> at.key().name()).containsExactly("c");
        assertThat(next.isLast()).isTrue();
    }

    /** A prefix counts as below itself; names that merely begin alike do not. */
    @Test
    void aPageKeepsToItsPrefix() {
        Bench bench = Bench.voting(5);
        List<RecordKey> keys = Stream.of("web", "web/a", "web/b", "web-a", "webapp", "web0", "we")
                .map(path -> RecordKey.parse("registration/" + path))
                .toList();
        keys.forEach(key -> bench.send(new Message.Accept(key, epoch(10, 1), Bench.held(epoch(10, 1), Epoch.NONE))));

        assertThat(listed(bench, keys.get(0), "")).isEqualTo(keys.subList(0, 3));
        assertThat(listed(bench, keys.get(0), "registration/web")).isEqualTo(keys.subList(1, 3));
        assertThat(listed(bench, keys.get(0), "registration/web/a")).isEqualTo(keys.subList(2, 3));
        assertThat(listed(bench, keys.get(6), "")).isEqualTo(keys.subList(6, 7));
        assertThat(listed(bench, RecordKey.elections(), "")).isEmpty();
    }

    private static List<RecordKey> listed(Bench bench, RecordKey prefix, String after) {
        Message.Listed page = (Message.Listed)
                bench.send(new Message.ListKeys(Id.NONE, prefix, after, 100)).get(0);
        return page.votes().stream().map(Message.Listed.At::key).toList();
    }
}
