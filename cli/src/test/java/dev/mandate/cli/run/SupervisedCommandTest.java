package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mandate.cli.Arguments;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Signals;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real commands under a real supervisor; only the term is told by the test. */
class SupervisedCommandTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TICK = Duration.ofMillis(10);
    private static final Duration GRACE = Duration.ofMillis(300);

    private final ToldTerm term = new ToldTerm(LONG);

    @TempDir
    private Path temp;

    private SupervisedCommand child;

    @AfterEach
    void close() throws IOException {
        if (child != null) {
            child.close();
            assertThat(child.session().members()).isEmpty();
        }
    }

    private void start(String script) throws IOException {
        start(GRACE, "sh", "-c", script);
    }

    private void start(Duration grace, String... command) throws IOException {
        child = SupervisedCommand.start(List.of(command), term, "someone", name -> name.equals("HOME"), grace);
    }

    private int awaitEnd() throws IOException, InterruptedException {
        while (!child.awaitAndProlong(term, TICK)) {
            // The test's own time-out ends this.
        }
        assertThat(child.end()).isEqualTo(SupervisedCommand.End.ENDED);
        return child.exitCode();
    }

    /** The owner ends last; before it has started its session, that is empty, too. */
    private void awaitDeath() throws IOException {
        Await.until(
                "the command to be dead",
                SOON,
                () -> ProcessHandle.of(child.session().id())
                        .filter(ProcessHandle::isAlive)
                        .isEmpty());
        assertThat(child.session().members()).isEmpty();
    }

    private Path file(String name) {
        return temp.resolve(name);
    }

    private void awaitFile(String name) {
        Await.until("the command to make " + name, SOON, () -> Files.exists(file(name)));
    }

    private long linesOf(String name) throws IOException {
        return Files.readString(file(name)).lines().count();
    }

    @Test
    void passesOnTheExitCode() throws Exception {
        start("exit 7");

        assertThat(awaitEnd()).isEqualTo(7);
    }

    @Test
    void passesOnTheSignalThatEndedIt() throws Exception {
        start("kill -KILL $$");

        assertThat(awaitEnd()).isEqualTo(137);
    }

    @Test
    void tellsTheCommandItsTermAndHidesWhatIsToBeHidden() throws Exception {
        start("env >" + file("env"));

        awaitEnd();
        assertThat(Files.readString(file("env")).lines())
                .contains("MANDATE_ELECTION=größe", "MANDATE_TOKEN=42", "MANDATE_CANDIDATE=someone")
                .noneMatch(line -> line.startsWith("HOME="))
                .anyMatch(line -> line.startsWith("PATH="));
    }

    @Test
    void passesArgumentsByteForByte() throws Exception {
        byte[] latin1 = "größe\n\t \"'$HOME*".getBytes(StandardCharsets.ISO_8859_1);

        start(GRACE, "sh", "-c", "printf %s \"$1\" >" + file("argument"), "sh", Arguments.text(latin1));

        awaitEnd();
        assertThat(Files.readAllBytes(file("argument"))).isEqualTo(latin1);
    }

    @Test
    void runsTheProgramAndNotTheShellsOwnCommandOfThatName() throws Exception {
        start(GRACE, "exit", "3");

        while (!child.awaitAndProlong(term, TICK)) {
            // There is no program of that name.
        }
        assertThat(child.exitCode()).isEqualTo(127);
    }

    @Test
    void givesTheCommandNoFileButItsThreeStreams() throws Exception {
        start("ls /proc/self/fd >" + file("open"));

        awaitEnd();
        // The fourth is the folder that ls reads.
        assertThat(Files.readString(file("open")).lines()).containsExactly("0", "1", "2", "3");
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

    /** As a service manager does that stops, or signals, every process of a service: the command's way to end is its own. */
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "ALRM", "TSTP"})
    void aSignalToAllProcessesKillsNothing(String name) throws Exception {
        start("trap 'echo >>" + file("got") + "' " + name + "; echo >" + file("up") + "; while [ ! -e " + file("go")
                + " ]; do sleep 0.01; done; exit 9");
        awaitFile("up");
        Process kill = new ProcessBuilder(
                        "pkill", "-" + name, "-s", Long.toString(child.session().id()))
                .start();
        assertThat(kill.waitFor()).isZero();
        awaitFile("got");

        // Longer than the grace, after which a stop would have killed it.
        assertThat(child.awaitAndProlong(term, GRACE.multipliedBy(3))).isFalse();

        Files.createFile(file("go"));
        assertThat(awaitEnd()).isEqualTo(9);
    }

    /** Whatever the wall clock says, the command is dead when the time since boot says so. A later wall time is a clock set back since. */
    @Test
    void aWallClockThatIsSetBackProlongsNothing() throws Exception {
        assertDeadInTime(Duration.ofDays(1));
    }

    /** A clock that is set forward may end the command early, and never late. */
    @Test
    void aWallClockThatIsSetForwardProlongsNothing() throws Exception {
        assertDeadInTime(Duration.ofDays(-1));
    }

    private void assertDeadInTime(Duration wallStep) throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");
        Instants now = Instants.now();
        Instants termOver = now.plus(Duration.ofMillis(500));
        long wall = wallStep.toMillis();

        child.send("lead " + (termOver.wall() + wall) + " " + termOver.up() + " "
                + (termOver.wall() + wall + GRACE.toMillis()) + " " + (termOver.up() + GRACE.toMillis()));
        awaitDeath();

        assertThat(Instants.now().up() - termOver.up()).isLessThan(GRACE.toMillis() + 2_000);
    }

    @Test
    void aRehearsalFindsNothingMissingHere() throws Exception {
        SupervisedCommand.rehearse(name -> false, GRACE);
    }

    @Test
    void killingDoesNotWait() throws Exception {
        start(LONG, "sh", "-c", "trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        child.kill();

        assertThat(awaitEnd()).isEqualTo(137);
    }

    @Test
    void endsTheCommandWhenItsTermIsOver() throws Exception {
        term.lasts(Duration.ofMillis(400));
        start("trap 'echo >" + file("asked") + "; exit 5' TERM; while :; do sleep 0.01; done");

        // Nobody prolongs, as if this process were frozen.
        awaitDeath();

        assertThat(file("asked")).exists();
        child.awaitAndProlong(term, LONG);
        assertThat(child.exitCode()).isEqualTo(5);
    }

    @Test
    void killsACommandThatIgnoresTheEndOfItsTermBeforeTheDeadline() throws Exception {
        Duration drain = Duration.ofSeconds(2);
        term.lasts(Duration.ofMillis(500));
        Instants stopAt = Instants.now().plus(term.remaining());
        start(drain.multipliedBy(3).dividedBy(4), "sh", "-c", "trap '' TERM INT HUP; while :; do sleep 0.01; done");

        awaitDeath();

        Instants dead = Instants.now();
        assertThat(stopAt.plus(drain).isLaterThan(dead, Duration.ZERO))
                .as(stopAt + " + " + drain + ", " + dead)
                .isTrue();
        assertThat(dead.isLaterThan(stopAt, Duration.ofSeconds(1)))
                .as("it had time to end by itself")
                .isTrue();
    }

    @Test
    void killsInTimeThoughManyProcessesHaveToBeLookedThrough() throws Exception {
        Process crowd = crowd(1_500);
        try {
            // Long enough for the command to be at work, which a busy machine takes a while for.
            term.lasts(Duration.ofSeconds(6));
            Instants stopAt = Instants.now().plus(term.remaining());
            start(
                    Duration.ofMillis(100),
                    "bash",
                    "-c",
                    "trap '' TERM; while read -r up _ </proc/uptime; do echo ${up/./}0 >>" + file("beat")
                            + "; read -r -t 0.01 <> <(:); done");

            awaitDeath();

            // To look through all of them once takes longer than that.
            String[] beats = Files.readString(file("beat")).split("\n");
            assertThat(Long.parseLong(beats[beats.length - 1]) - stopAt.up())
                    .as("the last that the command did, in ms after TERM")
                    .isBetween(0L, 350L);
        } finally {
            new ProcessSession(crowd.pid()).killAll();
        }
    }

    /** So many processes that do nothing, in a session of their own. */
    private Process crowd(int size) throws IOException {
        Process crowd = new ProcessBuilder(
                        "setsid",
                        "sh",
                        "-c",
                        "for i in $(seq " + size + "); do sleep 600 & done; echo >" + file("crowded") + "; wait")
                .start();
        awaitFile("crowded");
        return crowd;
    }

    @Test
    void whatProlongsTheTermProlongsTheCommand() throws Exception {
        term.lasts(Duration.ofMillis(300));
        Instants first = Instants.now().plus(term.remaining());
        start("while :; do sleep 0.01; done");

        while (!Instants.now().isLaterThan(first, Duration.ofMillis(500))) {
            term.lasts(Duration.ofMillis(300));
            assertThat(child.awaitAndProlong(term, TICK)).isFalse();
        }

        awaitDeath();
    }

    @Test
    void aTickLeavesNothingInMemory() throws Exception {
        start("sleep 100");
        child.awaitAndProlong(term, Duration.ZERO);
        int before = streams();

        for (int i = 0; i < 2_000; i++) {
            child.awaitAndProlong(term, Duration.ZERO);
        }

        assertThat(streams() - before).isLessThan(1_000);
    }

    /** How many file streams are reachable in this virtual machine. */
    private static int streams() throws Exception {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return histogram
                .lines()
                .map(String::strip)
                .filter(line -> line.matches(".* java\\.io\\.FileInputStream( .*)?"))
                .mapToInt(line -> Integer.parseInt(line.split(" +")[1]))
                .findFirst()
                .orElse(0);
    }

    @Test
    void aCleanedFolderChangesNothing() throws Exception {
        start("echo >" + file("up") + "; while [ ! -e " + file("go") + " ]; do sleep 0.01; done; exit 3");
        awaitFile("up");
        Folders.delete(child.folder());

        Files.createFile(file("go"));

        assertThat(awaitEnd()).isEqualTo(3);
    }

    @Test
    void aCommandWhoseFolderWasCleanedIsStopped() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");
        Folders.delete(child.folder());

        child.stop();

        assertThat(child.exitCode()).isEqualTo(137);
        assertThat(child.end()).isEqualTo(SupervisedCommand.End.ENDED);
    }

    @Test
    void stoppingKillsAllThatTheCommandStarted() throws Exception {
        // A job in a process group of its own, as coreutils' timeout makes; one that ignores TERM; one that is stopped.
        start("trap '' TERM; (set -m; sleep 100 & echo >" + file("a") + "; wait) & timeout 100 sleep 100 &"
                + " sh -c 'kill -STOP $$' & echo >" + file("b") + "; wait");
        awaitFile("a");
        awaitFile("b");

        child.stop();

        assertThat(child.session().members()).isEmpty();
        assertThat(child.end()).isEqualTo(SupervisedCommand.End.ENDED);
    }

    @Test
    void whatACommandLeavesBehindWhenItEndsIsKilled() throws Exception {
        start("(trap '' TERM; sleep 100) & exit 3");

        assertThat(awaitEnd()).isEqualTo(3);
        assertThat(child.session().members()).isEmpty();
    }

    @Test
    void passesOnSignalsToTheWholeGroup() throws Exception {
        assumeThat(Signals.ignored() & 1)
                .as("whether HUP is ignored by what runs the tests, as by nohup: then no shell can trap it")
                .isZero();
        start("trap 'echo >>" + file("hup") + "' HUP; echo >" + file("up")
                + "; sh -c 'trap \"echo >>" + file("hup") + "; exit\" HUP; while :; do sleep 0.01; done' & "
                + "while :; do sleep 0.01; done");
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

    @Test
    void aStoppedCommandHasNotEnded() throws Exception {
        start("echo >" + file("up") + "; kill -STOP $$; exit 7");
        awaitFile("up");
        Await.until(
                "the command to be stopped",
                SOON,
                () -> Files.readString(Path.of("/proc", Long.toString(command().pid()), "stat"))
                        .contains(") T "));

        assertThat(child.awaitAndProlong(term, Duration.ofMillis(300))).isFalse();

        child.signal("CONT");
        assertThat(awaitEnd()).isEqualTo(7);
    }

    @Test
    void aKilledOwnerLeavesNothingBehind() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        ProcessHandle.of(child.session().id()).orElseThrow().destroyForcibly();

        Await.until("all to be killed", SOON, () -> child.session().members().isEmpty());
        child.awaitAndProlong(term, SOON);
        assertThat(child.end()).isEqualTo(SupervisedCommand.End.ORPHANED);
    }

    @Test
    void aKilledTimerLeavesNothingBehind() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        timer().destroyForcibly();

        Await.until("all to be killed", SOON, () -> child.session().members().isEmpty());
        child.awaitAndProlong(term, SOON);
        assertThat(child.exitCode()).isEqualTo(137);
    }

    @Test
    void aFrozenSupervisorIsReplacedByThisProcess() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");
        freeze(timer());
        freeze(ProcessHandle.of(child.session().id()).orElseThrow());

        child.stop();

        assertThat(child.session().members()).isEmpty();
        assertThat(child.exitCode()).isEqualTo(137);
    }

    @Test
    void aTimerThatDoesNotListenEndsTheTerm() throws Exception {
        start("echo >" + file("up") + "; sleep 100");
        awaitFile("up");
        freeze(timer());

        assertThatThrownBy(() -> {
                    while (!child.awaitAndProlong(term, TICK)) {
                        term.lasts(LONG);
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not respond");
    }

    @Test
    void nothingIsStartedForATermThatIsOver() throws Exception {
        term.lasts(Duration.ZERO);
        start("echo >" + file("up"));

        Await.until("the supervisor to end", SOON, () -> child.awaitAndProlong(term, TICK));

        assertThat(child.end()).isEqualTo(SupervisedCommand.End.NEVER_STARTED);
        assertThat(file("up")).doesNotExist();
    }

    @Test
    void anInterruptionDoesNotCutTheEndShort() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        Thread.currentThread().interrupt();
        child.stop();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(child.session().members()).isEmpty();
    }

    private ProcessHandle timer() {
        return childOfOwner(commandLine -> commandLine.contains(child.folder() + "/supervisor"));
    }

    private ProcessHandle command() {
        return childOfOwner(commandLine -> commandLine.contains("sh -c"));
    }

    private ProcessHandle childOfOwner(Predicate<String> commandLine) {
        ProcessHandle owner = ProcessHandle.of(child.session().id()).orElseThrow();
        return Await.value(
                "a child of the owner",
                SOON,
                () -> owner.children()
                        .filter(p -> commandLine.test(p.info().commandLine().orElse("")))
                        .findFirst());
    }

    private static void freeze(ProcessHandle process) throws Exception {
        new ProcessBuilder("kill", "-STOP", Long.toString(process.pid()))
                .start()
                .waitFor();
    }
}
