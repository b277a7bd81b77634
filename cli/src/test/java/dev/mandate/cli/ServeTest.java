package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.console.Called;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code serve} takes, what it refuses, and what it prints. */
class ServeTest {
    private static final String SECRET = "Canary7yrucse-and-more";

    @TempDir
    private Path temp;

    private String store = "";

    @BeforeEach
    void make() {
        store = "sqlite:" + temp.resolve("store.db");
        ElectionClient.connect(store).close();
    }

    private Called serve(String... args) {
        String[] all = new String[args.length + 4];
        all[0] = "serve";
        System.arraycopy(args, 0, all, 1, args.length);
        all[args.length + 1] = store;
        all[args.length + 2] = "--for";
        all[args.length + 3] = "200ms";
        return Called.with(Main.PROGRAM, Map.of("TOKEN", SECRET, "SHORT", "short", "HOME", temp.toString()), all);
    }

    @Test
    void itPrintsWhereItServesAndToWhom() throws Exception {
        Called served = serve("--port", "0").assertDone();

        assertThat(served.out()).matches("http://127\\.0\\.0\\.1:[0-9]+/\n");
        assertThat(served.err())
                .contains("serving who leads in sqlite:", "this machine only", "stop it with INT or TERM");
        assertThat(serve("--port", "0", "--bind", "::1").assertDone().out()).startsWith("http://[");
        Called guarded = serve("--port", "0", "--bind", "0.0.0.0", "--token-env", "TOKEN")
                .assertDone();
        assertThat(guarded.err()).contains("clients that send the token").doesNotContain(SECRET);
        Path file = Files.writeString(temp.resolve("token"), SECRET + "\n");
        assertThat(serve("--port", "0", "--bind", "0.0.0.0", "--token-file", file.toString())
                        .assertDone()
                        .out())
                .startsWith("http://0.0.0.0:");
    }

    @Test
    void whatCannotBeServedIsRefusedInASentence() throws Exception {
        serve("--port", "70000").assertRefused(2, "--port is 70000", "65535");
        serve("--port", "x").assertRefused(2, "--port", "'x' is not a whole number");
        serve("--bind", "0.0.0.0", "--port", "0").assertRefused(2, "0.0.0.0", "other machines", "token", "127.0.0.1");
        serve("--bind", "no.such.host.invalid", "--port", "0").assertRefused(2, "no.such.host.invalid");
        serve("--token-env", "NONE").assertRefused(2, "NONE", "not set");
        serve("--token-env", "SHORT").assertRefused(2, "5 characters", "16");
        serve("--token-env", "TOKEN", "--token-file", "x")
                .assertRefused(2, "--token-file", "--token-env", "one of them");
        serve("--token-file", temp.resolve("none").toString()).assertRefused(2, "none", "can't be read");
        Files.writeString(temp.resolve("short"), "short");
        serve("--token-file", temp.resolve("short").toString()).assertRefused(2, "5 characters");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            serve("--port", Integer.toString(taken.getLocalPort()))
                    .assertRefused(2, "cannot listen on 127.0.0.1, port " + taken.getLocalPort(), "in use");
        }
        store = "memory:x";
        serve("--port", "0").assertRefused(2, "one process alone");
    }
}
