package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Called;
import dev.mandate.console.ExitCode;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mandate completion}; {@code CompletionIT} has the shells. */
class CompletionTest {
    @TempDir
    private Path temp;

    private static Called call(String store, String... args) {
        // For a machine that is busy.
        return Called.with(Main.PROGRAM, Map.of("MANDATE_STORE", store, "MANDATE_COMPLETION_TIMEOUT", "120"), args);
    }

    @Test
    void namesOfElectionsAreThoseWithThePrefix() throws Exception {
        String store = "sqlite:" + temp.resolve("store.db") + "?connectTimeout=60s&lease=2m";
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership invoices = client.election("invoices").campaign("");
                Leadership reports = client.election("reports").campaign("")) {
            assertThat(invoices.isValid() && reports.isValid()).isTrue();

            assertThat(call(store, "completion", "--elections", "inv")
                            .assertDone()
                            .out())
                    .isEqualToNormalizingNewlines("invoices\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"etcd://127.0.0.1:1?connectTimeout=1s", "memory:x", "nonsense", "sqlite:/missing/store.db"})
    void aStoreThatIsAwayIsNoError(String store) {
        Called called = call(store, "completion", "--elections", "");

        assertThat(called.assertDone().out()).isEmpty();
        assertThat(called.err()).isEmpty();
    }

    @Test
    void theScriptNamesEveryCommandThatTakesAnElection() {
        String script = call("memory:x", "completion", "bash").assertDone().out();

        assertThat(script)
                .contains("complete -F _mandate", "run) named='--election'")
                .contains("observe) named=''", "leader) named=''", "status) named=''", "evict) named=''")
                .doesNotContain("@ELECTIONS@", "complete -F _complete_mandate");
        assertThat(call("memory:x", "completion", "zsh").assertDone().out()).isEqualTo(script);
    }

    @Test
    void anotherShellIsRefusedInOneSentence() {
        call("memory:x", "completion", "fish").assertRefused(ExitCode.BAD_INPUT, "'fish'", "bash or zsh");
    }
}
