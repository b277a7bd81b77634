package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LineWriterTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final Semaphore reader = new Semaphore(0);
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final LineWriter lines = new LineWriter(line -> {
        reader.acquireUninterruptibly();
        written.add(line);
    });

    @Test
    void nobodyWaitsForAReaderWhoDoesNotRead() {
        for (int i = 0; i < LineWriter.ROOM + 11; i++) {
            lines.say("line " + i);
        }
        lines.close();
        assertThat(written).isEmpty();

        reader.release(Integer.MAX_VALUE / 2);

        // One was being written, and made room.
        Await.until("all to be written", SOON, () -> written.size() == LineWriter.ROOM + 2);
        assertThat(written)
                .startsWith("line 0", "line 1")
                .endsWith("line " + LineWriter.ROOM, "10 lines were dropped: standard error was not read");
    }

    @Test
    void theEndWaitsForWhatWasSaid() {
        reader.release(2);

        lines.say("one");
        lines.say("two");
        lines.close();

        assertThat(written).containsExactly("one", "two");
    }
}
