package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class StrangersTest {
    private final Strangers<String> strangers = new Strangers<>(4);

    private static InetAddress from(int host) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oneAddressAloneCannotKeepOthersOut() {
        strangers.add("member", from(1));
        for (int i = 0; i < 3; i++) {
            assertThat(strangers.add("stranger " + i, from(2))).isNull();
        }
        for (int i = 3; i < 1_000; i++) {
            assertThat(strangers.add("stranger " + i, from(2))).isEqualTo("stranger " + (i - 3));
            assertThat(strangers.size()).isEqualTo(4);
        }
        assertThat(strangers.remove("member")).isTrue();
    }

    @Test
    void amongManyAddressesTheOldestGoes() {
        for (int i = 0; i < 4; i++) {
            strangers.add("" + i, from(i));
        }
        assertThat(strangers.add("4", from(4))).isEqualTo("0");
        assertThat(strangers.add("5", from(5))).isEqualTo("1");
    }

    @Test
    void whoLeftMakesRoom() {
        for (int i = 0; i < 4; i++) {
            strangers.add("" + i, from(i));
        }
        assertThat(strangers.remove("2")).isTrue();
        assertThat(strangers.remove("2")).isFalse();
        assertThat(strangers.add("4", from(9))).isNull();
        assertThat(strangers.all()).containsExactly("0", "1", "3", "4");
    }
}
