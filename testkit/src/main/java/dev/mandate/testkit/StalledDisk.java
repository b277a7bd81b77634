package dev.mandate.testkit;

import java.time.Duration;

/**
 * A disk that stalls: from now on no {@code fsync} or {@code fdatasync} of a server returns, while the rest of it runs
 * on. Linux only, by the {@code strace} of the lock file, which must be allowed to trace.
 *
 * <p>Closing it ends the stall; so does the end of this JVM. A server that is killed meanwhile is gone only after that.
 * Idempotent.
 */
public final class StalledDisk implements AutoCloseable {
    private static final String NAME = "strace";

    /** Longer than any test; in microseconds. */
    private static final long DELAY_MICROS = 3_600_000_000L;

    private static final Duration ATTACHED_WITHIN = Duration.ofSeconds(30);

    private final CandidateProcess tracer;

    private StalledDisk(CandidateProcess tracer) {
        this.tracer = tracer;
    }

    /**
     * Stalls the disk of that server.
     *
     * @throws org.opentest4j.TestAbortedException if {@code strace} is missing or may not trace, and is not demanded
     * @throws AssertionError if it is
     */
    public static StalledDisk of(ServerProcess server) {
        ServerBinary binary = ServerBinary.named(NAME);
        CandidateProcess tracer = CandidateProcess.command(
                        binary.require().toString(),
                        "-f",
                        "-p",
                        Long.toString(server.pid()),
                        "-o",
                        "/dev/null",
                        "-e",
                        "trace=fsync,fdatasync",
                        "-e",
                        "inject=fsync,fdatasync:delay_enter=" + DELAY_MICROS)
                .named(NAME)
                .start();
        try {
            Await.until(
                    NAME + " to attach to " + server,
                    ATTACHED_WITHIN,
                    () -> !tracer.isAlive() || isSaid(tracer, "attached"));
        } catch (AssertionError e) {
            tracer.close();
            throw e;
        }
        if (!tracer.isAlive()) {
            String said = String.join(" ", tracer.log());
            tracer.close();
            throw ServerFixture.named(NAME).missing("it can't trace here: " + said);
        }
        binary.report(said(binary));
        return new StalledDisk(tracer);
    }

    private static boolean isSaid(CandidateProcess tracer, String word) {
        return tracer.log().stream().anyMatch(line -> line.contains(word));
    }

    private static String said(ServerBinary binary) {
        try (CandidateProcess version = CandidateProcess.command(
                        binary.require().toString(), "--version")
                .named(NAME)
                .start()) {
            return version.await("its version", ATTACHED_WITHIN, line -> line.contains("version"))
                    .replaceAll(".*version ", "");
        }
    }

    @Override
    public void close() {
        // The server goes on when its tracer is gone.
        tracer.close();
    }
}
