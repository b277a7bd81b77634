package dev.mandate.peers.transport;

import static dev.mandate.peers.transport.TestGroup.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class TransportTest {
    @Test
    void membersExchangePayloads() {
        try (TestGroup group = TestGroup.of(3)) {
            Recorder[] told = {new Recorder(), new Recorder(), new Recorder()};
            Transport[] members = new Transport[3];
            for (int i = 0; i < 3; i++) {
                members[i] = group.open(i, told[i]);
            }
            for (int from = 0; from < 3; from++) {
                for (int to = 0; to < 3; to++) {
                    if (from != to) {
                        told[from].awaitConnected(group.id(to));
                        assertThat(members[from].send(group.id(to), bytes(from + " to " + to)))
                                .isTrue();
                        assertThat(told[to].awaitText(from + " to " + to).peer().id())
                                .isEqualTo(group.id(from));
                    }
                }
            }
            assertThat(told[0].connected).hasSize(2).allMatch(Peer::isMember);
            assertThat(told[0].disconnected).isEmpty();
            assertThat(members[0].status()).hasSize(2).allSatisfy(link -> {
                assertThat(link.isUp()).isTrue();
                assertThat(link.sent()).isEqualTo(1);
                assertThat(link.received()).isEqualTo(1);
                assertThat(link.dropped()).isZero();
            });
        }
    }

    @Test
    void thePayloadsOfAConnectionArriveInTheirOrder() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            group.open(1, told);
            Recorder here = new Recorder();
            Transport from = group.open(0, here);
            here.awaitConnected(group.id(1));
            for (int i = 0; i < 3_000; i++) {
                String text = "" + i;
                Await.until("room", TestGroup.PLENTY, () -> from.send(group.id(1), bytes(text)));
            }
            told.awaitText("2999");
            List<String> got =
                    told.received.stream().map(Recorder.Received::text).toList();
            for (int i = 0; i < 3_000; i++) {
                assertThat(got.get(i)).isEqualTo("" + i);
            }
        }
    }

    @Test
    void aPayloadOfOneMebibyteArrivesAndALongerOneIsRefused() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            group.open(1, told);
            Recorder here = new Recorder();
            Transport from = group.open(0, here);
            here.awaitConnected(group.id(1));
            byte[] most = new byte[Transport.PAYLOAD_MAX];
            new Random(1).nextBytes(most);
            assertThat(from.send(group.id(1), most)).isTrue();
            assertThat(from.send(group.id(1), new byte[0])).isTrue();
            assertThat(told.awaitReceived("the longest payload", each -> each.payload().length > 0)
                            .payload())
                    .isEqualTo(most);
            told.awaitReceived("the empty payload", each -> each.payload().length == 0);
            assertThatThrownBy(() -> from.send(group.id(1), new byte[Transport.PAYLOAD_MAX + 1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a payload has 1048577 bytes; it must have at most 1048576");
        }
    }

    @Test
    void aFrameOfMoreThanOneMebibyteEndsItsConnection() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            group.open(0, told);
            try (RawPeer raw = RawPeer.silent(group.member(0))) {
                assertThat(raw.introduce(group.settings(1), group.member(0), TestGroup.SECRET))
                        .isEmpty();
                raw.send(new byte[Transport.PAYLOAD_MAX]);
                told.awaitReceived("the longest payload", each -> each.payload().length == Transport.PAYLOAD_MAX);
                byte[] more = raw.sealed(FrameType.DATA, new byte[Transport.PAYLOAD_MAX + 1]);
                raw.write(Arrays.copyOf(more, 100));
                assertThat(told.awaitDisconnected(group.id(1)).reason())
                        .isEqualTo("a frame claims 1048610 bytes; it must have 1 to 1048609");
                raw.awaitClosed();
            }
        }
    }

    @Test
    void aMemberThatWasRestartedIsConnectedAgain() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            TransportSettings first = group.settings(1);
            Transport there = group.open(first, new Recorder());
            Peer before = told.awaitConnected(group.id(1));
            assertThat(before.startId()).isEqualTo(first.startId());
            there.close();
            // Both may have dialled, and each connection ends by itself.
            Await.until("its end", TestGroup.PLENTY, () -> !here.status().get(0).isUp());
            Await.until(
                    "a payload without a link to be dropped",
                    TestGroup.PLENTY,
                    () -> !here.send(group.id(1), bytes("to nobody")));
            assertThat(here.status().get(0).dropped()).isPositive();
            assertThat(here.status().get(0).trouble()).isNotEmpty();

            for (int round = 2; round <= 4; round++) {
                Recorder again = new Recorder();
                TransportSettings next = group.settings(1);
                Transport restarted = group.open(next, again);
                Peer process = new Peer(group.id(1), next.startId(), true);
                Await.until("a new connection", TestGroup.PLENTY, () -> told.connected.contains(process));
                Await.until("room", TestGroup.PLENTY, () -> here.send(group.id(1), bytes("again")));
                again.awaitText("again");
                restarted.close();
                Await.until(
                        "its end",
                        TestGroup.PLENTY,
                        () -> told.disconnected.stream()
                                .anyMatch(ended -> ended.peer().equals(process)));
            }
        }
    }

    @Test
    void aGuestSendsToMembersAndGetsAnswersOverTheSameConnection() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            Transport member = group.open(0, told);
            Recorder guestTold = new Recorder();
            TransportSettings settings = group.settings(-1);
            Transport guest = group.open(settings, guestTold);
            guestTold.awaitConnected(group.id(0));
            guest.send(group.id(0), bytes("who leads?"));
            Peer asker = told.awaitText("who leads?").peer();
            assertThat(asker.isMember()).isFalse();
            assertThat(asker.id()).isEqualTo("guest-" + settings.startId());
            assertThat(member.send(asker.id(), bytes("nobody"))).isTrue();
            assertThat(guestTold.awaitText("nobody").peer().id()).isEqualTo(group.id(0));

            assertThat(member.status()).extracting(LinkStatus::id).containsExactly(group.id(1), asker.id());
            guest.close();
            told.awaitDisconnected(asker.id());
            assertThat(member.status()).extracting(LinkStatus::id).containsExactly(group.id(1));
            assertThat(member.send(asker.id(), bytes("too late"))).isFalse();
        }
    }

    @Test
    void aPayloadThatMayNotLeaveAnyMoreIsDropped() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            group.open(1, told);
            Recorder here = new Recorder();
            Transport from = group.open(0, here);
            here.awaitConnected(group.id(1));
            from.send(group.id(1), bytes("late"), () -> false);
            from.send(group.id(1), bytes("broken"), () -> {
                throw new IllegalStateException("of a test");
            });
            from.send(group.id(1), bytes("in time"), () -> true);
            told.awaitText("in time");
            assertThat(told.received).hasSize(1);
            assertThat(from.status().get(0).dropped()).isEqualTo(2);
        }
    }

    @Test
    void aBurstIsSentInAFewTurns() throws InterruptedException {
        try (TestGroup group = TestGroup.of(3)) {
            CountDownLatch isInside = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            Recorder told = new Recorder();
            Recorder here = new Recorder();
            group.open(1, told);
            Recorder third = new Recorder();
            Transport blocker = group.open(2, third);
            Transport from = group.open(0, new Blocking(here, isInside, goOn));
            here.awaitConnected(group.id(1));
            third.awaitConnected(group.id(0));
            blocker.send(group.id(0), bytes("block"));
            isInside.await();
            long before = from.turns();
            for (int i = 0; i < 1_000; i++) {
                assertThat(from.send(group.id(1), bytes("payload " + i))).isTrue();
            }
            goOn.countDown();
            told.awaitText("payload 999");
            assertThat(told.received).hasSize(1_000);
            // The one that was blocked, the one that sends, and a few for what the others may have done.
            assertThat(from.turns() - before).isLessThan(10);
        }
    }

    private record Blocking(Recorder to, CountDownLatch isInside, CountDownLatch goOn) implements TransportListener {
        @Override
        public void connected(Peer peer) {
            to.connected(peer);
        }

        @Override
        public void disconnected(Peer peer, String reason) {
            to.disconnected(peer, reason);
        }

        @Override
        public void received(Peer peer, byte[] payload) {
            isInside.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void refused(Peer peer, Refusal refusal) {
            to.refused(peer, refusal);
        }
    }

    @Test
    void aListenerThatThrowsHarmsNothing() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder here = new Recorder();
            TransportListener throwing = new TransportListener() {
                @Override
                public void connected(Peer peer) {
                    here.connected(peer);
                    throw new IllegalStateException("of a test");
                }

                @Override
                public void disconnected(Peer peer, String reason) {
                    throw new IllegalStateException("of a test");
                }

                @Override
                public void received(Peer peer, byte[] payload) {
                    here.received(peer, payload);
                    Thread.currentThread().interrupt();
                    throw new AssertionError("of a test");
                }

                @Override
                public void refused(Peer peer, Refusal refusal) {
                    throw new IllegalStateException("of a test");
                }
            };
            Transport to = group.open(0, throwing);
            Recorder told = new Recorder();
            Transport from = group.open(1, told);
            told.awaitConnected(group.id(0));
            from.send(group.id(0), bytes("one"));
            from.send(group.id(0), bytes("two"));
            here.awaitText("two");
            from.send(group.id(0), bytes("three"));
            here.awaitText("three");
            assertThat(told.disconnected).isEmpty();
            // A thread that is interrupted does not wait any more.
            long before = to.turns();
            Await.passing(Duration.ofMillis(500));
            assertThat(to.turns() - before).isLessThan(50);
        }
    }

    @Test
    void anIdleGroupSleeps() {
        try (TestGroup group = TestGroup.of(3)) {
            Recorder[] told = {new Recorder(), new Recorder(), new Recorder()};
            Transport[] members = new Transport[3];
            for (int i = 0; i < 3; i++) {
                members[i] = group.open(i, told[i]);
            }
            for (int i = 0; i < 3; i++) {
                told[i].awaitConnected(group.id((i + 1) % 3));
                told[i].awaitConnected(group.id((i + 2) % 3));
            }
            // What was begun twice settles.
            Await.passing(Duration.ofMillis(300));
            long before = Arrays.stream(members).mapToLong(Transport::turns).sum();
            Await.passing(Duration.ofSeconds(2));
            assertThat(Arrays.stream(members).mapToLong(Transport::turns).sum() - before)
                    .isLessThanOrEqualTo(6);
        }
    }

    @Test
    void membersAreReachedByTheirIpv6Addresses() throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            Assumptions.assumeTrue(canBind(probe), "this machine has no IPv6");
        }
        try (TestGroup group = new TestGroup("[::1]", "[::1]")) {
            Recorder told = new Recorder();
            group.open(0, told);
            Recorder here = new Recorder();
            Transport from = group.open(1, here);
            here.awaitConnected(group.id(0));
            from.send(group.id(0), bytes("hello"));
            assertThat(told.awaitText("hello").peer().id()).startsWith("[0:0:0:0:0:0:0:1]:");
        }
    }

    private static boolean canBind(ServerSocket probe) {
        try {
            probe.bind(new InetSocketAddress("::1", 0));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void whomTheListenerDoesNotWantIsRefusedWithItsReason() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            told.notWanted = Optional.of("this member is closing");
            group.open(0, told);
            Recorder there = new Recorder();
            group.open(1, there);
            assertThat(there.awaitRefused(Refusal.Kind.NOT_WANTED).sentence())
                    .isEqualTo(group.id(0) + " refuses this process: this member is closing");
            assertThat(there.connected).isEmpty();
            told.notWanted = Optional.empty();
            there.awaitConnected(group.id(0));
        }
    }
}
