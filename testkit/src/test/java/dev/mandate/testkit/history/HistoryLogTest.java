package dev.mandate.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryLogTest {
    @TempDir
    Path folder;

    @Test
    void whatIsToldIsReadInTheOrderOfItsTimeAndOnce() throws Exception {
        HistoryReader reader = new HistoryReader(folder);
        try (HistoryLog a = new HistoryLog(folder, "a", 0);
                HistoryLog b = new HistoryLog(folder, "b", 3)) {
            a.tell(5, EventKind.BEGAN, 7, "");
            b.tell(-4, EventKind.UP, 9, "");
            assertThat(reader.read())
                    .containsExactly(
                            new Event(-4, "b", 3, EventKind.UP, 9, ""), new Event(5, "a", 0, EventKind.BEGAN, 7, ""));

            b.tell(1, EventKind.LOST, 7, "RESIGNED");
            assertThat(reader.read())
                    .hasSize(3)
                    .element(1)
                    .isEqualTo(new Event(1, "b", 3, EventKind.LOST, 7, "RESIGNED"));
        }
    }

    /** A process that is killed while it writes leaves half a line. */
    @Test
    void halfALineIsLeftOutUntilItIsWhole() throws Exception {
        HistoryReader reader = new HistoryReader(folder);
        String line = new Event(5, "a", 0, EventKind.BEGAN, 7, "").json();
        Path file = folder.resolve("a.0" + HistoryLog.ENDING);
        Files.writeString(file, line + "\n" + line.substring(0, 20));
        assertThat(reader.read()).hasSize(1);

        Files.writeString(file, line.substring(20) + "\n", StandardOpenOption.APPEND);
        assertThat(reader.read()).hasSize(2);
    }

    /** As a task is when its term is over. */
    @Test
    void anInterruptedThreadWritesOn() throws Exception {
        try (HistoryLog a = new HistoryLog(folder, "a", 0)) {
            Thread.currentThread().interrupt();
            a.tell(EventKind.LEFT, 7, "");
            assertThat(Thread.interrupted()).isTrue();
            a.tell(EventKind.CLOSED, 0, "");
        }
        assertThat(new HistoryReader(folder).read()).hasSize(2);
    }

    @Test
    void whatIsNoEventIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Event.parse("{}")).withMessageContaining("{}");
        assertThatIllegalArgumentException().isThrownBy(() -> new Event(1, "a\"", 0, EventKind.UP, 0, ""));
    }
}
