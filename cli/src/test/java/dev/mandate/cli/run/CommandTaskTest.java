package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.console.Console;
import dev.mandate.console.ExitCode;
import dev.mandate.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What becomes of {@code run} where a term passes without its command. The supervisors are real, the terms are told.
 */
class CommandTaskTest {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final RunStatus status = new RunStatus(Console.to(said, said), "größe", false);

    /** Has been prolonged, but too late for the supervisor, which was told of a deadline that has passed. */
    private final ToldTerm hasty = new ToldTerm(Duration.ZERO) {
        @Override
        public boolean isValid() {
            return true;
        }
    };

    private CommandTask task(boolean once) {
        return task(once, "exit 5");
    }

    private CommandTask task(boolean once, String script) {
        return task(once, script, name -> false);
    }

    private CommandTask task(boolean once, String script, Predicate<String> hidden) {
        return new CommandTask(
                List.of("sh", "-c", script), "someone", hidden, LEASE, Duration.ofSeconds(1), once, null, status);
    }

    private String said() {
        status.close();
        return said.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aSupervisorThatWasTooLateCostsATermAndNoMore() throws Exception {
        CommandTask task = task(false);

        task.run(hasty);
        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isFalse();

        task.run(new ToldTerm(LEASE));
        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isFalse();
        assertThat(task.exitCode()).isEqualTo(5);
        assertThat(said()).contains("the command was not started: its supervisor took longer");
    }

    @Test
    void whoRunsOnceEndsAsAfterALostLeadWhereItWasTooLate() throws Exception {
        CommandTask task = task(true);

        task.run(hasty);

        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isTrue();
        assertThat(task.exitCode()).isEqualTo(123);
    }

    @Test
    void whoRunsOnceEndsAsAfterALostLeadWhereTheTermWasOverBefore() throws Exception {
        CommandTask task = task(true);

        task.run(new ToldTerm(Duration.ZERO));

        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isTrue();
        assertThat(task.exitCode()).isEqualTo(123);
    }

    /** Where there is no room for a thread that waits for a process, its start says so with an error. */
    @Test
    void anErrorOfTheStartEndsRunAndLeavesNothingBehind(@TempDir Path folder) throws Exception {
        List<Path> used = new CopyOnWriteArrayList<>();
        CommandTask task = task(false, "echo " + folder, name -> {
            used.addAll(foldersWithCommand(folder.toString()));
            throw new InternalError("wanted by the test");
        });

        task.run(new ToldTerm(LEASE));

        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isTrue();
        assertThat(task.exitCode()).isEqualTo(ExitCode.RUN_FAILED);
        assertThat(said()).contains("the command could not be run: wanted by the test");
        assertThat(used).hasSize(1).noneMatch(Files::exists);
    }

    @Test
    void anErrorWithoutAMessageIsNamed() {
        CommandTask task = task(false, "exit 5", name -> {
            throw new StackOverflowError();
        });

        task.run(new ToldTerm(LEASE));

        assertThat(said()).contains("the command could not be run: java.lang.StackOverflowError");
    }

    /** As where there is no memory to say it. */
    @Test
    void anErrorThatCannotBeSaidEndsRun() throws Exception {
        InternalError mistake = new InternalError("wanted by the test") {
            @Override
            public String getMessage() {
                throw new InternalError("cannot be said");
            }
        };
        CommandTask task = task(false, "exit 5", name -> {
            throw mistake;
        });

        assertThatThrownBy(() -> task.run(new ToldTerm(LEASE))).hasMessage("cannot be said");

        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isTrue();
        assertThat(task.exitCode()).isEqualTo(ExitCode.RUN_FAILED);
    }

    /** The folders of supervisors whose command holds this text. */
    private static List<Path> foldersWithCommand(String text) {
        try {
            Path probe = Folders.create();
            Folders.delete(probe);
            try (Stream<Path> all = Files.list(probe.getParent())) {
                return all.filter(f -> holds(f.resolve("command"), text)).toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean holds(Path file, String text) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException e) {
            return false;
        }
    }

    /** Which ends after the lead was lost, and leaves {@code run} standing or not. */
    @ParameterizedTest
    @CsvSource({"true, 123", "false, 7"})
    void aLostLeadHasACodeOfItsOwnOnlyForWhoRunsOnce(boolean once, int code, @TempDir Path folder) throws Exception {
        Path up = folder.resolve("up");
        CommandTask task = task(once, "trap 'exit 7' TERM; touch " + up + "; while :; do sleep 0.05; done");
        Thread work = new Thread(() -> task.run(new ToldTerm(Duration.ofMinutes(1))));
        work.start();
        Await.until("the command", Duration.ofMinutes(1), () -> Files.exists(up));

        work.interrupt();
        work.join();

        assertThat(task.exitCode()).isEqualTo(code);
        assertThat(task.awaitEnd(Duration.ZERO)).as("whether run is over").isEqualTo(once);
    }
}
