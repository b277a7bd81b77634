package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ServerPortsTest {
    /** Of 2,000 ports some six were not free while the choice itself still listened in copies that new processes held. */
    @Test
    void aChosenPortIsFreeWhileProcessesStart() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread starting = new Thread(() -> {
            while (!isOver.get()) {
                try {
                    new ProcessBuilder("/bin/true").start().waitFor();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        starting.start();
        try {
            for (int i = 0; i < 2_000; i++) {
                int port = ServerPorts.choose(List.of("a")).get("a");
                try (ServerSocket owner = new ServerSocket()) {
                    owner.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                }
            }
        } finally {
            isOver.set(true);
            starting.join();
        }
    }

    @Test
    void aPortThatSomebodyListensOnIsNotChosen() throws IOException {
        int port = ServerPorts.choose(List.of("a")).get("a");
        try (ServerSocket owner = new ServerSocket()) {
            owner.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));

            assertThat(ServerPorts.isFree(port)).isFalse();
        }
    }
}
