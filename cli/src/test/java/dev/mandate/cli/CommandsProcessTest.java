package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.console.Called;
import dev.mandate.console.MountedDisk;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that need a process, a disk or a stream of their own: bad input, and who is alive. */
@Tag("long")
@Order(1)
class CommandsProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(3);

    @TempDir
    private Path temp;

    private final List<CandidateProcess> started = new ArrayList<>();

    @AfterEach
    void close() {
        started.forEach(CandidateProcess::close);
    }

    private CandidateProcess start(CandidateProcess.Builder builder) {
        CandidateProcess process = builder.environment("XDG_DATA_HOME", temp.toString())
                .environment("MANDATE_STORE", "")
                .environment("MANDATE_STORE_FILE", "")
                .start();
        started.add(process);
        return process;
    }

    private CandidateProcess mandate(String... args) {
        return start(CandidateProcess.java(Main.class, args));
    }

    /** The command line through a shell, for its redirections: {@code script} starts it as {@code "$@"}. */
    private CandidateProcess shell(String script, String... args) {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                script,
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(args));
        return start(CandidateProcess.command(command.toArray(String[]::new)));
    }

    private Called inProcess(String... args) {
        return Called.with(Main.PROGRAM, Map.of("XDG_DATA_HOME", temp.toString()), args);
    }

    /** The URL of a store that is there. */
    private String made() {
        String url = "sqlite:" + temp.resolve("made.db");
        ElectionClient.connect(url).close();
        return url;
    }

    private static void awaitSaid(CandidateProcess process, String text) {
        Await.until("'" + text + "'", PATIENCE, () -> process.log().stream().anyMatch(line -> line.contains(text)));
    }

    private static void assertRefused(CandidateProcess process, int code, String... words) {
        assertThat(process.awaitExit(PATIENCE)).as("%s", process.log()).isEqualTo(code);
        Await.until("its sentence", PATIENCE, () -> !process.log().isEmpty());
        Called.assertOneSentence(
                process.log().stream()
                        .map(line -> line.replaceFirst("^err: ", ""))
                        .toList(),
                words);
    }

    private CandidateProcess leader(String election) {
        CandidateProcess leader = mandate(
                "run",
                "--election",
                election,
                "--lease",
                LEASE.toSeconds() + "s",
                "--",
                "sh",
                "-c",
                "echo up; exec sleep 600");
        leader.await("its command", PATIENCE, "up"::equals);
        return leader;
    }

    private String state(String election, String... options) {
        List<String> args = new ArrayList<>(List.of("status", election));
        args.addAll(List.of(options));
        String line = inProcess(args.toArray(String[]::new))
                .assertDone()
                .out()
                .lines()
                .filter(l -> l.startsWith(election + " "))
                .findFirst()
                .orElse("");
        return Stream.of("unverified", "live", "dead", "released")
                .filter(line::contains)
                .findFirst()
                .orElse(line);
    }

    /** One look cannot tell; a look that lasts up to a lease does, and ends as soon as it knows. */
    @Test
    void verifyTellsALiveLeaderFromADeadAndAFrozenOne() {
        CandidateProcess live = leader("live");
        CandidateProcess killed = leader("killed");
        CandidateProcess frozen = leader("frozen");
        killed.kill();
        frozen.freeze();

        assertThat(List.of(state("live"), state("killed"), state("frozen"))).containsOnly("unverified");
        assertThat(state("live", "--verify")).isEqualTo("live");
        long began = System.nanoTime();
        assertThat(state("killed", "--verify")).isEqualTo("dead");
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("a whole lease without renewal has to be seen")
                .isGreaterThanOrEqualTo(LEASE);
        assertThat(state("frozen", "--verify")).isEqualTo("dead");
        assertThat(inProcess("status", "--verify", "--json").assertDone().out())
                .contains("\"election\":\"killed\",\"state\":\"dead\"", "\"election\":\"live\",\"state\":\"live\"");
        assertThat(live.isAlive()).isTrue();
    }

    @Test
    void verifyFollowsWhoTookOverMeanwhile() {
        leader("handed");
        CandidateProcess next =
                mandate("run", "--election", "handed", "--lease", "3s", "--", "sh", "-c", "echo up; exec sleep 600");
        awaitSaid(next, "following 'handed'");
        CandidateProcess status = mandate("status", "--verify", "--json");

        inProcess("evict", "handed").assertDone();

        assertThat(status.awaitExit(PATIENCE)).isZero();
        assertThat(status.await("its line", PATIENCE, line -> line.startsWith("{")))
                .doesNotContain("\"dead\"");
    }

    @Test
    void aValueOverTheLimitIsRefusedBeforeAnybodyIsAsked() {
        CandidateProcess run = mandate("run", "--election", "v", "--value", "v".repeat(65_537), "--", "echo", "never");

        assertThat(run.awaitExit(PATIENCE)).isEqualTo(125);
        awaitSaid(run, "value has 65537 characters; SQLite takes at most 65536 bytes");
        assertThat(run.lines()).isEmpty();
        assertThat(inProcess("status").assertDone().err()).contains("nobody leads anything in sqlite:");
    }

    @Test
    void aFullDiskIsNamedAndWhatStandsThereStays() throws IOException {
        try (MountedDisk disk = MountedDisk.on(temp.resolve("disk"), 256)) {
            String kept = "sqlite:" + disk.folder().resolve("kept.db");
            ElectionClient.connect(kept).close();
            disk.fill();

            inProcess(
                            "run",
                            "--election",
                            "a",
                            "--store",
                            "sqlite:" + disk.folder().resolve("new.db"),
                            "true")
                    .assertRefused(125, "new.db", "the disk is full; make room");
            Files.delete(disk.folder().resolve("fill"));
            inProcess("status", "--store", kept).assertDone();
        }
    }

    @Test
    void aReadOnlyDiskIsNamed() {
        try (MountedDisk disk = MountedDisk.on(temp.resolve("disk"), 1024)) {
            String store = "sqlite:" + disk.folder().resolve("store.db");
            ElectionClient.connect(store).close();
            disk.makeReadOnly();

            inProcess("status", "--store", store).assertRefused(4, "store.db", "let ");
            inProcess(
                            "run",
                            "--election",
                            "a",
                            "--store",
                            "sqlite:" + disk.folder().resolve("other.db"),
                            "true")
                    .assertRefused(125, "other.db", "let ");
        }
    }

    @Test
    void aFileOfSomebodyElseIsNamed() throws IOException {
        Path file = temp.resolve("theirs.db");
        ElectionClient.connect("sqlite:" + file).close();
        assertThat(file.toFile().setWritable(false)).isTrue();
        Assumptions.assumeFalse(Files.isWritable(file), "this user may write to every file");

        inProcess("status", "--store", "sqlite:" + file)
                .assertRefused(4, "theirs.db", "let it write the file and its directory");
    }

    @Test
    void outputThatIsLostIsAnError() {
        Assumptions.assumeTrue(Files.exists(Path.of("/dev/full")));

        assertRefused(
                shell("exec \"$@\" >/dev/full", "explain", "--json", made()),
                1,
                "standard output could not be written",
                "No space left on device");
    }

    @Test
    void whoeverStopsReadingIsNoError() {
        CandidateProcess head =
                shell("\"$@\" 2>target/broken-pipe.err | true; test ! -s target/broken-pipe.err", "explain", made());

        assertThat(head.awaitExit(PATIENCE)).isZero();
    }

    @Test
    void worksWithoutAnyOfTheThreeStreams() {
        assertThat(shell("exec \"$@\" <&- >&- 2>&-", "status", "--store", made())
                        .awaitExit(PATIENCE))
                .isZero();
        assertThat(shell("exec \"$@\" <&- >&- 2>&-", "status", "--limit", "0").awaitExit(PATIENCE))
                .isEqualTo(2);
    }

    /** Also where the locale knows ASCII alone. */
    @Test
    void namesAndValuesAreTakenByteForByte() {
        CandidateProcess run = shell(
                "LC_ALL=C exec \"$@\"",
                "run",
                "--once",
                "--election",
                "größe",
                "--value",
                "日本",
                "--",
                "sh",
                "-c",
                "echo $MANDATE_ELECTION; sleep 600");
        run.await("its command", PATIENCE, "größe"::equals);

        assertThat(inProcess("status").assertDone().out()).contains("größe  ", "  日本");
    }

    @Test
    void twoOfOneCandidateIdStandBesideEachOther() {
        String[] args = {
            "run",
            "--election",
            "default",
            "--candidate",
            "twin",
            "--lease",
            "2s",
            "--",
            "sh",
            "-c",
            "echo $MANDATE_TOKEN; exec sleep 600"
        };
        CandidateProcess first = mandate(args);
        long token = Long.parseLong(first.await("its command", PATIENCE, line -> true));
        CandidateProcess second = mandate(args);
        awaitSaid(second, "following 'default', led by 'twin' (token " + token + ")");
        assertThat(second.lines()).isEmpty();

        first.kill();

        assertThat(Long.parseLong(second.await("its command", PATIENCE, line -> true)))
                .isGreaterThan(token);
    }

    @Test
    void tracesAreShownOnlyToThoseWhoAsk() {
        CandidateProcess quiet = mandate("run", "--election", "q", "--once", "-q", "--", "echo", "--debug");
        assertThat(quiet.awaitExit(PATIENCE)).isZero();
        assertThat(quiet.log()).containsExactly("--debug");

        CandidateProcess loud = mandate("status", "--debug", "--store", "sqlite:" + temp.resolve("none/x.db"));
        assertThat(loud.awaitExit(PATIENCE)).isEqualTo(4);
        awaitSaid(loud, "\tat dev.mandate.");
    }
}
