package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransportSettingsTest {
    private static final PeerAddress A = new PeerAddress("a", 1);
    private static final PeerAddress B = new PeerAddress("b", 2);

    private static TransportSettings of(List<PeerAddress> members, PeerAddress self, PeerAddress bind, String terms) {
        return new TransportSettings(
                members,
                self,
                bind,
                null,
                TestGroup.anyId(),
                terms,
                LinkPace.of(Duration.ofSeconds(3)),
                LinkLimits.defaults());
    }

    private static void assertRefused(
            List<PeerAddress> members, PeerAddress self, PeerAddress bind, String terms, String... words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(members, self, bind, terms))
                .satisfies(refusal -> assertThat(refusal.getMessage()).contains(words));
    }

    @Test
    void whatDoesNotBelongTogetherIsNamed() {
        assertThat(of(List.of(A, B), A, B, "x").membersText()).isEqualTo("a:1,b:2");
        assertRefused(List.of(), null, null, "", "0 members", "1 to 32");
        assertRefused(Collections.nCopies(33, A), null, null, "", "33 members");
        assertRefused(List.of(A, A), null, null, "", "twice");
        assertRefused(List.of(A), B, null, "", "self is b:2", "a:1");
        assertRefused(List.of(A), null, B, "", "bind is b:2", "guest");
        assertRefused(List.of(A), A, null, "x\n", "printable");
    }

    @Test
    void thePaceFollowsFromTheLease() {
        LinkPace three = LinkPace.of(Duration.ofSeconds(3));
        assertThat(three.probeAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(three.backoffMax()).isEqualTo(Duration.ofMillis(600));
        for (Duration lease : List.of(Duration.ofMillis(1), Duration.ofSeconds(10), Duration.ofDays(1))) {
            LinkPace pace = LinkPace.of(lease);
            assertThat(pace.backoffMin()).isLessThanOrEqualTo(pace.backoffMax());
            // Renewals, a quarter of the lease apart, answer the question before it is asked, up to four minutes.
            if (lease.compareTo(Duration.ofMinutes(3)) < 0) {
                assertThat(pace.probeAfter()).isGreaterThan(lease.dividedBy(4));
            }
        }
    }

    @Test
    void paceAndLimitsOutOfBoundsAreNamed() {
        Duration second = Duration.ofSeconds(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LinkPace(second, second, second, second, Duration.ZERO, second))
                .withMessageContaining("probeAfter is PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LinkPace(second, second, second, Duration.ofMillis(1), second, second))
                .withMessageContaining("backoffMin is PT1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LinkLimits(1, 1, 2 << 20, 1, 1, 2 << 20))
                .withMessageContaining("queuedBytes is 1; it must be at least 1048576");
    }
}
