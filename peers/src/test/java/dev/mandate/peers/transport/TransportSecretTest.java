package dev.mandate.peers.transport;

import static dev.mandate.peers.transport.TestGroup.assertExchange;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreSecret;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets: wrong, missing, rolled. */
class TransportSecretTest {
    private static final GroupSecret OTHER = GroupSecret.parse("fedcba9876543210fedcba9876543210");

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
            Await.until(
                    "a line in the log",
                    TestGroup.PLENTY,
                    () -> !group.log().all().isEmpty());
            assertThat(group.log().all()).noneMatch(line -> line.contains("fedcba") || line.contains("0123"));
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
}
