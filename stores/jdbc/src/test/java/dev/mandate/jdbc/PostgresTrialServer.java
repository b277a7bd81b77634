package dev.mandate.jdbc;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.TrialServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A PostgreSQL of one trial: a process for every connection, which are frozen and killed together. */
final class PostgresTrialServer implements TrialServer {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path data;
    private EmbeddedPostgres postgres;
    private boolean isClosed;

    PostgresTrialServer() throws IOException {
        this.data = Files.createTempDirectory("mandate-trial-postgres-");
        this.postgres = settings().start();
    }

    private EmbeddedPostgres.Builder settings() {
        return EmbeddedPostgres.builder().setDataDirectory(data).setCleanDataDirectory(false);
    }

    @Override
    public int port() {
        return postgres.getPort();
    }

    @Override
    public void freeze() throws Exception {
        signal("STOP");
    }

    @Override
    public void thaw() throws Exception {
        signal("CONT");
    }

    @Override
    public void restart() throws Exception {
        kill();
        postgres = settings().setPort(postgres.getPort()).start();
    }

    @Override
    public void restartWithoutData() throws Exception {
        kill();
        clear();
        restart();
    }

    private void kill() throws Exception {
        List<ProcessHandle> all = processes();
        signal("KILL");
        Await.until(
                "the processes of PostgreSQL to be gone",
                PATIENCE,
                () -> all.stream().noneMatch(ProcessHandle::isAlive));
        // Gives back its lock of the folder.
        postgres.close();
    }

    /** The first one and all that it started; none if it does not run. */
    private List<ProcessHandle> processes() throws IOException {
        Path file = data.resolve("postmaster.pid");
        if (!Files.exists(file)) {
            return List.of();
        }
        List<ProcessHandle> all = new ArrayList<>();
        ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0).strip()))
                .ifPresent(first -> {
                    all.add(first);
                    first.descendants().forEach(all::add);
                });
        return all;
    }

    private void signal(String signal) throws Exception {
        List<String> command = new ArrayList<>(List.of("kill", "-s", signal, "--"));
        processes().forEach(process -> command.add(Long.toString(process.pid())));
        if (command.size() > 4) {
            // One that has just ended is no failure.
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        }
    }

    private void clear() throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(data)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            kill();
            clear();
            Files.delete(data);
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL in " + data + " can't be stopped", e);
        } catch (Exception e) {
            throw new IllegalStateException("PostgreSQL in " + data + " can't be stopped", e);
        }
    }
}
