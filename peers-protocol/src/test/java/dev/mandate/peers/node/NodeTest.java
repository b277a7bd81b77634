package dev.mandate.peers.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.Entropy;
import dev.mandate.peers.node.Cluster.Sent;
import dev.mandate.peers.order.Bully;
import dev.mandate.peers.order.OrderMessage;
import dev.mandate.peers.order.OrderTiming;
import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Start;
import dev.mandate.peers.register.Value;
import dev.mandate.peers.register.VoterStatus;
import dev.mandate.peers.register.WriteId;
import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeTest {
    private static final RecordKey KEY = RecordKey.election("orders");
    private final Cluster cluster = Cluster.voting(3);
    private final Entropy seed = new Random(7)::nextLong;

    private static LeaderRecord record(String candidate) {
        return LeaderRecord.proposal(candidate, new Id(1, 1), new Id(2, 2), "", Cluster.LEASE, 0);
    }

    private static Value written(@Nullable CallResult result) {
        assertThat(result).isInstanceOf(CallResult.Ended.class);
        Outcome outcome = ((CallResult.Ended) result).outcome();
        assertThat(outcome).isInstanceOf(Outcome.Written.class);
        return ((Outcome.Written) outcome).value();
    }

    private Value acquired(long who, RecordKey key) {
        return written(cluster.call(who, new Call.Acquire(key, Epoch.NONE, record("c" + who))));
    }

    private @Nullable Value read(long who) {
        CallResult result = cluster.call(who, new Call.Read(KEY));
        return ((Outcome.Read) ((CallResult.Ended) result).outcome()).value();
    }

    // ---- the order ----

    @Test
    void theOrderLearnsWhenItsMemberVotes() {
        Cluster bully = new Cluster(3, place -> new Bully(place, 3, OrderTiming.of(Cluster.LEASE), seed, true));
        for (int place = 0; place < 3; place++) {
            bully.take(place, bully.node(place).begin(bully.now));
        }
        bully.step(1, new NodeEvent.StanceChanged(KEY, new Stance.Following(5)));
        assertThat(bully.told).isEmpty();

        bully.passUntilAllVote();

        assertThat(bully.told).containsExactly(new NodeAction.SendTurn(0, new OrderMessage.Preempt(KEY, 5)));
    }

    // ---- calls ----

    @Test
    void whatOneNodeWroteAnotherReads() {
        Value won = acquired(0, KEY);
        Value renewed = written(cluster.call(0, new Call.Update(KEY, won.write(), won.record(), Intent.RENEW)));
        assertThat(read(2)).isEqualTo(renewed);
        Value vacant = written(cluster.call(1, new Call.Release(KEY, renewed.write())));
        assertThat(vacant.record()).isNull();
        assertThat(read(Cluster.GUEST)).isEqualTo(vacant);
    }

    /**
     * The own voter is asked without the network: four messages to each of the others for a write, two to one for a
     * read.
     */
    @Test
    void theOwnVoterCostsNoMessage() {
        acquired(0, KEY);
        assertThat(cluster.sent).hasSize(8).noneMatch(each -> each.from() == each.to());
        cluster.sent.clear();

        read(1);

        assertThat(cluster.sent).hasSize(2);
    }

    /** Nothing is due once the last call has ended: each poll would wake its node once more. */
    @Test
    void whoHasNoCallSleeps() {
        cluster.begin(Cluster.GUEST, new Call.Read(KEY));
        assertThat(cluster.guest.wakeAtNanos(cluster.now)).isLessThan(Long.MAX_VALUE);

        cluster.deliver();

        assertThat(cluster.guest.wakeAtNanos(cluster.now)).isEqualTo(Long.MAX_VALUE);
    }

    /** However far ahead the clock of who wrote last is: the own voter knows, and so does the basis. */
    @Test
    void aWriteIsNotRefusedForItsCounterAlone() {
        Value won = acquired(0, KEY);
        for (int who = 0; who < 9; who++) {
            cluster.sent.clear();
            won = written(cluster.call(who % 3, new Call.Update(KEY, won.write(), won.record(), Intent.PROCLAIM)));
            assertThat(cluster.sent).hasSize(8);
        }
        cluster.sent.clear();
        written(cluster.call(Cluster.GUEST, new Call.Release(KEY, won.write())));
        assertThat(cluster.sent).hasSize(12);
    }

    /** Suspended, a process must not choose anything any more; everything else may be late. */
    @Test
    void onlyWhatMayChooseAValueMustNotBeLate() {
        long halfAQuarantine = cluster.now.bootNanos() + Cluster.LEASE.toNanos() / 2;
        acquired(0, KEY);

        assertThat(cluster.sent)
                .filteredOn(each -> each.message() instanceof Message.Accept)
                .hasSize(2)
                .allMatch(each -> each.untilNanos() == halfAQuarantine);
        assertThat(cluster.sent)
                .filteredOn(each -> !(each.message() instanceof Message.Accept))
                .hasSize(6)
                .allMatch(each -> each.untilNanos() == Long.MAX_VALUE);
    }

    @Test
    void aCallWithoutAMajorityEndsAtItsDeadlineAndNamesWhoIsSilent() {
        cluster.isLost = each -> each.to() != 0;
        long call = cluster.begin(0, new Call.Acquire(KEY, Epoch.NONE, record("c")));
        cluster.deliver();
        cluster.pass(Cluster.LEASE.minusMillis(1));
        assertThat(cluster.results).doesNotContainKey(call);

        cluster.pass(Duration.ofMillis(1));

        assertThat(cluster.results.get(call)).isEqualTo(new CallResult.Ended(new Outcome.Unknown(List.of(1, 2))));
    }

    @Test
    void whatVotersWillNeverHaveEndsAtOnce() {
        Duration tooLong = Cluster.LEASE.plusMillis(1);
        LeaderRecord record = LeaderRecord.proposal("c", new Id(1, 1), new Id(2, 2), "", tooLong, 0);
        long call = cluster.begin(Cluster.GUEST, new Call.Acquire(KEY, Epoch.NONE, record));
        cluster.deliver();

        assertThat(cluster.results.get(call))
                .isEqualTo(new CallResult.Ended(new Outcome.Rejected(Message.Reason.LEASE)));
    }

    /** A call that meets a dead link is not told so, and need not wait for its time to ask again. */
    @Test
    void whoIsReachedAgainIsAskedAgainAtOnce() {
        cluster.isLost = each -> true;
        long call = cluster.begin(0, new Call.Acquire(KEY, Epoch.NONE, record("c")));
        cluster.deliver();
        cluster.isLost = each -> each.to() == 2 || each.from() == 2;

        cluster.step(0, new NodeEvent.Link(1, true));
        cluster.deliver();

        assertThat(cluster.results).containsKey(call);
    }

    @Test
    void aReadAsksThoseThatAreConnected() {
        cluster.step(0, new NodeEvent.Link(1, false));
        cluster.step(0, new NodeEvent.Link(2, true));

        read(0);

        assertThat(cluster.sent)
                .first()
                .isEqualTo(new Sent(0, 2, cluster.sent.get(0).message(), Long.MAX_VALUE));
    }

    @Test
    void allVotersAreAskedHowTheyAre() {
        acquired(0, KEY);
        CallResult result = cluster.call(Cluster.GUEST, new Call.AskStatus());

        assertThat(((CallResult.Asked) result).voters().values())
                .hasSize(3)
                .allMatch(each -> each.phase() == VoterStatus.Phase.VOTING && each.keys() == 1)
                .allMatch(each -> each.ceiling() > cluster.now.wallMillis());
    }

    @Test
    void whoDoesNotSayHowItIsIsLeftOut() {
        cluster.isLost = each -> each.to() == 1;
        long call = cluster.begin(0, new Call.AskStatus());
        cluster.deliver();
        cluster.pass(Cluster.LEASE);

        assertThat(((CallResult.Asked) cluster.results.get(call)).voters()).containsOnlyKeys(0, 2);
    }

    // ---- hints ----

    private List<Observation> heard() {
        List<Observation> all = cluster.told.stream()
                .map(each -> ((NodeAction.Changed) each).observation())
                .toList();
        cluster.told.clear();
        return all;
    }

    private void watched() {
        cluster.step(2, new NodeEvent.Watched(true));
    }

    @Test
    void whoDoesNotWatchHearsNothing() {
        acquired(0, KEY);
        cluster.pass(Cluster.LEASE);
        cluster.deliver();

        assertThat(heard()).isEmpty();
    }

    /** A new term is read before it is told; its further writes, and its end, are told at once. */
    @Test
    void aVoterTellsItsOwnClientsWhatChanged() {
        watched();
        Value won = acquired(0, KEY);
        assertThat(heard()).isEmpty();
        cluster.pass(Duration.ofMillis(20));
        cluster.deliver();
        assertThat(heard())
                .singleElement()
                .satisfies(seen -> assertThat(seen.basis()).isEqualTo(new WriteId(won.write())));

        Value renewed = written(cluster.call(0, new Call.Update(KEY, won.write(), won.record(), Intent.RENEW)));
        assertThat(heard())
                .singleElement()
                .satisfies(seen -> assertThat(seen.basis()).isEqualTo(new WriteId(renewed.write())));
        cluster.call(0, new Call.Release(KEY, renewed.write()));
        assertThat(heard()).singleElement().isInstanceOf(Observation.Vacant.class);
    }

    /** What one voter accepted, and no majority, is no news. */
    @Test
    void nobodyHearsOfALeaderThatNeverWas() {
        watched();
        cluster.isLost = each -> each.from() == 2 && each.message() instanceof Message.Accept;
        cluster.begin(2, new Call.Acquire(KEY, Epoch.NONE, record("never")));
        cluster.deliver();
        Value won = acquired(0, KEY);
        cluster.isLost = each -> false;
        for (int i = 0; i < 50; i++) {
            cluster.pass(Duration.ofMillis(20));
            cluster.deliver();
        }

        assertThat(won.record()).isNotNull();
        assertThat(heard())
                .isNotEmpty()
                .allMatch(seen -> seen instanceof Observation.Held held
                        && held.record().candidate().equals("c0"));
    }

    // ---- who may say what ----

    @Test
    void whatAMemberMaySayAGuestMayNot() {
        acquired(0, KEY);
        cluster.sent.clear();
        Start start = new Start(9, new Id(9, 9));
        cluster.step(1, new NodeEvent.Received(Cluster.GUEST, new Message.Join(0, start, Start.NONE, List.of())));
        cluster.step(1, new NodeEvent.Received(2, new Message.Join(0, start, Start.NONE, List.of())));
        cluster.step(1, new NodeEvent.Received(-1, new Message.AskStatus(new Id(1, 1))));
        cluster.step(1, new NodeEvent.Received(3, new Message.AskStatus(new Id(1, 1))));

        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void anAnswerOfAGuestCountsForNothing() {
        cluster.isLost = each -> true;
        long call = cluster.begin(0, new Call.AskStatus());
        Id asked = ((Message.AskStatus) cluster.sent.get(0).message()).call();
        Message.Status answer = new Message.Status(asked, VoterStatus.Phase.VOTING, 1, 1, 0, 0, 0, false);
        cluster.step(0, new NodeEvent.Received(Cluster.GUEST, answer));
        cluster.step(0, new NodeEvent.Received(1, answer));
        assertThat(cluster.results).doesNotContainKey(call);

        cluster.step(0, new NodeEvent.Received(2, answer));

        assertThat(cluster.results).containsKey(call);
    }

    // ---- disagreement ----

    @Test
    void whoSeesAnotherListNeitherVotesNorCalls() {
        long before = cluster.begin(0, new Call.Read(KEY));
        cluster.network.clear();
        cluster.step(0, new NodeEvent.Disagreed("the lists differ"));

        assertThat(cluster.results.get(before)).isEqualTo(new CallResult.Disagreed("the lists differ"));
        assertThat(cluster.call(0, new Call.Read(KEY))).isEqualTo(new CallResult.Disagreed("the lists differ"));
        cluster.sent.clear();
        acquired(1, KEY);
        assertThat(cluster.sent).noneMatch(each -> each.from() == 0);
        assertThat(keysHeld(0)).isZero();
        assertThat(keysHeld(1)).isEqualTo(1);
        assertThat(((CallResult.Asked) cluster.call(1, new Call.AskStatus())).voters())
                .hasSize(3);

        cluster.pass(Cluster.LEASE.minusMillis(1));
        assertThat(cluster.nodes.get(0).disagreement()).contains("the lists differ");
        cluster.pass(Duration.ofMillis(1));
        assertThat(cluster.nodes.get(0).disagreement()).isEmpty();
    }

    private int keysHeld(int place) {
        return cluster.nodes.get(place).status(cluster.now).orElseThrow().keys();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWaitedForTheDiskIsNotSentOnceMembersDisagree(boolean disagree) {
        Node voter = cluster.nodes.get(0);
        long ceiling = voter.status(cluster.now).orElseThrow().durable().ceiling();
        Message prepare = new Message.Prepare(KEY, new Epoch(ceiling + 1, new Id(3, 3)));
        List<NodeAction> actions = new ArrayList<>(voter.step(new NodeEvent.Received(1, prepare), cluster.now));
        assertThat(actions).singleElement().isInstanceOf(NodeAction.Persist.class);
        NodeEvent written = new NodeEvent.Persisted(((NodeAction.Persist) actions.get(0)).sequence());

        if (disagree) {
            actions.addAll(voter.step(new NodeEvent.Disagreed("the lists differ"), cluster.now));
        }
        actions.addAll(voter.step(written, cluster.now));

        assertThat(actions).filteredOn(NodeAction.Send.class::isInstance).hasSize(disagree ? 0 : 1);
    }

    // ---- listings ----

    private static RecordKey key(int number) {
        return RecordKey.election(String.format("k%03d", number));
    }

    private List<Observation> listed(long who) {
        List<Observation> all = new ArrayList<>();
        String after = "";
        while (after != null) {
            CallResult.Listed page =
                    (CallResult.Listed) cluster.call(who, new Call.ListKeys(RecordKey.elections(), after));
            assertThat(page.items()).hasSizeLessThanOrEqualTo(PageOfKeys.KEYS_MAX);
            all.addAll(page.items());
            after = page.after();
        }
        return all;
    }

    @Test
    void aListingShowsEveryKeyOnceInItsOrder() {
        IntStream.range(0, 450).forEach(i -> acquired(i % 3, key(i)));

        List<Observation> all = listed(1);

        assertThat(all)
                .extracting(Observation::key)
                .isEqualTo(IntStream.range(0, 450).mapToObj(NodeTest::key).toList());
        assertThat(all).allMatch(each -> each instanceof Observation.Held);
    }

    /** A voter that was away lists less, or what was there before; a majority shows what is written. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void whereVotersDifferTheKeyIsRead(int away) {
        int busy = 2 - away;
        IntStream.range(0, 300).forEach(i -> acquired(busy, key(i)));
        cluster.isLost = each -> each.to() == away || each.from() == away;
        TreeSet<RecordKey> released = new TreeSet<>((a, b) -> a.path().compareTo(b.path()));
        for (int i = 0; i < 300; i += 7) {
            RecordKey key = key(i);
            CallResult.Ended read = (CallResult.Ended) cluster.call(busy, new Call.Read(key));
            Value value = ((Outcome.Read) read.outcome()).value();
            assertThat(value).isNotNull();
            written(cluster.call(busy, new Call.Release(key, value.write())));
            released.add(key);
        }
        IntStream.range(300, 320).forEach(i -> acquired(busy, key(i)));
        cluster.isLost = each -> each.to() == busy || each.from() == busy;

        List<Observation> all = listed(away);

        assertThat(all).hasSize(320);
        assertThat(all)
                .filteredOn(each -> each instanceof Observation.Vacant)
                .extracting(Observation::key)
                .containsExactlyElementsOf(released);
    }

    /** Whoever lists completes at some voters what others have accepted long ago. */
    @Test
    void whatIsVacantIsForgottenHoweverOftenItIsListed() {
        cluster.isLost = each -> each.to() == 2 || each.from() == 2;
        Value held = acquired(0, KEY);
        written(cluster.call(0, new Call.Release(KEY, held.write())));
        long forgotten = cluster.now.monotonicNanos() + 2 * Cluster.LEASE.toNanos();
        cluster.isLost = each -> each.to() == 0 || each.from() == 0;
        cluster.pass(Cluster.LEASE);
        assertThat(listed(2)).as("completed at a voter that was away").hasSize(1);
        cluster.isLost = each -> false;

        cluster.pass(Duration.ofNanos(forgotten - 1 - cluster.now.monotonicNanos()));
        assertThat(listed(1)).hasSize(1);
        cluster.pass(Duration.ofNanos(1));

        assertThat(listed(0)).isEmpty();
        assertThat(listed(2)).isEmpty();
    }

    @Test
    void aPageOfWhichAReadFailsFails() {
        acquired(0, KEY);
        cluster.isLost = each -> each.to() == 2 || each.from() == 2;
        acquired(0, key(1));
        cluster.isLost = each -> each.to() == 0 || each.from() == 0 || each.message() instanceof Message.Look;

        CallResult result = cluster.call(2, new Call.ListKeys(RecordKey.elections(), ""));

        assertThat(result).isEqualTo(new CallResult.Ended(new Outcome.Unknown(List.of())));
    }
}
