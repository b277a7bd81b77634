package dev.mandate.examples.workers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Workers that are killed, frozen and asked to end queue each event once. Real processes and database, several stores.
 */
@Tag("long")
class ShowTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"sqlite:FOLDER/store.db?lease=2s", "peers?lease=2s"})
    void eachEventIsQueuedOnceWhoeverDies(String store) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Show.Count count;
        try (Show show = new Show(
                store.replace("FOLDER", folder.toString()),
                folder,
                new PrintStream(said, true, StandardCharsets.UTF_8))) {
            count = show.run();
        }

        assertThat(count.isRight()).as(said + "" + count).isTrue();
        assertThat(count.leaders()).as("leaders who queued").isGreaterThanOrEqualTo(4);
        assertThat(said.toString(StandardCharsets.UTF_8)).contains(" 0 more than once, ");
    }
}
