package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PeerAddressTest {
    @Test
    void namesAndAddressesHaveOneForm() {
        assertThat(new PeerAddress("Node-A.Example", 7401)).hasToString("node-a.example:7401");
        assertThat(new PeerAddress("[::1]", 7401)).isEqualTo(new PeerAddress("[0:0:0:0:0:0:0:1]", 7401));
        assertThat(new PeerAddress("[2001:DB8::1]", 1)).hasToString("[2001:db8:0:0:0:0:0:1]:1");
    }

    @Test
    void loopbackIsKnownByItsText() {
        for (String host : new String[] {"localhost", "127.0.0.1", "127.9.8.7", "[::1]"}) {
            assertThat(new PeerAddress(host, 1).isLoopback()).as(host).isTrue();
        }
        for (String host : new String[] {"a", "128.0.0.1", "127.example.org", "[::2]", "localhost.example.org"}) {
            assertThat(new PeerAddress(host, 1).isLoopback()).as(host).isFalse();
        }
    }

    @Test
    void portsAndAddressesOutOfRangeAreNamed() {
        assertThatThrownBy(() -> new PeerAddress("a", 0)).hasMessageContaining("the port of 'a' is 0");
        assertThatThrownBy(() -> new PeerAddress("a", 65_536)).hasMessageContaining("65536");
        assertThatThrownBy(() -> new PeerAddress("[::g]", 1)).hasMessageContaining("[::g]");
    }
}
