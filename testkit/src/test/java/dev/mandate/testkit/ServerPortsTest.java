package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ServerPortsTest {
    /**
     * Of 2,000 ports some six were not free while the choice itself still listened in copies that new processes held.
     */
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

    /** The port of a server that is down for a moment is nobody else's, in this process or in another one. */
    @Test
    void noPortIsGivenTwice() throws Exception {
        Set<Integer> given = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 150; i++) {
            assertThat(given.add(ServerPorts.choose(List.of("a")).get("a"))).isTrue();
        }
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Chooser.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader ports = other.inputReader(StandardCharsets.UTF_8)) {
            List<Integer> theirs = ports.lines().map(Integer::valueOf).toList();
            assertThat(theirs).hasSize(Chooser.PORTS).doesNotContainAnyElementsOf(given);
        }
        assertThat(other.waitFor()).isZero();
    }

    /** Another process that chooses. */
    static final class Chooser {
        static final int PORTS = 1_000;

        private Chooser() {}

        public static void main(String[] args) {
            for (int i = 0; i < PORTS; i++) {
                System.out.println(ServerPorts.choose(List.of("a")).get("a"));
            }
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
