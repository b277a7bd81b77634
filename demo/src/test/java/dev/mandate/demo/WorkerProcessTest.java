package dev.mandate.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Nobody waits for ever for a worker after an error on its thread. */
class WorkerProcessTest {
    /** A command that can't be read, as if there were no memory for it. */
    private static final List<String> BROKEN = new AbstractList<>() {
        @Override
        public String get(int index) {
            throw new OutOfMemoryError("wanted by the test");
        }

        @Override
        public int size() {
            return 1;
        }
    };

    @Test
    void anErrorOfTheStartIsAFailedStart() {
        CompletableFuture<WorkerProcess> starting = CompletableFuture.supplyAsync(
                () -> WorkerProcess.start("worker-1", new ProcessBuilder(BROKEN), (report, nanos) -> {}, ended -> {}));

        assertThatThrownBy(() -> starting.get(60, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.SETUP))
                .hasMessageContaining("a process could not be started")
                .hasMessageContaining("wanted by the test");
    }

    /** Nobody hears its reports any more, so it is killed. */
    @Test
    void anErrorOfWhoHearsItsReportsEndsIt() throws Exception {
        CompletableFuture<Process> over = new CompletableFuture<>();
        ProcessBuilder worker = new ProcessBuilder("sh", "-c", "echo sees 1; exec sleep 600");

        WorkerProcess.start(
                "worker-1",
                worker,
                (report, nanos) -> {
                    throw new OutOfMemoryError("wanted by the test");
                },
                over::complete);

        assertThat(over.get(60, TimeUnit.SECONDS).exitValue()).isEqualTo(137);
    }
}
