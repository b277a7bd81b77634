package com.example.invoices;

import dev.mandate.testkit.CandidateProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the page, twice. */
class InvoicesApplicationTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    private CandidateProcess start() {
        return CandidateProcess.java(
                        InvoicesApplication.class,
                        "--mandate.url=sqlite:" + folder.resolve("mandate.db") + "?lease=3s",
                        "--server.port=0")
                .start();
    }

    @Test
    @Tag("long")
    void theOtherSendsWhenTheFirstIsKilled() {
        try (CandidateProcess first = start()) {
            first.await("it to send", PATIENCE, line -> line.startsWith("sending invoices with token "));
            try (CandidateProcess other = start()) {
                other.await("it to be up", PATIENCE, line -> line.contains("Started InvoicesApplication"));
                first.kill();
                other.await("it to send", PATIENCE, line -> line.startsWith("sending invoices with token "));
            }
        }
    }
}
