package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.cli.Main;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run} as users start it: real processes on one SQLite file, killed and frozen. */
@Tag("long")
@Order(1)
class RunProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(2);

    /** Says every 20 ms under which token it runs, by the time since boot; does not listen to TERM. */
    private static final String STUBBORN = """
            trap '' TERM INT HUP
            while read -r up _ </proc/uptime; do
                echo "$MANDATE_TOKEN ${up/./}0" >>"$1"
                read -r -t 0.02 <> <(:)
            done
            """;

    @TempDir
    private Path temp;

    private final List<CandidateProcess> started = new ArrayList<>();

    @AfterEach
    void close() {
        started.forEach(CandidateProcess::close);
        // None of their commands either; the folder's name is in the arguments of all.
        Await.until(
                "all commands to be dead",
                PATIENCE,
                () -> processesOf(temp.toString()).isEmpty());
    }

    private static List<ProcessHandle> processesOf(String text) {
        return ProcessHandle.allProcesses()
                .filter(p -> p.info().commandLine().orElse("").contains(text))
                .toList();
    }

    private CandidateProcess run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("run", "--store", "sqlite:" + temp.resolve("store.db")));
        if (!List.of(arguments).contains("--election")) {
            all.addAll(List.of("--election", "default"));
        }
        all.addAll(List.of(arguments));
        CandidateProcess process =
                CandidateProcess.java(Main.class, all.toArray(String[]::new)).start();
        started.add(process);
        return process;
    }

    private CandidateProcess stubborn(Path history) {
        return run("--lease", LEASE.toMillis() + "ms", "--", "bash", "-c", STUBBORN, "bash", history.toString());
    }

    private static void awaitSaid(CandidateProcess process, String text) {
        Await.until("'" + text + "' of " + process.log(), PATIENCE, () -> said(process, text));
    }

    private static boolean said(CandidateProcess process, String text) {
        return process.log().stream().anyMatch(line -> line.contains(text));
    }

    private static void signal(CandidateProcess process, String name) throws Exception {
        new ProcessBuilder("kill", "-s", name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** By token, when its command was first and last seen, in milliseconds since boot. */
    private static TreeMap<Long, long[]> terms(Path history) throws IOException {
        TreeMap<Long, long[]> terms = new TreeMap<>();
        if (!Files.exists(history)) {
            return terms;
        }
        for (String line : Files.readAllLines(history, StandardCharsets.US_ASCII)) {
            String[] fields = line.split(" ");
            if (fields.length == 2 && !fields[1].isEmpty()) {
                long at = Long.parseLong(fields[1]);
                long[] seen = terms.computeIfAbsent(Long.parseLong(fields[0]), token -> new long[] {at, at});
                seen[1] = Math.max(seen[1], at);
            }
        }
        return terms;
    }

    private static void awaitTerms(Path history, int count) {
        Await.until(count + " terms", PATIENCE, () -> terms(history).size() >= count);
    }

    private static void assertNeverTwoAtOnce(Path history) throws IOException {
        long before = 0;
        for (Map.Entry<Long, long[]> term : terms(history).entrySet()) {
            assertThat(term.getValue()[0])
                    .as(
                            "start of the command of token %s, in %s",
                            term.getKey(), terms(history).size())
                    .isGreaterThanOrEqualTo(before);
            before = term.getValue()[1];
        }
    }

    @Test
    void endsWithTheCodeOfTheCommandAfterOneTerm() {
        CandidateProcess run = run("--once", "--election", "größe", "--", "sh", "-c", "echo $MANDATE_ELECTION; exit 7");

        assertThat(run.awaitExit(PATIENCE)).isEqualTo(7);
        assertThat(run.lines()).containsExactly("größe");
        assertThat(run.log()).contains("err: mandate: the command ended with exit code 7");
    }

    @Test
    void standsAgainWhenTheCommandHasEnded() {
        CandidateProcess run = run("--lease", "1s", "--", "sh", "-c", "echo token $MANDATE_TOKEN");

        String first = run.await("a term", PATIENCE, line -> line.startsWith("token "));
        String second = run.await("another term", PATIENCE, line -> line.startsWith("token "));

        assertThat(Long.parseLong(second.substring(6))).isGreaterThan(Long.parseLong(first.substring(6)));
    }

    @Test
    void passesOnTermAndEndsWithTheCodeOfTheCommand() throws Exception {
        CandidateProcess run =
                run("--", "sh", "-c", "trap 'echo got it; exit 3' TERM; echo up; while :; do sleep 0.01; done");
        run.await("the command", PATIENCE, "up"::equals);

        signal(run, "TERM");

        run.await("the command to get it", PATIENCE, "got it"::equals);
        assertThat(run.awaitExit(PATIENCE)).isEqualTo(3);
    }

    @Test
    void passesOnIntAndEndsAsTheCommandDid() throws Exception {
        CandidateProcess run = run("--", "sh", "-c", "echo up; exec sleep 100");
        run.await("the command", PATIENCE, "up"::equals);

        signal(run, "INT");

        assertThat(run.awaitExit(PATIENCE)).isEqualTo(130);
    }

    /** Its command does not listen to TERM, and was sent one. */
    private CandidateProcess askedInVain(String lease) throws Exception {
        CandidateProcess run =
                run("--lease", lease, "--", "sh", "-c", "trap 'echo deaf' TERM; echo up; while :; do sleep 0.01; done");
        run.await("the command", PATIENCE, "up"::equals);
        signal(run, "TERM");
        run.await("the command to be asked", PATIENCE, "deaf"::equals);
        return run;
    }

    @Test
    void aSecondTermKillsACommandThatDoesNotListen() throws Exception {
        CandidateProcess run = askedInVain("2s");

        signal(run, "TERM");

        assertThat(run.awaitExit(PATIENCE)).isEqualTo(137);
    }

    /** The command is dead all the same, as was wanted. */
    @Test
    void aSupervisorThatDiesAfterASecondTermChangesNothing() throws Exception {
        CandidateProcess run = askedInVain("10s");
        signal(run, "TERM");
        run.await("the command to be asked again", PATIENCE, "deaf"::equals);

        ProcessHandle.of(run.pid()).orElseThrow().children().forEach(ProcessHandle::destroyForcibly);

        assertThat(run.awaitExit(PATIENCE)).isEqualTo(137);
    }

    @Test
    void hupIsForTheCommandAlone() throws Exception {
        CandidateProcess run = run("--", "sh", "-c", "trap 'echo reloaded' HUP; echo up; while :; do sleep 0.01; done");
        run.await("the command", PATIENCE, "up"::equals);

        signal(run, "HUP");
        run.await("the command to get it", PATIENCE, "reloaded"::equals);
        signal(run, "HUP");

        run.await("the command to get it again", PATIENCE, "reloaded"::equals);
        assertThat(run.isAlive()).isTrue();
    }

    @Test
    void aFollowerEndsAtOnceWhenItIsAsked() throws Exception {
        CandidateProcess leader = run("--", "sh", "-c", "echo up; exec sleep 100");
        leader.await("the command", PATIENCE, "up"::equals);
        CandidateProcess follower = run("--", "echo", "never");
        awaitSaid(follower, "following 'default', led by");

        signal(follower, "TERM");

        assertThat(follower.awaitExit(PATIENCE)).isEqualTo(143);
        assertThat(follower.lines()).isEmpty();
    }

    @Test
    void aKilledRunTakesItsCommandAlong() throws Exception {
        Path history = temp.resolve("history");
        CandidateProcess run = stubborn(history);
        awaitTerms(history, 1);

        run.kill();

        Await.until(
                "its command to be dead",
                PATIENCE,
                () -> processesOf(history.toString()).isEmpty());
    }

    @Test
    void aFrozenRunLosesItsCommandBeforeAnotherLeads() throws Exception {
        Path history = temp.resolve("history");
        CandidateProcess first = stubborn(history);
        awaitTerms(history, 1);
        CandidateProcess second = stubborn(history);
        awaitSaid(second, "following");

        first.freeze();
        awaitTerms(history, 2);
        first.thaw();

        awaitSaid(first, "no longer leading");
        awaitSaid(first, "the command was ended by signal 9");
        second.kill();
        awaitTerms(history, 3);
        assertNeverTwoAtOnce(history);
    }

    /** Variables that bash obeys, or that have the names of some of the supervisor's, are the command's alone. */
    @Test
    void theEnvironmentNeitherDisturbsTheSupervisorNorIsDisturbedByIt() throws Exception {
        Map<String, String> hostile = new TreeMap<>(
                Map.of("FUNCNEST", "1", "POSIXLY_CORRECT", "1", "TMOUT", "1", "EXECIGNORE", "*", "BASH_COMPAT", "3.1"));
        hostile.putAll(Map.of(
                "owner", "me", "timer", "5", "child", "1", "text", "two\tlines", "kill_wall", "0", "term_up", "x"));
        hostile.putAll(Map.of("SHLVL", "7", "GLOBIGNORE", "*", "CHILD_MAX", "1", "MANDATE_COMMAND", "rm", "line", ""));
        Path history = temp.resolve("history");
        CandidateProcess.Builder builder = CandidateProcess.java(
                Main.class,
                "run",
                "--election",
                "default",
                "--store",
                "sqlite:" + temp.resolve("store.db"),
                "--lease",
                LEASE.toMillis() + "ms",
                "--",
                "sh",
                "-c",
                "env; exec bash -c \"$@\"",
                "sh",
                STUBBORN,
                "bash",
                history.toString());
        hostile.forEach(builder::environment);
        CandidateProcess run = builder.start();
        started.add(run);
        awaitTerms(history, 1);

        run.freeze();

        Await.until(
                "its command to be dead",
                PATIENCE,
                () -> processesOf(history.toString()).stream().allMatch(p -> p.pid() == run.pid()));
        hostile.remove("MANDATE_COMMAND");
        hostile.forEach((name, value) -> assertThat(run.lines()).contains(name + "=" + value));
        assertThat(run.lines()).noneMatch(line -> line.startsWith("MANDATE_COMMAND") || line.startsWith("MANDATE_EN"));
    }

    @Test
    void whateverHappensNeverTwoCommandsRunAtOnce() throws Exception {
        Path history = temp.resolve("history");
        List<CandidateProcess> runs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            runs.add(stubborn(history));
        }
        awaitTerms(history, 1);

        for (int round = 2; round < 8; round++) {
            CandidateProcess leader = leaderOf(runs);
            boolean kills = round % 2 == 0;
            if (kills) {
                leader.kill();
                runs.remove(leader);
                runs.add(stubborn(history));
            } else {
                leader.freeze();
            }
            awaitTerms(history, round);
            if (!kills) {
                leader.thaw();
                Await.until("the former leader to know it", PATIENCE, () -> !leads(leader));
            }
        }

        assertNeverTwoAtOnce(history);
    }

    private static CandidateProcess leaderOf(List<CandidateProcess> runs) {
        return Await.value(
                "one to lead",
                PATIENCE,
                () -> runs.stream().filter(RunProcessTest::leads).findFirst());
    }

    /** Whether its last word on it is that it leads. */
    private static boolean leads(CandidateProcess run) {
        return run.log().stream()
                .filter(line -> line.contains("leading '") || line.contains("following '"))
                .reduce((a, b) -> b)
                .filter(line -> line.contains("mandate: leading '"))
                .isPresent();
    }

    @Test
    void aKilledSupervisorEndsTheCommandAndAnotherTermFollows() throws Exception {
        Path history = temp.resolve("history");
        CandidateProcess run = stubborn(history);
        awaitTerms(history, 1);

        ProcessHandle.of(run.pid()).orElseThrow().children().forEach(ProcessHandle::destroyForcibly);

        awaitSaid(run, "the supervisor of the command was killed");
        awaitTerms(history, 2);
        assertNeverTwoAtOnce(history);
    }

    @Test
    void anEvictedRunStopsItsCommandAndStandsAgain() throws Exception {
        Path history = temp.resolve("history");
        CandidateProcess run = stubborn(history);
        awaitTerms(history, 1);

        CandidateProcess evict = CandidateProcess.java(
                        Main.class, "evict", "default", "--store", "sqlite:" + temp.resolve("store.db"))
                .start();
        started.add(evict);

        assertThat(evict.awaitExit(PATIENCE)).as("%s", evict.log()).isZero();
        assertThat(evict.lines()).singleElement().asString().contains("asked").contains("no two leaders will overlap");
        awaitSaid(run, "no longer leading 'default': evicted");
        awaitTerms(history, 2);
        assertNeverTwoAtOnce(history);
    }

    @Test
    void aCommandWithoutInputReadsNone() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--once",
                "--election",
                "default",
                "--store",
                "sqlite:" + temp.resolve("store.db"),
                "cat"));
        command.addAll(0, List.of("sh", "-c", "exec \"$@\" <&-", "sh"));
        CandidateProcess run =
                CandidateProcess.command(command.toArray(String[]::new)).start();
        started.add(run);

        assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isZero();
        assertThat(run.lines()).isEmpty();
    }

    @Test
    void anErrorStreamThatNobodyReadsKeepsNothingFromRunning() throws Exception {
        // A pipe that is full, and whose reader does not read.
        Path pipe = temp.resolve("errors");
        Folders.makePipe(pipe);
        List<String> command = List.of(
                "bash",
                "-c",
                "exec 8<>\"$0\" 2>&8; head -c 65536 /dev/zero >&8; exec \"$@\" 8>&-",
                pipe.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--election",
                "default",
                "--store",
                "sqlite:" + temp.resolve("store.db"),
                "--",
                "sh",
                "-c",
                "echo up; exec sleep 100");
        try (RandomAccessFile keptOpen = new RandomAccessFile(pipe.toFile(), "rw")) {
            CandidateProcess run =
                    CandidateProcess.command(command.toArray(String[]::new)).start();
            started.add(run);

            run.await("the command", PATIENCE, "up"::equals);
            signal(run, "TERM");

            assertThat(run.awaitExit(PATIENCE)).isEqualTo(143);
        }
    }

    @Test
    void theCommandReadsTheInputOfRun() {
        CandidateProcess run = run("--once", "sh", "-c", "read -r line; echo \"read $line\"");

        run.send("hello");

        run.await("the line", PATIENCE, "read hello"::equals);
        assertThat(run.awaitExit(PATIENCE)).isZero();
    }

    @Test
    void passesOnAFloodWithoutLoss() {
        CandidateProcess run = run("--quiet", "--once", "sh", "-c", "seq 1 9000; echo done");

        run.await("the end", PATIENCE, "done"::equals);

        assertThat(run.awaitExit(PATIENCE)).isZero();
        assertThat(run.log()).hasSize(9001).doesNotHaveDuplicates();
    }
}
