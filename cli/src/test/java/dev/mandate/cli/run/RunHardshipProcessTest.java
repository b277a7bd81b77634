package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mandate.cli.Main;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code run} where the machine is slow, or does not let it do what it has to. */
@Tag("long")
@Order(1)
class RunHardshipProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path temp;

    private final List<CandidateProcess> started = new ArrayList<>();

    @AfterEach
    void close() {
        started.forEach(CandidateProcess::close);
    }

    private List<String> running(String... arguments) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--election",
                "job",
                "--store",
                "sqlite:" + temp.resolve("store.db") + "?lease=2s&splay=0s",
                "--"));
        line.addAll(List.of(arguments));
        return line;
    }

    private CandidateProcess start(CandidateProcess.Builder builder) {
        CandidateProcess process = builder.start();
        started.add(process);
        return process;
    }

    /** Longer than belief lasts without renewal, and than a supervisor that runs may leave lines unread. */
    @ParameterizedTest
    @ValueSource(strings = {"1.7", "4"})
    void aSupervisorThatStartsSlowlyStartsTheCommandOfARenewedLead(String seconds) throws Exception {
        Path setsid = temp.resolve("bin/setsid");
        Files.createDirectories(setsid.getParent());
        Files.writeString(setsid, "#!/bin/sh\nsleep " + seconds + "\nPATH=${PATH#*:} exec setsid \"$@\"\n");
        assertThat(setsid.toFile().setExecutable(true)).isTrue();
        CandidateProcess run = start(CandidateProcess.command(
                        running("sh", "-c", "echo up; exec sleep 100").toArray(String[]::new))
                .environment("PATH", setsid.getParent() + ":" + System.getenv("PATH")));

        run.await("the command", PATIENCE, "up"::equals);

        assertThat(run.isAlive()).isTrue();
    }

    /** Its command is another user's, as under {@code sudo}. */
    @Test
    void aSupervisorThatMayNotKillDoesNotLookWithoutPause() throws Exception {
        List<String> powerless = List.of("setpriv", "--bounding-set", "-kill", "--inh-caps", "-kill");
        List<String> another = List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups");
        List<String> probe = new ArrayList<>(powerless);
        probe.addAll(another);
        probe.add("true");
        assumeThat(new ProcessBuilder(probe).inheritIO().start().waitFor())
                .as("whether this user may give up rights, and become another user")
                .isZero();
        List<String> command = new ArrayList<>(another);
        command.addAll(List.of("sh", "-c", "trap '' TERM; echo up; exec sleep 100"));
        List<String> line = new ArrayList<>(powerless);
        line.addAll(running(command.toArray(String[]::new)));
        CandidateProcess run = start(CandidateProcess.command(line.toArray(String[]::new)));
        run.await("the command", PATIENCE, "up"::equals);
        ProcessHandle owner =
                ProcessHandle.of(run.pid()).orElseThrow().children().findFirst().orElseThrow();
        ProcessHandle timer = childOf(owner, "/supervisor");
        ProcessHandle deathless = childOf(owner, "sleep 100");

        run.kill();

        // Once a second in the end. Before it kills it looks at its clocks five times a second.
        Await.until("the supervisor to look rarely", PATIENCE, () -> {
            long before = Waits.of(timer);
            TimeUnit.SECONDS.sleep(5);
            return Waits.of(timer) - before <= 7;
        });
        assertThat(deathless.isAlive()).isTrue();
        deathless.destroyForcibly();
        Await.until("the supervisor to end", PATIENCE, () -> !owner.isAlive() && !timer.isAlive());
    }

    private static ProcessHandle childOf(ProcessHandle parent, String commandLine) {
        return Await.value(
                "the process of " + commandLine,
                PATIENCE,
                () -> parent.children()
                        .filter(p -> p.info().commandLine().orElse("").contains(commandLine))
                        .findFirst());
    }
}
