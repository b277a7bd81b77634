package dev.mandate.peers.register;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.RecordKey;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Groups of voters that are stopped and started, with honest disks and links. */
class VoterGroupTest {
    static final long Q = 1_000_000;
    static final long JOIN = 20_000;

    /** A group whose disks are honest and whose links are as {@code up} says. */
    static final class Hall {
        final Group group;
        final Voter[] voters;
        final DurableState[] disks;
        final Set<Integer> up = new HashSet<>();
        final Deque<Runnable> mail = new ArrayDeque<>();
        long now = 1;
        long starts = 100;

        Hall(int n) {
            group = new Group(n);
            voters = new Voter[n];
            disks = new DurableState[n];
        }

        void start(int i) {
            Recall recall = disks[i] == null ? new Recall.Missing() : new Recall.Intact(disks[i]);
            voters[i] = new Voter(new VoterSettings(group, i, Q, 1000, JOIN), recall, new Id(1, ++starts), now);
            up.add(i);
            take(i, voters[i].begin());
        }

        void stop(int i) {
            up.remove(i);
            voters[i] = null;
        }

        void take(int i, List<VoterAction> actions) {
            Voter self = voters[i];
            for (VoterAction action : actions) {
                if (action instanceof VoterAction.Persist persist) {
                    disks[i] = persist.state();
                    mail.add(() -> {
                        if (voters[i] == self) {
                            take(i, self.step(new VoterEvent.Persisted(persist.sequence()), now));
                        }
                    });
                } else if (action instanceof VoterAction.Tell tell) {
                    send(i, tell.voter(), tell.message());
                } else if (action instanceof VoterAction.Reply reply) {
                    send(i, (int) reply.to(), reply.message());
                }
            }
        }

        void send(int from, int to, Message message) {
            mail.add(() -> {
                if (up.contains(to) && voters[to] != null) {
                    take(to, voters[to].step(new VoterEvent.Received(from, message), now));
                }
            });
        }

        void pass(long nanos) {
            long end = now + nanos;
            while (now < end) {
                now = Math.min(end, now + JOIN);
                for (int i : List.copyOf(up)) {
                    take(i, voters[i].step(new VoterEvent.Tick(), now));
                }
                while (!mail.isEmpty()) {
                    mail.poll().run();
                }
            }
        }

        VoterStatus.Phase phase(int i) {
            return voters[i].status(now).phase();
        }

        List<VoterStatus.Phase> phases() {
            List<VoterStatus.Phase> all = new ArrayList<>();
            for (int i : up) {
                all.add(phase(i));
            }
            return all;
        }
    }

    static final VoterStatus.Phase VOTING = VoterStatus.Phase.VOTING;

    /** A restarted twice, C was away for the second time: A's file is good, and yet it is taken for an old one. */
    @Test
    void aGoodFileIsNotTakenForAnOldOne() {
        Hall hall = new Hall(3);
        for (int i = 0; i < 3; i++) {
            hall.start(i);
        }
        hall.pass(3 * Q);
        assertThat(hall.phases()).containsOnly(VOTING);
        // A restarts, is met by B and C, and crashes before it votes.
        hall.stop(0);
        hall.start(0);
        hall.pass(3 * JOIN);
        hall.stop(0);
        // C is restarted a little later, and away while A comes back.
        hall.stop(2);
        hall.start(0);
        hall.pass(2 * Q);
        assertThat(hall.phase(0)).isEqualTo(VOTING);
        hall.start(2);
        hall.pass(3 * JOIN);
        assertThat(hall.phase(0)).as("A, whose file is all right").isEqualTo(VOTING);
    }

    @Test
    void aGroupOfTwoComesBackWhenOneFileIsLost() {
        Hall hall = new Hall(2);
        hall.start(0);
        hall.start(1);
        hall.pass(3 * Q);
        assertThat(hall.phases()).containsOnly(VOTING);
        hall.stop(0);
        hall.stop(1);
        hall.disks[1] = null;
        hall.start(0);
        hall.start(1);
        hall.pass(50 * Q);
        assertThat(hall.phases()).containsOnly(VOTING);
    }

