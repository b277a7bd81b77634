package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CandidateProcessTest {
    private static final Duration PLENTY = Duration.ofSeconds(60);

    /** Answers every line it reads; says what the environment told it to say. */
    static final class Echo {
        public static void main(String[] arguments) throws IOException {
            System.err.println("complaint");
            System.out.println("ready " + arguments[0] + " " + System.getenv("WORD"));
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("exit")) {
                    System.exit(7);
                }
                System.out.println("heard " + line);
            }
        }
    }

    @Test
    void aJavaProgramTalksAndEnds() {
        try (CandidateProcess echo =
                CandidateProcess.java(Echo.class, "x").environment("WORD", "w").start()) {
            assertThat(echo.await("its start", PLENTY, line -> line.startsWith("ready")))
                    .isEqualTo("ready x w");
            echo.send("one");
            echo.send("two");
            assertThat(echo.await("the second answer", PLENTY, line -> line.endsWith("two")))
                    .isEqualTo("heard two");
            assertThat(echo.lines()).containsExactly("ready x w", "heard one", "heard two");
            echo.send("exit");

            assertThat(echo.awaitExit(PLENTY)).isEqualTo(7);
            Await.until("its complaint", PLENTY, () -> echo.log().contains("err: complaint"));
        }
    }

    @Test
    void aFrozenProcessAnswersOnlyAfterItIsThawed() {
        try (CandidateProcess cat = CandidateProcess.command("cat").start()) {
            cat.send("before");
            cat.await("an answer", PLENTY, "before"::equals);
            cat.freeze();
            cat.send("frozen");
            assertThat(cat.isAlive()).isTrue();
            assertThat(cat.lines()).containsExactly("before");

            cat.thaw();

            cat.await("an answer", PLENTY, "frozen"::equals);
        }
    }

    /** Its end is known at once, but its lines have to be read first. */
    @Test
    void whatItSaidLastIsThereOnceItHasEnded() {
        for (int i = 0; i < 20; i++) {
            try (CandidateProcess talker =
                            CandidateProcess.command("seq", "5000").start();
                    CandidateProcess complainer = CandidateProcess.command("sh", "-c", "seq 4000 >&2; echo why >&2")
                            .start()) {
                talker.awaitExit(PLENTY);
                assertThat(talker.lines()).hasSize(5000);
                complainer.awaitExit(PLENTY);
                assertThat(complainer.tail()).endsWith("err: why");
            }
        }
    }

    /** As on a busy machine, where a kill comes before the reader: a trial must not miss what a leader did. */
    @Test
    void whatItSaidBeforeAKillIsThereThoughUnread(@TempDir Path folder) {
        Path written = folder.resolve("written");
        try (CandidateProcess talker = CandidateProcess.command(
                        "sh", "-c", "seq 5000; touch '" + written + "'; sleep 600")
                .start()) {
            // Nothing is read while its first line is looked at.
            talker.await("its first line", PLENTY, line -> {
                Await.until("all lines to be written", PLENTY, () -> Files.exists(written));
                talker.kill();
                return true;
            });

            assertThat(talker.lines()).hasSize(5000);
        }
    }

    @Test
    void killEndsItEvenWhenFrozen() {
        try (CandidateProcess cat = CandidateProcess.command("cat").start()) {
            cat.freeze();

            cat.kill();

            assertThat(cat.isAlive()).isFalse();
            assertThat(cat.awaitExit(PLENTY)).isEqualTo(128 + 9);
        }
    }

    @Test
    void signalsReachTheWholeGroup(@TempDir Path folder) {
        try (CandidateProcess shell = CandidateProcess.command("sh", "-c", "sleep 600 & echo child $!; wait")
                .directory(folder)
                .start()) {
            String line = shell.await("its child", PLENTY, l -> l.startsWith("child"));
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(line.substring(6))).orElseThrow();

            shell.kill();

            Await.until("the child's end", PLENTY, () -> !child.isAlive());
            assertThatThrownBy(shell::freeze).isInstanceOf(AssertionError.class).hasMessageContaining("has ended");
        }
    }

    @Test
    void whatItLeavesBehindIsKilledWithIt() {
        try (CandidateProcess shell = CandidateProcess.command("sh", "-c", "sleep 600 & echo child $!")
                .start()) {
            String line = shell.await("its child", PLENTY, l -> l.startsWith("child"));
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(line.substring(6))).orElseThrow();
            shell.awaitExit(PLENTY);
            assertThat(child.isAlive()).isTrue();

            shell.close();

            Await.until("the child's end", PLENTY, () -> !child.isAlive());
        }
    }

    /** Threads are numbered like processes: where they come and go, numbers come round within seconds. */
    @Test
    void whoeverGotItsNumberIsNotKilled() {
        try (CandidateProcess first = CandidateProcess.command("true").start()) {
            first.awaitExit(PLENTY);
            try (CandidateProcess second = ReusedNumber.start(first.pid())) {
                first.close();

                second.send("still here");
                second.await("its echo", PLENTY, "still here"::equals);
            }
        }
    }

    /** Starts a process and waits to be killed. */
    static final class Parent {
        public static void main(String[] arguments) throws IOException {
            CandidateProcess child = CandidateProcess.command("sleep", "600").start();
            System.out.println("child " + child.pid());
            System.in.read();
        }
    }

    @Test
    void itDiesWithAParentThatIsKilled() {
        Assumptions.assumeTrue(
                ServerFixture.program(List.of("setpriv")).isPresent(),
                "no setpriv on the PATH; apt install util-linux");
        try (CandidateProcess parent = CandidateProcess.java(Parent.class).start()) {
            String line = parent.await("its child", PLENTY, l -> l.startsWith("child"));
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(line.substring(6))).orElseThrow();
            assertThat(child.isAlive()).isTrue();

            parent.kill();

            // It leads a group of its own, so the signal to the parent's group did not reach it.
            Await.until("the child's end", PLENTY, () -> !child.isAlive());
        }
    }

    @Test
    void terminateAsksPolitely() {
        try (CandidateProcess shell = CandidateProcess.command(
                        "sh", "-c", "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.05; done")
                .start()) {
            shell.await("its start", PLENTY, "up"::equals);

            shell.terminate();

            shell.await("its farewell", PLENTY, "bye"::equals);
            assertThat(shell.awaitExit(PLENTY)).isEqualTo(3);
        }
    }

    @Test
    void aWaitEndsWithTheOutputAndShowsIt() {
        try (CandidateProcess shell =
                CandidateProcess.command("sh", "-c", "echo only; echo oops >&2").start()) {
            assertThatThrownBy(() -> shell.await("more", PLENTY, "more"::equals))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContainingAll("more", "only");
        }
    }

    @Test
    void aCommandThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> {
                    try (CandidateProcess none =
                            CandidateProcess.command("no-such-program-here").start()) {
                        none.await("anything", PLENTY, line -> true);
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no-such-program-here");
    }
}
