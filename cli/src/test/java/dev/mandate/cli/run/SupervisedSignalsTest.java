package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals to a supervised command, and to its supervisor. */
@Tag("long")
class SupervisedSignalsTest extends SupervisedFixture {
    private long linesOf(String name) throws IOException {
        return Files.readString(file(name)).lines().count();
    }

    @Test
    void leavesNoSignalIgnoredOrBlocked() throws Exception {
        start("grep -E 'Sig(Ign|Blk)' /proc/self/status >" + file("signals"));

        awaitEnd();
        for (String line : Files.readAllLines(file("signals"))) {
            // All of them, but for what this process itself ignores, and 32 and 33: the C library uses those itself,
            // and
            // its posix_spawn leaves them ignored.
            long mask =
                    Long.parseUnsignedLong(line.substring(line.indexOf(':') + 1).strip(), 16);
            assertThat(mask & ~Signals.ignored() & ~(3L << 31)).as(line).isZero();
        }
    }

    /**
     * As a service manager does that stops, or signals, every process of a service: the command's way to end is its
     * own.
     */
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "ALRM", "TSTP"})
    void aSignalToAllProcessesKillsNothing(String name) throws Exception {
        requireNotIgnored(name);
        // It waits without a process: TSTP would stop that one, and a shell which waits for it runs no trap.
        startAsInTerminal(
                "bash",
                "-c",
                "exec 4<> <(:); wait; trap 'echo >>" + file("got") + "' " + name + "; echo >" + file("up")
                        + "; while [[ ! -e " + file("go") + " ]]; do read -r -t 0.01 -u 4; done; exit 9");
        awaitFile("up");
        Process kill = new ProcessBuilder(
                        "pkill", "-" + name, "-s", Long.toString(child.session().id()))
                .start();
        assertThat(kill.waitFor()).isZero();
        awaitFile("got");

        // Longer than the grace, after which a stop would have killed it.
        assertThat(child.awaitAndProlong(term::remaining, GRACE.multipliedBy(3)))
                .isFalse();

        Files.createFile(file("go"));
        assertThat(awaitEnd()).isEqualTo(9);
    }

    /** Under {@code nohup}, where {@code env} is too old to undo that, no shell can trap it. */
    private static void requireNotIgnored(String name) {
        long bit = 1L << (dev.mandate.cli.run.Signals.number(name) - 1);
        assumeThat(Signals.reset().isEmpty() && (Signals.ignored() & bit) != 0)
                .as("whether " + name + " is ignored by what runs the tests")
                .isFalse();
    }

    /**
     * A handler comes too late for a signal that comes at once: that would kill the timer, and the command with it. And
     * a handler that interrupts the owner just as the command ends makes bash lose the command's exit code.
     */
    @Test
    void theTimerAndTheOwnerIgnoreSignalsWhileTheCommandRuns() throws Exception {
        start("echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        // Bash itself lets a job that it has just forked stop, for an instant.
        for (String name : List.of("TERM", "INT", "HUP", "QUIT", "USR1", "TSTP")) {
            Await.until("the timer to ignore " + name, SOON, () -> isIgnored(timer(), name));
            Await.until("the owner to ignore " + name, SOON, () -> isIgnored(owner(), name));
        }
    }

    private static boolean isIgnored(ProcessHandle process, String signal) throws IOException {
        String ignored = Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .findFirst()
                .orElseThrow();
        long mask = Long.parseUnsignedLong(
                ignored.substring(ignored.indexOf(':') + 1).strip(), 16);
        return (mask >> (dev.mandate.cli.run.Signals.number(signal) - 1) & 1) == 1;
    }

    /** The supervisor takes some 20 ms to start, and longer on a busy machine. */
    @Test
    void aSignalThatComesBeforeTheCommandReachesIt() throws Exception {
        // No child that lasts: one that was just forked loses the signal to the trap that it has not put down yet.
        start("trap 'exit 7' TERM; echo >" + file("up") + "; while :; do sleep 0.01; done");

        child.signal("TERM");

        Await.until("the command to end", SOON, () -> child.awaitAndProlong(term::remaining, TICK));
        // By its trap, or before it had one.
        assertThat(child.exitCode()).isIn(7, 143);
    }

    @Test
    void aStopThatComesBeforeTheCommandStopsIt() throws Exception {
        start(LONG, "sh", "-c", "trap 'exit 7' TERM; sleep 100 & wait");

        child.hurry();

        Await.until("the command to end", SOON, () -> child.awaitAndProlong(term::remaining, TICK));
        // Not started, or ended by its trap, or before it had one.
        assertThat(child.exitCode()).isIn(124, 7, 143);
        assertThat(child.end())
                .isEqualTo(child.exitCode() == 124 ? SupervisedCommand.End.TOO_LATE : SupervisedCommand.End.ENDED);
    }

    @Test
    void passesOnSignalsToTheWholeGroup() throws Exception {
        requireNotIgnored("HUP");
        requireNotIgnored("INT");
        startAsInTerminal(
                "sh",
                "-c",
                "trap 'echo >>" + file("hup") + "' HUP; echo >" + file("up") + "; sh -c 'trap \"echo >>" + file("hup")
                        + "; exit\" HUP; while :; do sleep 0.01; done' & while :; do sleep 0.01; done");
        awaitFile("up");
        Await.until(
                "the inner shell to be there",
                SOON,
                () -> child.session().members().size() >= 4);

        Await.until("both to have got it", SOON, () -> {
            child.signal("HUP");
            return Files.exists(file("hup")) && linesOf("hup") >= 2;
        });

        child.signal("INT");
        assertThat(awaitEnd()).isEqualTo(130);
    }

    /** Bash leaves its loops where a job is stopped by TSTP. */
    @ParameterizedTest
    @ValueSource(strings = {"STOP", "TSTP", "TTIN", "TTOU"})
    void aStoppedCommandHasNotEnded(String name) throws Exception {
        start("echo >" + file("up") + "; kill -" + name + " $$; exit 7");
        awaitFile("up");
        Await.until(
                "the command to be stopped",
                SOON,
                () -> Files.readString(Path.of("/proc", Long.toString(command().pid()), "stat"))
                        .contains(") T "));

        assertThat(child.awaitAndProlong(term::remaining, Duration.ofMillis(300)))
                .isFalse();

        child.signal("CONT");
        assertThat(awaitEnd()).isEqualTo(7);
    }
}
