package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.ReusedNumber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A supervised command is dead, with all it started, when its term says so, whatever becomes of its supervisor. */
@Tag("long")
class SupervisedDeathTest extends SupervisedFixture {
    /**
     * Whatever the wall clock says, the command is dead when the time since boot says so. A later wall time is a clock
     * set back since.
     */
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
    void killingDoesNotWait() throws Exception {
        start(LONG, "sh", "-c", "trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        child.kill();

        assertThat(awaitEnd()).isEqualTo(137);
    }

    @Test
    void endsTheCommandWhenItsTermIsOver() throws Exception {
        start("trap 'echo >" + file("asked") + "; exit 5' TERM; echo >" + file("up")
                + "; while :; do sleep 0.01; done");
        awaitFile("up");
        tellTerm(Duration.ofMillis(400), GRACE);

        // Nobody prolongs, as if this process were frozen.
        awaitDeath();

        assertThat(file("asked")).exists();
        child.awaitAndProlong(term::remaining, LONG);
        assertThat(child.exitCode()).isEqualTo(5);
    }

    @Test
    void killsACommandThatIgnoresTheEndOfItsTermBeforeTheDeadline() throws Exception {
        Duration drain = Duration.ofSeconds(2);
        Duration grace = drain.multipliedBy(3).dividedBy(4);
        start(grace, "bash", "-c", beats());
        awaitFile("beat");
        Instants stopAt = tellTerm(Duration.ofMillis(500), grace);

        awaitDeath();

        Instants dead = Instants.now();
        assertThat(lastBeat())
                .as("the last that the command did")
                .isLessThan(stopAt.plus(drain).up());
        assertThat(dead.isLaterThan(stopAt, Duration.ofSeconds(1)))
                .as("it had time to end by itself")
                .isTrue();
    }

    @Test
    void killsInTimeThoughManyProcessesHaveToBeLookedThrough() throws Exception {
        Process crowd = crowd(1_500);
        try {
            Duration look = look();
            Duration grace = Duration.ofMillis(100);
            start(grace, "bash", "-c", beats());
            awaitFile("beat");
            Instants stopAt = tellTerm(Duration.ofSeconds(1), grace);

            awaitDeath();

            assertThat(lastBeat() - stopAt.up())
                    .as("the last that the command did, in ms after TERM")
                    .isLessThan(grace.toMillis() + Math.max(250, look.toMillis()));
        } finally {
            new ProcessSession(crowd.pid()).killAll();
        }
    }

    /** Once the command is at work: a term that is over before the supervisor is there starts none. */
    private Instants tellTerm(Duration remaining, Duration grace) throws IOException {
        Instants stopAt = Instants.now().plus(remaining);
        child.send("lead " + stopAt + " " + stopAt.plus(grace));
        return stopAt;
    }

    /** Writes the time since boot every 10 ms, and listens to nothing. */
    private String beats() {
        return "trap '' TERM INT HUP; while read -r up _ </proc/uptime; do echo ${up/./}0 >>" + file("beat")
                + "; read -r -t 0.01 <> <(:); done";
    }

    /** When the command last did something, in milliseconds since boot. That it is dead may be found out later. */
    private long lastBeat() throws IOException {
        String[] beats = Files.readString(file("beat")).split("\n");
        return Long.parseLong(beats[beats.length - 1]);
    }

    /**
     * How long bash takes to look through all processes while the machine is as busy as now. The supervisor looks
     * closer.
     */
    private static Duration look() throws Exception {
        long began = System.nanoTime();
        new ProcessBuilder("bash", "-c", "for p in /proc/[0-9]*; do IFS= read -r -d '' stat <$p/stat; done")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** So many processes that do nothing, in a session of their own. */
    private Process crowd(int size) throws IOException {
        Process crowd = new ProcessBuilder(
                        "setsid",
                        "sh",
                        "-c",
                        "for i in $(seq " + size + "); do sleep 600 & done; echo >" + file("crowded") + "; wait")
                .start();
        // Which is not what is tested, and takes long on a busy machine.
        Await.until("the crowd", Duration.ofMinutes(1), () -> Files.exists(file("crowded")));
        return crowd;
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

    /** Where processes come and go, a number is somebody else's again within minutes. */
    @Test
    void whoeverGotTheNumberOfACommandThatEndedIsNotKilled() throws Exception {
        start(
                Duration.ofSeconds(5),
                "bash",
                "-c",
                "echo $$ >" + file("number") + "; set -m; (trap '' TERM; echo >" + file("up")
                        + "; exec sleep 100) & while [ ! -e " + file("up") + " ]; do sleep 0.01; done; exit 3");
        awaitFile("up");
        long number = Long.parseLong(Files.readString(file("number")).strip());
        Await.until("the number to be free", SOON, () -> !Files.exists(Path.of("/proc/" + number)));

        try (CandidateProcess stranger = ReusedNumber.start(number)) {
            assertThat(awaitEnd()).isEqualTo(3);

            stranger.send("still here");
            stranger.await("its echo", SOON, "still here"::equals);
        }
    }

    @Test
    void aKilledOwnerLeavesNothingBehind() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        ProcessHandle.of(child.session().id()).orElseThrow().destroyForcibly();

        Await.until("all to be killed", SOON, () -> child.session().members().isEmpty());
        child.awaitAndProlong(term::remaining, SOON);
        assertThat(child.end()).isEqualTo(SupervisedCommand.End.ORPHANED);
    }

    @Test
    void aKilledTimerLeavesNothingBehind() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        timer().destroyForcibly();

        Await.until("all to be killed", SOON, () -> child.session().members().isEmpty());
        child.awaitAndProlong(term::remaining, SOON);
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
    void anInterruptionDoesNotCutTheEndShort() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");

        Thread.currentThread().interrupt();
        child.stop();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(child.session().members()).isEmpty();
    }

    /** No process can be looked at without a descriptor; the command lives all the same. */
    @Test
    void anOwnerWithoutDescriptorsLeavesTheCommandGuarded() throws Exception {
        start("trap '' TERM; echo >" + file("up") + "; sleep 100");
        awaitFile("up");
        ProcessHandle owner = owner();
        ProcessHandle command = command();
        allowDescriptors(owner, 0);
        endWaiting(owner);

        child.hurry();

        Await.until("the command to be killed", SOON, () -> !isAlive(command));
        allowDescriptors(owner, 1_000);
        awaitDeath();
    }

    @Test
    void anOwnerWithoutDescriptorsTakesNobodyForGone() throws Exception {
        start("(trap '' TERM; echo >" + file("up") + "; exec sleep 100) & while [ ! -e " + file("go")
                + " ]; do sleep 0.01; done; exit 3");
        awaitFile("up");
        allowDescriptors(owner(), 0);

        Files.createFile(file("go"));
        assertThat(child.awaitAndProlong(term::remaining, GRACE.multipliedBy(3)))
                .as("whether the supervisor has ended, with the sleep left behind")
                .isFalse();

        allowDescriptors(owner(), 1_000);
        assertThat(awaitEnd()).isEqualTo(3);
        assertThat(child.session().members()).isEmpty();
    }

    /** The system takes such a process for a zombie. */
    @Test
    void aCommandWhoseFirstThreadHasEndedStaysGuarded() throws Exception {
        String exit = Map.of("amd64", "60", "aarch64", "93").get(System.getProperty("os.arch"));
        assumeTrue(exit != null, "the number of the system call that ends a thread is not known here");
        assumeTrue(
                new ProcessBuilder("sh", "-c", "perl -Mthreads -e 1").start().waitFor() == 0,
                "no perl with threads on the PATH; apt install perl");
        start(
                GRACE,
                "perl",
                "-Mthreads",
                "-e",
                "threads->create(sub { sleep 100 }); open(my $f, '>', '" + file("number")
                        + "'); print $f $$; close($f);" + " open($f, '>', '" + file("up") + "'); syscall(" + exit
                        + ", 0)");
        awaitFile("up");
        Path stat = Path.of("/proc/" + Files.readString(file("number")) + "/stat");
        Await.until(
                "the first thread to end", SOON, () -> Files.readString(stat).contains(") Z "));

        endWaiting(owner());
        child.hurry();

        assertThat(awaitEnd()).isEqualTo(143);
    }

    /** Stops the command for a moment: the owner's `wait` returns, and the owner looks whether the command lives. */
    private void endWaiting(ProcessHandle owner) throws Exception {
        long before = Waits.of(owner);
        child.signal("STOP");
        // More than the one wait that the stop ends: it looks again and again while the command is stopped.
        Await.until("the owner to look and to wait again", SOON, () -> Waits.of(owner) > before + 2);
        child.signal("CONT");
    }

    private static void allowDescriptors(ProcessHandle process, int count) throws Exception {
        // The soft limit alone, which can be raised again.
        assertThat(new ProcessBuilder("prlimit", "--pid", Long.toString(process.pid()), "--nofile=" + count + ":")
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    /** A command that was killed is a zombie until an owner without descriptors finds out. */
    private boolean isAlive(ProcessHandle process) throws IOException {
        return child.session().members().contains(process);
    }
}
