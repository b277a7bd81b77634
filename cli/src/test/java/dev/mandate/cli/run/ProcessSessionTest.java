package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessSessionTest {
    private final ProcessSession session = new ProcessSession(7);

    @TempDir
    private Path process;

    private void stat(String text) throws IOException {
        Files.writeString(process.resolve("stat"), text);
    }

    @Test
    void aProcessOfTheSessionIsAliveUnlessItIsAZombie() throws IOException {
        stat("12 (a) b) S 1 12 7 0 -1");
        assertThat(session.isAliveIn(process)).isTrue();
        stat("12 (a) b) Z 1 12 7 0 -1");
        assertThat(session.isAliveIn(process)).isFalse();
        stat("12 (a) b) S 1 12 8 0 -1");
        assertThat(session.isAliveIn(process)).isFalse();
    }

    @Test
    void whatIsNotThereHasEnded() throws IOException {
        assertThat(session.isAliveIn(process)).isFalse();
    }

    @Test
    void whatIsThereAndCannotBeReadHasNotEnded() throws IOException {
        // Reading a folder fails, as reading a file does when descriptors have run out.
        Files.createDirectory(process.resolve("stat"));

        assertThatThrownBy(() -> session.isAliveIn(process)).isInstanceOf(IOException.class);
    }
}
