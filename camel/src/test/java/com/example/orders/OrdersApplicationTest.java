package com.example.orders;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/camel.md, in two processes. */
class OrdersApplicationTest {
    private static final Duration PLENTY = Duration.ofSeconds(120);

    @TempDir
    private Path temp;

    @Test
    @Tag("long")
    void oneConsumesAndTheOtherTakesOver() throws Exception {
        Path inbox = Files.createDirectories(temp.resolve("inbox"));
        try (CandidateProcess first = start(inbox)) {
            put(inbox, "one");
            first.await("its file", PLENTY, line -> line.startsWith("consuming "));
            try (CandidateProcess second = start(inbox)) {
                first.terminate();
                first.awaitExit(PLENTY);
                put(inbox, "two");
                second.await("its file", PLENTY, line -> line.startsWith("consuming "));
                Await.until("the move", PLENTY, () -> Files.exists(inbox.resolve(".done/two")));
            }
        }
    }

    private CandidateProcess start(Path inbox) {
        return CandidateProcess.java(
                        OrdersApplication.class, "sqlite:" + temp.resolve("mandate.db") + "?lease=5s", inbox.toString())
                .start();
    }

    private void put(Path inbox, String name) throws Exception {
        Files.move(Files.writeString(temp.resolve(name), name), inbox.resolve(name));
    }
}
