package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A real command under a real supervisor; only the term is told by the test. */
abstract class SupervisedFixture {
    static final Duration LONG = Duration.ofMinutes(5);
    static final Duration SOON = Duration.ofSeconds(20);
    static final Duration TICK = Duration.ofMillis(10);
    static final Duration GRACE = Duration.ofMillis(300);

    final ToldTerm term = new ToldTerm(LONG);

    @TempDir
    Path temp;

    SupervisedCommand child;

    @AfterEach
    void close() throws IOException {
        if (child != null) {
            child.close();
            assertThat(child.session().members()).isEmpty();
        }
    }

    void start(String script) throws IOException {
        start(GRACE, "sh", "-c", script);
    }

    void start(Duration grace, String... command) throws IOException {
        child = SupervisedCommand.start(
                List.of(command),
                Span.of(term, "someone").variables(),
                term::remaining,
                name -> name.equals("HOME"),
                grace);
    }

    /** Starts one that begins with the signals of a terminal in force, however these tests were started. */
    void startAsInTerminal(String... command) throws IOException {
        List<String> line = new ArrayList<>(Signals.reset());
        line.addAll(List.of(command));
        start(GRACE, line.toArray(String[]::new));
    }

    int awaitEnd() throws IOException, InterruptedException {
        while (!child.awaitAndProlong(term::remaining, TICK)) {
            // The test's own time-out ends this.
        }
        assertThat(child.end()).isEqualTo(SupervisedCommand.End.ENDED);
        return child.exitCode();
    }

    /** The owner ends last; before it has started its session, that is empty, too. */
    void awaitDeath() throws IOException {
        Await.until(
                "the command to be dead",
                SOON,
                () -> ProcessHandle.of(child.session().id())
                        .filter(ProcessHandle::isAlive)
                        .isEmpty());
        assertThat(child.session().members()).isEmpty();
    }

    Path file(String name) {
        return temp.resolve(name);
    }

    void awaitFile(String name) {
        Await.until("the command to make " + name, SOON, () -> Files.exists(file(name)));
    }

    ProcessHandle timer() {
        return childOfOwner(commandLine -> commandLine.contains(child.folder() + "/supervisor"));
    }

    ProcessHandle command() {
        return childOfOwner(commandLine -> commandLine.contains("sh -c"));
    }

    ProcessHandle owner() {
        return ProcessHandle.of(child.session().id()).orElseThrow();
    }

    private ProcessHandle childOfOwner(Predicate<String> commandLine) {
        return Await.value(
                "a child of the owner",
                SOON,
                () -> owner().children()
                        .filter(p -> commandLine.test(p.info().commandLine().orElse("")))
                        .findFirst());
    }

    static void freeze(ProcessHandle process) throws Exception {
        signal(process, "STOP");
    }

    static void thaw(ProcessHandle process) throws Exception {
        signal(process, "CONT");
    }

    static void signal(ProcessHandle process, String name) throws Exception {
        new ProcessBuilder("kill", "-s", name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }
}
