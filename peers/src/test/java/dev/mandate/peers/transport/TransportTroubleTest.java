package dev.mandate.peers.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.RotatingSecret;
import dev.mandate.spi.StoreSecret;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransportTroubleTest {
    private static final GroupSecret OTHER = GroupSecret.parse("fedcba9876543210fedcba9876543210");

    /** Silence is noticed soon: for tests in which somebody is silent for good. */
    private static final LinkPace IMPATIENT = new LinkPace(
            Duration.ofSeconds(20),
            Duration.ofMillis(500),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofMillis(200),
            Duration.ofMillis(500));

    /** Asks soon, and is patient: for tests in which the other side is there, on a busy machine, too. */
    private static final LinkPace ASKING = new LinkPace(
            Duration.ofSeconds(20),
            Duration.ofSeconds(20),
            Duration.ofMillis(10),
            Duration.ofMillis(100),
            Duration.ofMillis(200),
            Duration.ofSeconds(3));

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static void assertExchange(Transport from, String to, Recorder told, String text) {
        Await.until("a link", TestGroup.PLENTY, () -> from.send(to, bytes(text)));
        told.awaitText(text);
    }

    // ---- secrets ----

    @Test
    void aWrongSecretIsToldToWhoDialledAndCountedWhereItWasRejected() {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder right = new Recorder();
            Transport here = group.open(0, right);
            Recorder wrong = new Recorder();
            group.secret(RotatingSecret.fixed(OTHER));
            Transport there = group.open(1, wrong);
            assertThat(wrong.awaitRefused(Refusal.Kind.SECRET).sentence())
                    .isEqualTo(group.id(0)
                            + " does not accept this process's secret; give both the same secretFile content");
            right.awaitRefused(Refusal.Kind.SECRET);
            Await.until("strangers", TestGroup.PLENTY, () -> here.strangers() > 0 && there.strangers() > 0);
            assertThat(right.connected).isEmpty();
            assertThat(wrong.connected).isEmpty();
            assertThat(group.log().all())
                    .isNotEmpty()
                    .noneMatch(line -> line.contains("fedcba") || line.contains("0123"));
        }
    }

    @Test
    void withoutASecretEverythingStaysOnThisMachine() throws Exception {
        InetAddress elsewhere = InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1});
        try (TestGroup group = new TestGroup("127.0.0.1", "elsewhere.test")) {
            group.secret(null)
                    .resolver(host ->
                            host.startsWith("127") ? InetAddress.getAllByName(host) : new InetAddress[] {elsewhere});
            Transport here = group.open(0, new Recorder());
            Await.until(
                    "a dial that is refused",
                    TestGroup.PLENTY,
                    () -> here.status()
                            .get(0)
                            .trouble()
                            .equals(group.id(1)
                                    + " is 192.0.2.1, which is not this machine, and there is no secret; give all"
                                    + " processes of the group the same secretFile"));
            assertThatThrownBy(() -> group.open(1, new Recorder()))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContainingAll(group.id(1), "192.0.2.1", "there is no secret", "secretFile");
        }
    }

    @Test
    void withoutASecretMembersOfOneMachineExchange() {
        try (TestGroup group = TestGroup.of(2)) {
            group.secret(null);
            Recorder told = new Recorder();
            group.open(0, told);
            assertExchange(group.open(1, new Recorder()), group.id(0), told, "hello");
        }
    }

    private static RotatingSecret<GroupSecret> inFile(Path file) {
        return StoreSecret.of(StoreUrl.parse("bully://a:1?secretFile=" + file), "secret", null, GroupSecret::parse)
                .orElseThrow();
    }

    @Test
    void aSecretIsRolledWithoutAnInterruption(@TempDir Path directory) throws IOException {
        String old = "the-old-secret-of-a-group";
        String next = "the-new-secret-of-a-group";
        Path[] files = {directory.resolve("a"), directory.resolve("b")};
        for (int i = 0; i < 2; i++) {
            Files.writeString(files[i], old);
        }
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            group.secret(inFile(files[0]));
            Transport here = group.open(0, told);
            AtomicInteger round = new AtomicInteger();
            Runnable reconnects = () -> {
                group.secret(inFile(files[1]));
                try (Transport there = group.open(1, new Recorder())) {
                    assertExchange(there, group.id(0), told, "round " + round.incrementAndGet());
                }
            };
            reconnects.run();
            Files.writeString(files[1], next + " " + old);
            reconnects.run();
            Files.writeString(files[0], next + " " + old);
            reconnects.run();
            Files.writeString(files[1], next);
            reconnects.run();
            Files.writeString(files[0], next);
            reconnects.run();
            assertThat(here.status().get(0).received()).isEqualTo(5);
        }
    }

    @Test
    void whoHasTwoSecretsDialsWithTheOneThatIsAccepted() {
        try (TestGroup group = TestGroup.of(1)) {
            group.open(0, new Recorder());
            group.secret(RotatingSecret.fixed(
                    GroupSecret.parse("fedcba9876543210fedcba9876543210 0123456789abcdef0123456789abcdef")));
            Recorder guest = new Recorder();
            group.open(-1, guest);
            guest.awaitRefused(Refusal.Kind.SECRET);
            guest.awaitConnected(group.id(0));
        }
    }

    @Test
    void theFileOfTheSecretIsReadAtEachDial(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("secret");
        Files.writeString(file, "the-old-secret-of-a-group");
        try (TestGroup group = TestGroup.of(1)) {
            AtomicInteger looks = new AtomicInteger();
            group.secret(inFile(file)).resolver(host -> {
                looks.incrementAndGet();
                return InetAddress.getAllByName(host);
            });
            Transport member = group.open(0, new Recorder());
            Recorder guest = new Recorder();
            group.secret(inFile(file));
            group.open(-1, guest);
            guest.awaitConnected(group.id(0));
            member.close();
            Files.writeString(file, "the-new-secret-of-a-group");
            // The dial that may have read the old one is over when there was another one after the next.
            int before = looks.get();
            Await.until("more dials", TestGroup.PLENTY, () -> looks.get() >= before + 2);
            group.secret(inFile(file));
            TransportSettings restarted = group.settings(0);
            group.open(restarted, new Recorder());
            Peer process = new Peer(group.id(0), restarted.startId(), true);
            Await.until("a new connection", TestGroup.PLENTY, () -> guest.connected.contains(process));
            assertThat(guest.refused).isEmpty();
        }
    }

    // ---- names ----

    @Test
    void aNameIsResolvedAtEachDial() {
        Map<String, String> names = new ConcurrentHashMap<>();
        AtomicInteger looks = new AtomicInteger();
        try (TestGroup group = new TestGroup("127.0.0.1", "moving.test")) {
            names.put("127.0.0.1", "127.0.0.1");
            names.put("moving.test", "127.0.0.2");
            group.resolver(host -> {
                if (host.equals("moving.test")) {
                    looks.incrementAndGet();
                }
                String address = names.get(host);
                if (address == null) {
                    throw new UnknownHostException("no such name");
                }
                return InetAddress.getAllByName(address);
            });
            Recorder told = new Recorder();
            TransportSettings there = group.settings(1);
            Recorder moved = new Recorder();
            Transport first = group.open(there, moved);
            Transport here = group.open(0, told);
            told.awaitConnected(group.id(1));
            first.close();
            Await.until("many looks", TestGroup.PLENTY, () -> looks.get() > 5);
            names.remove("moving.test");
            Await.until(
                    "its trouble",
                    TestGroup.PLENTY,
                    () -> here.status().get(0).trouble().contains("the name moving.test can't be resolved"));

            // It moves.
            names.put("moving.test", "127.0.0.3");
            Recorder again = new Recorder();
            TransportSettings next = group.settings(1);
            group.open(next, again);
            Peer process = new Peer(group.id(1), next.startId(), true);
            Await.until("it at its new address", TestGroup.PLENTY, () -> told.connected.contains(process));
        }
    }

    @Test
    void aNameThatHangsHoldsUpNobodyElse() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch isHanging = new CountDownLatch(1);
        try (TestGroup group = new TestGroup("127.0.0.1", "127.0.0.1", "hanging.test")) {
            group.pace(IMPATIENT).resolver(host -> {
                if (host.equals("hanging.test")) {
                    isHanging.countDown();
                    await(goOn);
                }
                return InetAddress.getAllByName("127.0.0.1");
            });
            Recorder told = new Recorder();
            Transport here = group.open(0, told);
            isHanging.await();
            assertExchange(group.open(1, new Recorder()), group.id(0), told, "hello");
            assertThat(here.status().get(1).isUp()).isFalse();
            here.close();
            assertThat(isRunning("mandate-peers-" + group.id(0))).isFalse();
        } finally {
            goOn.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isRunning(String thread) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(each -> each.getName().equals(thread));
    }

    @Test
    void anAddressThatIsInUseOrAnotherMachinesIsNamed() throws Exception {
        try (TestGroup group = new TestGroup("127.0.0.1", "192.0.2.1", "nowhere.test")) {
            group.resolver(host -> {
                if (host.equals("nowhere.test")) {
                    throw new UnknownHostException("no such name");
                }
                return InetAddress.getAllByName(host);
            });
            group.open(0, new Recorder());
            assertThatThrownBy(() -> group.open(0, new Recorder()))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContainingAll("can't listen on " + group.id(0), "in use", "stop what else uses it");
            assertThatThrownBy(() -> group.open(1, new Recorder()))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContainingAll("can't listen on " + group.id(1), "bind=");
            assertThatThrownBy(() -> group.open(2, new Recorder()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContainingAll("nowhere.test", "bind=ADDRESS");
        }
    }

    // ---- the other side ----

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

    // ---- identities ----

    @Test
    void listsThatDifferAreShownOnBothSides() throws Exception {
        try (TestGroup group = TestGroup.of(3)) {
            Recorder here = new Recorder();
            group.open(0, here);
            TransportSettings mine = group.settings(1);
            TransportSettings shorter = new TransportSettings(
                    List.of(group.member(0), group.member(1)),
                    group.member(1),
                    null,
                    mine.secret(),
                    mine.startId(),
                    mine.terms(),
                    mine.pace(),
                    mine.limits());
            Recorder there = new Recorder();
            group.open(shorter, there);
            for (Recorder each : List.of(here, there)) {
                assertThat(each.awaitRefused(Refusal.Kind.LIST_DIFFERS).sentence())
                        .contains(shorter.membersText() + ",", mine.membersText(), "stop all members");
            }
            assertThat(here.connected).isEmpty();
        }
    }

    @Test
    void twoLiveProcessesOfOneMemberAreToldOf() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            Recorder told = new Recorder();
            group.open(0, told);
            TransportSettings real = group.settings(1);
            group.open(real, new Recorder());
            told.awaitConnected(group.id(1));
            TransportSettings copy = group.settings(1);
            try (RawPeer raw = RawPeer.silent(group.member(0))) {
                assertThat(raw.introduce(copy, group.member(0), TestGroup.SECRET))
                        .isPresent();
            }
            assertThat(told.awaitRefused(Refusal.Kind.SELF_TAKEN).sentence())
                    .isEqualTo("two processes have self=" + group.id(1) + ": the one started as " + real.startId()
                            + ", and the one started as " + copy.startId() + "; stop one of them");
            try (RawPeer raw = RawPeer.silent(group.member(0))) {
                assertThat(raw.introduce(copy, group.member(0), TestGroup.SECRET))
                        .hasValueSatisfying(
                                refusal -> assertThat(refusal.kind()).isEqualTo(Refusal.Kind.SELF_TAKEN));
            }
            assertThat(told.disconnected).isEmpty();
        }
    }

    @Test
    void theFormerProcessOfAMemberThatLeftNoTraceMakesRoomForTheNewOne() throws Exception {
        try (TestGroup group = TestGroup.of(2)) {
            group.pace(IMPATIENT);
            Recorder told = new Recorder();
            group.open(0, told);
            try (RawPeer former = RawPeer.silent(group.member(0))) {
                former.introduce(group.settings(1), group.member(0), TestGroup.SECRET);
                told.awaitConnected(group.id(1));
                // The host of the former one is gone, and no packet says so.
                TransportSettings next = group.settings(1);
                group.open(next, new Recorder());
                Await.until("the new one", TestGroup.PLENTY, () -> told.connected.size() == 2);
                assertThat(told.connected.get(1).startId()).isEqualTo(next.startId());
                assertThat(told.refused).isEmpty();
            }
        }
    }

    @Test
    void noMoreGuestsThanTheBoundAreTaken() {
        LinkLimits two = new LinkLimits(100, 2L << 20, 2L << 20, 2, 16, 4L << 20);
        try (TestGroup group = TestGroup.of(1)) {
            group.limits(two);
            Recorder told = new Recorder();
            group.open(0, told);
            Recorder[] guests = {new Recorder(), new Recorder(), new Recorder()};
            Transport first = group.open(-1, guests[0]);
            group.open(-1, guests[1]);
            guests[0].awaitConnected(group.id(0));
            guests[1].awaitConnected(group.id(0));
            group.open(-1, guests[2]);
            assertThat(guests[2].awaitRefused(Refusal.Kind.TOO_MANY_GUESTS).sentence())
                    .contains(group.id(0) + " has 2 guests");
            first.close();
            guests[2].awaitConnected(group.id(0));
        }
    }

    // ---- frames ----

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
