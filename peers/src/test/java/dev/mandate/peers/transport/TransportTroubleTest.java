package dev.mandate.peers.transport;

import static dev.mandate.peers.transport.TestGroup.IMPATIENT;
import static dev.mandate.peers.transport.TestGroup.assertExchange;
import static dev.mandate.peers.transport.TestGroup.bytes;
import static dev.mandate.peers.transport.TestGroup.isRunning;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The other side is silent, slow, or hostile. */
class TransportTroubleTest {
    /** Asks soon, and is patient: for tests in which the other side is there, on a busy machine, too. */
    private static final LinkPace ASKING = new LinkPace(
            Duration.ofSeconds(20),
            Duration.ofSeconds(20),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofMillis(200),
            Duration.ofSeconds(3));

    // ---- silent and slow ----

    @Test
    void whoAcceptsAndSaysNothingIsGivenUpAndClosingDoesNotWaitForIt() throws Exception {
        try (TestGroup group = TestGroup.of(2);
                ServerSocket mute = new ServerSocket(group.member(1).port(), 50, InetAddress.getByName("127.0.0.1"))) {
            group.pace(IMPATIENT);
            Transport here = group.open(0, new Recorder());
            Await.until(
                    "its trouble",
                    TestGroup.PLENTY,
                    () -> here.status().get(0).trouble().equals("it waited 500 ms for a handshake"));
            mute.accept();
            here.close();
            here.close();
            assertThat(isRunning("mandate-peers-" + group.id(0))).isFalse();
        }
    }

    @Test
    void strangersThatSayNothingOrStopHalfwayAreClosed() throws Exception {
        try (TestGroup group = TestGroup.of(1)) {
            group.pace(IMPATIENT);
            Transport here = group.open(0, new Recorder());
            try (RawPeer silent = RawPeer.silent(group.member(0));
                    RawPeer halfway = RawPeer.silent(group.member(0))) {
                halfway.write(new byte[] {0, 0, 0, 38, FrameType.HELLO, 'M', 'N'});
                silent.awaitClosed();
                halfway.awaitClosed();
            }
            Await.until("both to be counted", TestGroup.PLENTY, () -> here.strangers() == 2);
        }
    }

    @Test
    void whoNeverReadsFillsABoundedQueueAndHarmsNobodyElse() throws Exception {
        LinkLimits small = new LinkLimits(100, 2L * Transport.PAYLOAD_MAX, 2L * Transport.PAYLOAD_MAX, 4, 16, 4L << 20);
        try (TestGroup group = TestGroup.of(3)) {
            group.limits(small);
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            try (RawPeer raw = RawPeer.silent(group.member(0), 4_096)) {
                assertThat(raw.introduce(group.settings(1), group.member(0), TestGroup.SECRET))
                        .isEmpty();
                told.awaitConnected(group.id(1));
                byte[] big = new byte[256 * 1024];
                Await.until("a full queue", TestGroup.PLENTY, () -> !here.send(group.id(1), big));
                for (int i = 0; i < 1_000; i++) {
                    here.send(group.id(1), big);
                }
                assertThat(here.status().get(0).dropped()).isBetween(900L, 1_001L);
                assertThat(here.status().get(0).sent()).isLessThan(200);

                Recorder third = new Recorder();
                Transport other = group.open(2, third);
                assertExchange(here, group.id(2), third, "to the third");
                assertExchange(other, group.id(0), told, "from the third");
            }
            told.awaitDisconnected(group.id(1));
        }
    }

