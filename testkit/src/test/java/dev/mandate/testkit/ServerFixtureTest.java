package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class ServerFixtureTest {
    @TempDir
    Path directory;

    @Test
    void aServerThatRunsIsReported() {
        new ServerFixture("made-up", directory, "").found("3.5.1\n(fetched)\t");

        assertThat(directory.resolve("made-up.txt")).hasContent("made-up\tfound\t3.5.1 (fetched)\n");
    }

    @Test
    void aMissingServerSkipsAndSaysSo() {
        ServerFixture madeUp = new ServerFixture("made-up", directory, "other");

        assertThatThrownBy(() -> madeUp.missing("no such program on the PATH; apt install it"))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContainingAll("made-up", "apt install");
        assertThat(directory.resolve("made-up.txt"))
                .hasContent("made-up\tmissing\tno such program on the PATH; apt install it\n");
    }

    @Test
    void aMissingServerThatIsDemandedFails() {
        for (String required : List.of("all", "made-up", "other, made-up")) {
            ServerFixture madeUp = new ServerFixture("made-up", directory, required);

            assertThatThrownBy(() -> madeUp.missing("not there"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("made-up", "MANDATE_SERVERS_REQUIRED", "not there");
        }
    }

    @Test
    void aNameThatIsNoFileNameIsRefused() {
        assertThatThrownBy(() -> new ServerFixture("../made-up", directory, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("../made-up");
    }

    @Test
    void programsAreFoundByNameOrPath() {
        assertThat(ServerFixture.program(List.of("no-such-program", "sh")))
                .hasValueSatisfying(p -> assertThat(p).isExecutable());
        assertThat(ServerFixture.program(List.of("/no/such/program"))).isEmpty();
    }
}
