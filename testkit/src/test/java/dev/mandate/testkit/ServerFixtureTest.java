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
        new ServerFixture("acme", directory, "").found("3.5.1\n(fetched)\t");

        assertThat(directory.resolve("acme.txt")).hasContent("acme\tfound\t3.5.1 (fetched)\n");
    }

    @Test
    void aMissingServerSkipsAndSaysSo() {
        ServerFixture acme = new ServerFixture("acme", directory, "other");

        assertThatThrownBy(() -> acme.missing("no acme on the PATH; apt install acme"))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContainingAll("acme", "apt install");
        assertThat(directory.resolve("acme.txt")).hasContent("acme\tskipped\tno acme on the PATH; apt install acme\n");
    }

    @Test
    void aMissingServerThatIsDemandedFails() {
        for (String required : List.of("all", "acme", "other, acme")) {
            ServerFixture acme = new ServerFixture("acme", directory, required);

            assertThatThrownBy(() -> acme.missing("no acme"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("acme", "MANDATE_SERVERS_REQUIRED", "no acme");
        }
    }

    @Test
    void aNameThatIsNoFileNameIsRefused() {
        assertThatThrownBy(() -> new ServerFixture("../acme", directory, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("../acme");
    }

    @Test
    void programsAreFoundByNameOrPath() {
        assertThat(ServerFixture.program(List.of("no-such-program", "sh")))
                .hasValueSatisfying(p -> assertThat(p).isExecutable());
        assertThat(ServerFixture.program(List.of("/no/such/program"))).isEmpty();
    }
}