    @Test
    void aGroupOfFourComesBackWhenTwoFilesAreLost() {
        Hall hall = new Hall(4);
        for (int i = 0; i < 4; i++) {
            hall.start(i);
        }
        hall.pass(3 * Q);
        assertThat(hall.phases()).containsOnly(VOTING);
        for (int i = 0; i < 4; i++) {
            hall.stop(i);
        }
        hall.disks[1] = null;
        hall.disks[2] = null;
        for (int i = 0; i < 4; i++) {
            hall.start(i);
        }
        hall.pass(50 * Q);
        assertThat(hall.phases()).containsOnly(VOTING);
    }

    private static Hall grown(Hall from, int voters) {
        Hall to = new Hall(voters);
        to.starts = from.starts;
        to.now = from.now;
        for (int i = 0; i < from.disks.length; i++) {
            to.disks[i] = from.disks[i].inGroup(to.group);
        }
        for (int i = 0; i < voters; i++) {
            to.start(i);
        }
        to.pass(50 * Q);
        return to;
    }

    /** All stopped, the list grows by so few that those without a state are fewer than a majority. */
    @Test
    void aListGrowsStepByStep() {
        Hall one = new Hall(1);
        one.start(0);
        one.pass(3 * Q);
        long ceiling = one.voters[0].status(one.now).durable().ceiling();
        Hall two = grown(one, 2);
        assertThat(two.phases()).containsOnly(VOTING);
        Hall three = grown(two, 3);
        assertThat(three.phases()).containsOnly(VOTING);
        Hall five = grown(three, 5);
        assertThat(five.phases()).containsOnly(VOTING);
        for (Voter voter : five.voters) {
            assertThat(voter.status(five.now).durable().ceiling()).isGreaterThanOrEqualTo(ceiling);
        }
    }

    /** Where a majority have none, nobody knows how high tokens were: it stands still. */
    @Test
    void aListThatGrowsByAMajorityWaits() {
        Hall one = new Hall(1);
        one.start(0);
        one.pass(3 * Q);

        assertThat(grown(one, 3).phases()).doesNotContain(VOTING);
    }

    @Test
    void aVoterSleepsWhileItsDiskIsSlow() {
        Voter voter =
                new Voter(new VoterSettings(new Group(3), 0, Q, 1000, JOIN), new Recall.Missing(), new Id(1, 1), 1);
        voter.begin();
        for (long now = 2; now < 100 * JOIN; now += JOIN / 2) {
            voter.step(new VoterEvent.Tick(), now);
            assertThat(voter.wakeAtNanos(now)).isGreaterThan(now);
        }
    }

    /** What a voter accepted it must be able to show. */
    @Test
    void theLongestRecordFitsIntoEveryMessage() throws Exception {
        RecordKey key = RecordKey.election("e".repeat(500));
        Epoch epoch = new Epoch(5, new Id(1, 1));
        Message.Accept longest = null;
        for (int chars = Wire.RECORD_BYTES_MAX - 600; ; chars++) {
            LeaderRecord record =
                    LeaderRecord.proposal("x", new Id(1, 1), new Id(1, 2), "v".repeat(chars), Duration.ofMillis(1), 0);
            Message.Accept next = new Message.Accept(key, epoch, new Value(epoch, Epoch.NONE, epoch, record));
            try {
                MessageCodec.write(next);
                longest = next;
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("shorten the value");
                break;
            }
        }
        assertThat(longest).isNotNull();
        Message.Accept read = (Message.Accept) MessageCodec.read(ByteBuffer.wrap(MessageCodec.write(longest)));
        Vote vote = new Vote(epoch, read.value());
        List<Start> starts = Collections.nCopies(Group.VOTERS_MAX, Start.NONE);
        assertThat(MessageCodec.write(new Message.Promise(epoch, Start.NONE, starts, vote, 0)))
                .isNotEmpty();
        assertThat(MessageCodec.write(
                        new Message.Listed(new Id(1, 1), "", List.of(new Message.Listed.At(key, vote)), true)))
                .isNotEmpty();
    }
}
