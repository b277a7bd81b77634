package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Called;
import dev.mandate.console.ExitCode;
import dev.mandate.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code mandate leader}: the leader's value and nothing else, and an exit code that says what is known. */
class LeaderCommandTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path temp;

    private String store;

    @BeforeEach
    void makeStore() {
        store = "sqlite:" + temp.resolve("store.db?lease=3s");
        ElectionClient.connect(store).close();
    }

    private Called call(String... more) {
        String[] args = new String[more.length + 4];
        System.arraycopy(new String[] {"leader", "invoices", "--store", store}, 0, args, 0, 4);
        System.arraycopy(more, 0, args, 4, more.length);
        return Called.with(Main.PROGRAM, Map.of(), args);
    }

    @Test
    void theValueIsAllThatIsPrinted() throws Exception {
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership led = client.election("invoices").campaign("http://10.0.0.7:8080")) {
            for (Called called : new Called[] {call(), call("--wait", "10s")}) {
                assertThat(called).isEqualTo(new Called(ExitCode.OK, "http://10.0.0.7:8080\n", ""));
            }
            led.proclaim("");
            assertThat(call().assertDone().out()).isEqualTo("\n");
        }
    }

    @Test
    void aVacantElectionPrintsNothingAndEndsWithTen() {
        call().assertRefused(ExitCode.VACANT, "nobody leads 'invoices' in sqlite:");
        call("--wait", "1ms").assertRefused(ExitCode.VACANT, "nobody leads 'invoices' in sqlite:");
        call("--wait", "300ms").assertRefused(ExitCode.VACANT, "nobody leads 'invoices' in sqlite:");
        Called json = call("--json");
        assertThat(json.code()).isEqualTo(ExitCode.VACANT);
        assertThat(json.out()).startsWith("{\"election\":\"invoices\",\"state\":\"vacant\",\"ageSeconds\":");
    }

    /** What nobody answered is no vacancy. */
    @Test
    void aStoreThatIsSilentEndsWithThree() {
        store = "etcd://127.0.0.1:1?connectTimeout=0s";
        call().assertRefused(ExitCode.UNAVAILABLE, "the leader of 'invoices' is unknown", "has not answered");
        call("--wait", "300ms").assertRefused(ExitCode.UNAVAILABLE, "the leader of 'invoices' is unknown");
        Called json = call("--json");
        assertThat(json.code()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(json.out()).startsWith("{\"election\":\"invoices\",\"state\":\"unknown\",\"ageSeconds\":");
    }

    @Test
    void aLeaderIsWaitedFor() throws Exception {
        AtomicReference<Called> called = new AtomicReference<>();
        Thread waiting = new Thread(() -> called.set(call("--wait", "60s")));
        waiting.start();
        Await.until(
                "somebody who waits",
                PATIENCE,
                () -> Stream.of(waiting.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().endsWith("Resolver")));
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership led = client.election("invoices").campaign("here")) {
            waiting.join(PATIENCE.toMillis());

            assertThat(called).hasValue(new Called(ExitCode.OK, "here\n", ""));
            assertThat(led.isValid()).isTrue();
        }
    }
}
