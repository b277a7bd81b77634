package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class ServerBinaryTest {
    @TempDir
    Path folder;

    /** What comes of a script that does this. */
    private ServerBinary asked(String... lines) throws IOException {
        Path script = folder.resolve("script");
        Files.writeString(script, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return ServerBinary.ask(script, List.of("path", "--long"), "made-up");
    }

    @Test
    void aProgramThatTheMachineHasIsFound() throws IOException {
        ServerBinary binary = asked("printf 'found\\t1.2\\t/opt/my server/made-up\\n'");

        assertThat(binary.path()).contains(Path.of("/opt/my server/made-up"));
        assertThat(binary.require()).isEqualTo(Path.of("/opt/my server/made-up"));
        assertThat(binary.isFetched()).isFalse();
        assertThat(binary.reason()).isEmpty();
    }

    @Test
    void aFetchedOneIsKnownAsSuchEvenWithAWarning() throws IOException {
        ServerBinary binary = asked("echo 'servers: warning' >&2", "printf 'fetched\\t1.2\\t/cache/made-up\\n'");

        assertThat(binary.path()).contains(Path.of("/cache/made-up"));
        assertThat(binary.isFetched()).isTrue();
    }

    @Test
    void theScriptIsAskedForThatName() throws IOException {
        assertThat(asked("echo \"got $*\" >&2; exit 1").reason()).isEqualTo("got path --long made-up");
    }

    @Test
    void whereThereIsNoneTheReasonIsThatOfTheScript() throws IOException {
        ServerBinary binary = asked("echo 'servers: made-up: no allowed version' >&2; exit 1");

        assertThat(binary.path()).isEmpty();
        assertThat(binary.reason()).isEqualTo("servers: made-up: no allowed version");
        assertThatThrownBy(() -> binary.require(new ServerFixture("made-up", folder, "")))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContainingAll("made-up", "no allowed version");
    }

    @Test
    void aScriptThatSaysNothingOrCannotRunIsAReasonToo() throws IOException {
        assertThat(asked("exit 0").reason()).contains("said nothing");
        assertThat(ServerBinary.ask(folder.resolve("none"), List.of(), "made-up")
                        .reason())
                .contains("can't be run", folder.resolve("none").toString());
    }

    @Test
    void theScriptOfThisProjectIsFound() {
        assertThat(ServerBinary.named("no-such-server").reason()).contains("no server is named 'no-such-server'");
    }

    @Test
    void aPlaceholderThatNamesNoPortIsRefused() throws IOException {
        ServerProcess.Builder server = ServerProcess.of(asked("printf 'found\\t1.2\\t/bin/true\\n'"))
                .ports("client")
                .arguments("--listen={web}")
                .ready(s -> true)
                .version(s -> "1.2");

        assertThatThrownBy(server::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("--listen={web}", "{web}", "client, data");
    }

    @Test
    void aServerNobodyAsksIsRefused() throws IOException {
        ServerProcess.Builder server = ServerProcess.of(asked("printf 'found\\t1.2\\t/bin/true\\n'"));

        assertThatThrownBy(server::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("made-up", "ready", "version");
    }
}