    @Test
    void whoNeverReadsIsFoundSilentAndItsLinkIsClosed() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            group.pace(IMPATIENT);
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            try (RawPeer raw = RawPeer.silent(group.member(0))) {
                raw.introduce(group.settings(1), group.member(0), TestGroup.SECRET);
                told.awaitConnected(group.id(1));
                here.send(group.id(1), bytes("are you there?"));
                assertThat(told.awaitDisconnected(group.id(1)).reason())
                        .isEqualTo("the other side did not answer within 500 ms");
            }
        }
    }

    @Test
    void whoOnlyListensAndAnswersQuestionsStaysConnected() {
        try (TestGroup group = TestGroup.of(2)) {
            group.pace(ASKING);
            Recorder told = new Recorder();
            Recorder here = new Recorder();
            Transport from = group.open(0, here);
            group.open(1, told);
            here.awaitConnected(group.id(1));
            from.send(group.id(1), bytes("one"));
            // Longer than the time after which it is asked, and may be silent.
            Await.passing(Duration.ofSeconds(4));
            assertExchange(from, group.id(1), told, "two");
            assertThat(here.disconnected).isEmpty();
        }
    }

    @Test
    void twoSidesThatAskedEachOtherSleepAgain() {
        try (TestGroup group = TestGroup.of(2)) {
            group.pace(ASKING);
            Recorder told = new Recorder();
            Transport there = group.open(1, told);
            Transport here = group.open(0, new Recorder());
            assertExchange(here, group.id(1), told, "one");
            // Five times as long as it takes until the question comes.
            Await.passing(Duration.ofSeconds(1));
            long before = here.turns() + there.turns();
            Await.passing(Duration.ofMillis(1_500));
            assertThat(here.turns() + there.turns() - before).isLessThanOrEqualTo(4);
        }
    }

    @Test
    void aSlowReaderGetsWhatTheQueueHolds() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            try (RawPeer raw = RawPeer.silent(group.member(0), 4_096)) {
                raw.introduce(group.settings(1), group.member(0), TestGroup.SECRET);
                told.awaitConnected(group.id(1));
                for (int i = 0; i < 4; i++) {
                    byte[] payload = new byte[Transport.PAYLOAD_MAX];
                    java.util.Arrays.fill(payload, (byte) i);
                    assertThat(here.send(group.id(1), payload)).isTrue();
                }
                here.send(group.id(1), bytes("last"));
                for (int i = 0; i < 4; i++) {
                    byte[] payload = raw.payload();
                    assertThat(payload).hasSize(Transport.PAYLOAD_MAX);
                    assertThat(payload[payload.length - 1]).isEqualTo((byte) i);
                }
                assertThat(raw.payload()).isEqualTo(bytes("last"));
            }
        }
    }

    @Test
    void aSlowReaderIsNotTakenForADeadOne() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            group.pace(ASKING);
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            try (RawPeer raw = RawPeer.silent(group.member(0), 4_096)) {
                raw.introduce(group.settings(1), group.member(0), TestGroup.SECRET);
                told.awaitConnected(group.id(1));
                for (int i = 0; i < 4; i++) {
                    assertThat(here.send(group.id(1), new byte[Transport.PAYLOAD_MAX]))
                            .isTrue();
                }
                // It says nothing for longer than a silent one is borne, but it reads.
                long begun = System.nanoTime();
                for (int i = 0; i < 25; i++) {
                    assertThat(raw.skip(96 * 1_024)).isEqualTo(96 * 1_024);
                    Await.passing(Duration.ofMillis(160));
                }
                assertThat(System.nanoTime() - begun).isGreaterThan(3_900_000_000L);
                assertThat(told.disconnected).isEmpty();
            }
        }
    }

    // ---- hostile ----

    @Test
    void aFrameThatIsRepeatedForgedCutOrForeignEndsItsConnectionOnly() throws Exception {
        try (TestGroup group = TestGroup.of(3)) {
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            Recorder second = new Recorder();
            group.open(2, second);
            for (String kind : List.of("repeated", "forged", "cut", "foreign", "unknown type")) {
                try (RawPeer raw = RawPeer.silent(group.member(0));
                        RawPeer other = RawPeer.silent(group.member(0))) {
                    TransportSettings guest = group.settings(-1);
                    assertThat(raw.introduce(guest, group.member(0), TestGroup.SECRET))
                            .isEmpty();
                    assertThat(other.introduce(group.settings(-1), group.member(0), TestGroup.SECRET))
                            .isEmpty();
                    byte[] good = raw.sealed(FrameType.DATA, bytes(kind));
                    raw.write(good);
                    String id = "guest-" + guest.startId();
                    told.awaitText(kind);
                    switch (kind) {
                        case "repeated" -> raw.write(good);
                        case "forged" -> {
                            byte[] forged = raw.sealed(FrameType.DATA, bytes(kind));
                            forged[FrameDecoder.HEADER + 1] ^= 1;
                            raw.write(forged);
                        }
                        case "cut" -> raw.write(new byte[] {0, 0, 0, 5, FrameType.DATA, 1, 2, 3, 4});
                        case "foreign" -> raw.write(other.sealed(FrameType.DATA, bytes(kind)));
                        default -> raw.write(raw.sealed((byte) 99, bytes(kind)));
                    }
                    told.awaitDisconnected(id);
                    raw.awaitClosed();
                }
                assertThat(told.received.stream()
                                .filter(each -> each.text().equals(kind))
                                .count())
                        .isEqualTo(1);
            }
            assertExchange(here, group.id(2), second, "undisturbed");
            assertThat(told.disconnected).noneMatch(ended -> ended.peer().isMember());
        }
    }

    @Test
    void aFloodOfQuestionsIsAnsweredWithinBounds() throws Exception {
        try (TestGroup group = TestGroup.of(1)) {
            Recorder told = new Recorder();
            group.open(0, told);
            try (RawPeer raw = RawPeer.silent(group.member(0))) {
                raw.introduce(group.settings(-1), group.member(0), TestGroup.SECRET);
                // None of the answers is read: they must not pile up.
                for (int i = 0; i < 200_000; i++) {
                    raw.write(raw.sealed(FrameType.PING, new byte[8]));
                }
                raw.send(bytes("end"));
                told.awaitText("end");
            }
        }
    }

    @Test
    void aLogThatBlocksHoldsUpNobody() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (TestGroup group = TestGroup.of(2)) {
            group.log().blockUntil(goOn);
            Recorder told = new Recorder();
            group.open(0, told);
            Transport from = group.open(1, new Recorder());
            assertExchange(from, group.id(0), told, "hello");
            assertThat(group.log().all()).isEmpty();
            goOn.countDown();
            Await.until("lines", TestGroup.PLENTY, () -> !group.log().all().isEmpty());
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void linesAreFewHoweverManyStrangersCome() throws Exception {
        try (TestGroup group = TestGroup.of(1)) {
            Transport here = group.open(0, new Recorder());
            for (int i = 0; i < 200; i++) {
                try (RawPeer raw = RawPeer.silent(group.member(0))) {
                    raw.write(bytes("GET / HTTP/1.1\r\n\r\n"));
                    raw.awaitClosed();
                }
            }
            Await.until("all to be counted", TestGroup.PLENTY, () -> here.strangers() == 200);
            Await.until("lines", TestGroup.PLENTY, () -> group.log().all().size() >= 10);
            assertThat(group.log().all())
                    .hasSizeBetween(10, 12)
                    .allMatch(line -> line.startsWith("WARNING a connection"));
        }
    }
}
