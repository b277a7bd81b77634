package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class HostsTest {
    @Test
    void loopbackNamesAndAddressesAreKnownWithoutLookingThemUp() {
        for (String host : List.of(
                "localhost",
                "LOCALHOST",
                "127.0.0.1",
                "127.1.2.3",
                "[::1]",
                "[0:0:0:0:0:0:0:1]",
                "[::ffff:127.0.0.1]")) {
            assertThat(Hosts.isLoopback(host)).as(host).isTrue();
        }
        for (String host : List.of(
                "",
                "example.org",
                "localhost.example.org",
                "evil-localhost",
                "127.0.0.1.example.org",
                "127.0.0.1.nip.io",
                "10.0.0.7",
                "0.0.0.0",
                "[::]",
                "[fe80::1]",
                "[]",
                "::1",
                "127.1",
                "2130706433")) {
            assertThat(Hosts.isLoopback(host)).as(host).isFalse();
        }
    }

    @Test
    void thePortIsLeftOut() {
        assertThat(Hosts.withoutPort("localhost:7480")).isEqualTo("localhost");
        assertThat(Hosts.withoutPort("localhost")).isEqualTo("localhost");
        assertThat(Hosts.withoutPort("[::1]:80")).isEqualTo("[::1]");
        assertThat(Hosts.withoutPort("[::1]")).isEqualTo("[::1]");
    }
}
