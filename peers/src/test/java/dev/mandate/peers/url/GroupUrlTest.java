package dev.mandate.peers.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import dev.mandate.peers.transport.PeerAddress;
import dev.mandate.peers.transport.TransportSettings;
import dev.mandate.spi.Id;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupUrlTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path directory;

    private String secret;

    @BeforeEach
    void writeSecret() throws IOException {
        Path file = directory.resolve("secret");
        Files.writeString(file, SECRET + "\n");
        secret = "&secretFile=" + file;
    }

    private static GroupSettings read(String url) {
        return GroupUrl.settings(StoreUrl.parse(url));
    }

    /** Refused in one sentence, which has all these words. */
    private static void assertRefused(String url, String... words) {
        assertThatThrownBy(() -> read(url))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(refusal -> assertThat(refusal.getMessage())
                        .contains(words)
                        .contains(";")
                        .doesNotContain("\n")
                        .doesNotContain(". ")
                        .doesNotContain(SECRET));
    }

    @Test
    void aMemberIsReadWithEverything() {
        GroupSettings settings = read("bully://A:7401,b:7402,[::1]:7403?self=B:7402&state=/var/lib/app&bind=0.0.0.0"
                + "&maxLease=20s&preempt=true" + secret);
        assertThat(settings.scheme()).isEqualTo(GroupScheme.BULLY);
        assertThat(settings.membersText()).isEqualTo("a:7401,b:7402,[0:0:0:0:0:0:0:1]:7403");
        assertThat(settings.self()).contains(new PeerAddress("b", 7402));
        assertThat(settings.state()).contains(Path.of("/var/lib/app"));
        assertThat(settings.bind()).contains(new PeerAddress("0.0.0.0", 7402));
        assertThat(settings.secret())
                .hasValueSatisfying(
                        found -> assertThat(found.current().toString()).doesNotContain(SECRET));
        assertThat(settings.maxLease()).isEqualTo(Duration.ofSeconds(20));
        assertThat(settings.preempt()).isTrue();
        assertThat(settings.warnings()).isEmpty();
        assertThat(settings.toString()).doesNotContain(SECRET);
    }

    @Test
    void aGuestHasNoSelfAndNoState() {
        GroupSettings settings = read("ring://a:7401,b:7401,c:7401?" + secret.substring(1));
        assertThat(settings.scheme()).isEqualTo(GroupScheme.RING);
        assertThat(settings.self()).isEmpty();
        assertThat(settings.state()).isEmpty();
        assertThat(settings.majority()).isEqualTo(2);
        assertThat(settings.preempt()).isFalse();
    }

    @Test
    void aTransportIsMadeFromIt() {
        TransportSettings transport = read("peers://a:7401,b:7401,c:7401?self=b:7401&state=s&maxLease=3s" + secret)
                .transport(new Id(1, 2));
        assertThat(transport.membersText()).isEqualTo("a:7401,b:7401,c:7401");
        assertThat(transport.terms()).isEqualTo("maxLease=3s");
        assertThat(transport.self()).isEqualTo(new PeerAddress("b", 7401));
        assertThat(transport.pace().probeAfter()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void theLongestLeaseIsThatOfTheClientUnlessGiven() {
        String url = "peers://localhost:1,localhost:2,localhost:3";
        assertThat(read(url).maxLease()).isEqualTo(Duration.ofSeconds(10));
        assertThat(read(url + "?lease=4s").maxLease()).isEqualTo(Duration.ofSeconds(4));
        assertThat(GroupUrl.settings(StoreUrl.parse(url).withLease(Duration.ofSeconds(3)))
                        .maxLease())
                .isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aLeaseAboveTheLongestIsRefused() {
        assertRefused(
                "peers://localhost:1?lease=10s&maxLease=5s", "the lease is 10s", "maxLease", "is 5s", "maxLease=10s");
        assertRefused("peers://localhost:1?maxLease=2d", "maxLease", "2d");
        assertRefused("peers://localhost:1?maxLease=0s", "'maxLease'", "0s", "from 1ms to 24h");
    }

    @Test
    void anotherSchemeIsRefused() {
        assertRefused("raft://localhost:1", "'raft'", "bully, ring or peers");
    }

    @Test
    void noHostsAndMalformedOnesAreRefused() {
        assertRefused("bully:a:7401", "names no host", "bully://a:7401");
        assertRefused("bully://", "names the host ''");
        assertRefused("bully://a:7401,,b:7401", "names the host ''");
        assertRefused("bully://a b:7401", "'a b:7401'");
        assertRefused("bully://a:7401/path", "the path '/path'", "leave it out");
    }

    @Test
    void portsOutOfRangeAndMissingOnesAreRefused() {
        assertRefused("bully://a:70000", "'a:70000'", "65535");
        assertRefused("bully://a:0", "'a:0'", "65535");
        assertRefused("bully://a:-1", "'a:-1'");
        assertRefused("bully://a:7401,b", "'b' without a port", "b:7401");
    }

    @Test
    void addressesWithColonsNeedBrackets() {
        assertRefused("bully://::1:7401", "'::1:7401'", "[in brackets]");
        assertRefused("bully://[::g]:7401", "'[::g]' is no IPv6 address");
        assertThat(read("bully://[::1]:7401").membersText()).isEqualTo("[0:0:0:0:0:0:0:1]:7401");
    }

    @Test
    void aMemberNamedTwiceIsRefused() {
        assertRefused("bully://a:7401,b:7401,A:7401", "'a:7401' twice", "once");
        assertRefused("bully://[::1]:7401,[0::1]:7401", "'[0:0:0:0:0:0:0:1]:7401' twice");
    }

    @Test
    void tooManyMembersAreRefused() {
        List<String> hosts =
                IntStream.rangeClosed(1, 33).mapToObj(i -> "localhost:" + i).toList();
        assertRefused("bully://" + String.join(",", hosts), "33 members", "at most 32");
        assertThat(read("bully://" + String.join(",", hosts.subList(0, 32))).members())
                .hasSize(32);
    }

    @Test
    void aSelfThatIsUnlistedOrMalformedIsRefused() {
        assertRefused("bully://a:7401,b:7401?self=c:7401&state=s" + secret, "'self'", "'c:7401'", "a:7401,b:7401");
        assertRefused("bully://a:7401,b:7401?self=a:7402&state=s" + secret, "'a:7402'", "a:7401,b:7401");
        for (String bad : List.of("a", "", "a:7401,b:7401", "x@a:7401", "a:7401/", "a:99999")) {
            assertRefused(
                    "bully://a:7401,b:7401?self=" + bad + "&state=s" + secret, "'self'", "'" + bad + "'", "65535");
        }
    }

    @Test
    void aMemberWithoutStateIsRefused() {
        assertRefused("bully://a:7401?self=a:7401" + secret, "self=a:7401", "no state", "state=DIR");
        assertRefused("bully://a:7401?self=a:7401&state=" + secret, "'state'", "directory");
        assertRefused("bully://a:7401?self=a:7401&state=%00" + secret, "'state'", "directory");
    }

    @Test
    void aGuestWithStateOrBindIsRefused() {
        assertRefused("bully://a:7401?state=/s" + secret, "state=/s", "no self", "guest");
        assertRefused("bully://a:7401?bind=0.0.0.0:7401" + secret, "bind=0.0.0.0:7401", "no self", "guest");
    }

    @Test
    void aBindThatIsMalformedIsRefused() {
        assertRefused("bully://a:7401?self=a:7401&state=s&bind=:7401" + secret, "'bind'", "':7401'", "0.0.0.0:7401");
        assertRefused("bully://a:7401?self=a:7401&state=s&bind=x:65536" + secret, "'bind'", "'x:65536'", "65535");
    }

    @Test
    void withoutASecretEverythingStaysOnThisMachine() {
        assertRefused("bully://127.0.0.1:1,a:7401", "no secret", "'a:7401'", "secretFile=FILE");
        assertRefused("bully://10.0.0.1:7401", "no secret", "'10.0.0.1:7401'");
        assertRefused(
                "bully://localhost:1?self=localhost:1&state=s&bind=0.0.0.0",
                "no secret",
                "bind=0.0.0.0:1",
                "leave out");
        assertThat(read("bully://localhost:1,127.0.0.2:2,[::1]:3").secret()).isEmpty();
    }

    @Test
    void aSecretInTheUrlIsRefusedAndNotQuoted() {
        assertRefused("bully://" + SECRET + "@a:7401", "before an @", "secretFile");
        assertRefused("bully://me:" + SECRET + "@a:7401", "before an @", "secretFile");
        assertRefused("bully://a:7401?secret=" + SECRET, "'secret'", "secretFile");
    }

    @Test
    void aSecretThatCannotBeReadOrIsTooShortIsRefused() throws IOException {
        assertThatThrownBy(() -> read("bully://a:7401?secretFile=/nowhere"))
                .isInstanceOf(StoreSetupException.class)
                .hasMessageContaining("/nowhere");
        Path brief = Files.writeString(directory.resolve("short"), "hunter2");
        assertThatThrownBy(() -> read("bully://a:7401?secretFile=" + brief))
                .isInstanceOf(StoreSetupException.class)
                .hasMessageContaining("7 characters")
                .hasMessageNotContaining("hunter2");
        assertRefused("bully://a:7401?secretEnv=X" + secret, "more than one secret");
    }

    @Test
    void preemptIsForBullyOnly() {
        assertRefused("ring://localhost:1?preempt=true", "'preempt'", "bully:", "ring:");
        assertRefused("bully://localhost:1?preempt=yes", "'preempt'", "'yes'", "true or false");
        assertThat(read("ring://localhost:1?preempt=false").preempt()).isFalse();
    }

    @Test
    void oneTwoAndEvenVotersAreWarnedOf() {
        assertThat(read("bully://localhost:1").warnings())
                .singleElement()
                .asString()
                .contains("1 voter, localhost:1");
        assertThat(read("bully://localhost:1,localhost:2").warnings())
                .singleElement()
                .asString()
                .contains("2 voters", "when either fails, nobody can lead", "such as 3");
        assertThat(read("bully://localhost:1,localhost:2,localhost:3,localhost:4")
                        .warnings())
                .singleElement()
                .asString()
                .contains("4 voters", "the failure of 1, as 3 voters would", "such as 5");
        assertThat(read("bully://localhost:1,localhost:2,localhost:3").warnings())
                .isEmpty();
    }

    @Test
    void everyParameterHasALineForPeople() {
        assertThat(GroupUrl.parameters())
                .containsOnlyKeys("self", "state", "secretFile", "secretEnv", "bind", "maxLease", "preempt")
                .allSatisfy((name, line) -> assertThat(line).isNotBlank());
    }
}
