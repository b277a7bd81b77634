package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.console.Called;
import dev.mandate.console.ExitCode;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Commands on a real Consul, whose shortest lease is 10 s. */
class ConsulCommandsServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @RegisterExtension
    static final ServerExtension CONSUL = new ServerExtension("consul", ConsulCommandsServerIT::consul);

    private static ServerProcess.Builder consul(ServerProcess.Builder builder) {
        return builder.ports("http", "server", "serf-lan", "serf-wan")
                .arguments("agent", "-dev", "-bind=127.0.0.1", "-client=127.0.0.1", "-ui=false", "-log-level=err")
                .arguments("-http-port={http}", "-server-port={server}")
                .arguments("-serf-lan-port={serf-lan}", "-serf-wan-port={serf-wan}")
                .arguments("-dns-port=-1", "-grpc-port=-1")
                .ready(server -> get(server, "/v1/status/leader").contains(":"))
                .version(
                        server -> get(server, "/v1/agent/self").replaceAll("(?s).*\"Version\": *\"([^\"]+)\".*", "$1"));
    }

    private static String get(ServerProcess server, String path) throws IOException {
        try (InputStream in = URI.create("http://127.0.0.1:" + server.port("http") + path)
                .toURL()
                .openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String url() {
        return "consul://127.0.0.1:" + CONSUL.server().port("http");
    }

    /** Consul grants no lease as short as the demo's own. */
    @Test
    void theDemoTakesALeaseThatConsulGrants() {
        String[] arguments = {"demo", "--workers", "2", "--watch", "1ms", "--store", url()};
        try (CandidateProcess demo =
                CandidateProcess.java(Main.class, arguments).start()) {
            assertThat(demo.awaitExit(PATIENCE))
                    .as("exit code; it said %s", demo.log())
                    .isZero();
            assertThat(demo.lines()).anyMatch(line -> line.contains("lease 10 s, store consul:"));
        }
    }

    /** No hint at rights, which would not help. */
    @Test
    void checksThatTheLockDelayDoesNotCoverAreBadInput() {
        Called.with(Main.PROGRAM, Map.of(), "explain", url() + "?checks=serfHealth&lock-delay=1s")
                .assertRefused(ExitCode.BAD_INPUT, "lock-delay is 1000 ms", "the lease 10000 ms");
    }
}
