package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.cli.Main;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code run} does before, beside and instead of running its command, as its options say. */
@Tag("long")
@Order(1)
class RunOptionsProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path temp;

    private final List<CandidateProcess> started = new ArrayList<>();

    @AfterEach
    void close() {
        started.forEach(CandidateProcess::close);
    }

    private String store() {
        return "sqlite:" + temp.resolve("store.db") + "?lease=10s&splay=0s";
    }

    private CandidateProcess.Builder running(String... arguments) {
        List<String> all = new ArrayList<>(List.of("run", "--election", "job", "--store", store()));
        all.addAll(List.of(arguments));
        return CandidateProcess.java(Main.class, all.toArray(String[]::new));
    }

    private CandidateProcess start(CandidateProcess.Builder builder) {
        CandidateProcess process = builder.start();
        started.add(process);
        return process;
    }

    private static void awaitSaid(CandidateProcess process, String text) {
        Await.until("'" + text + "'", PATIENCE, () -> process.log().stream().anyMatch(line -> line.contains(text)));
    }

    private static void signal(CandidateProcess process, String name) throws Exception {
        new ProcessBuilder("kill", "-s", name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    @Test
    void whoDoesNotWaitGivesUpWhereAnotherLeads() throws Exception {
        try (ElectionClient client = ElectionClient.connect(store());
                Leadership other = client.election("job").campaign("")) {
            CandidateProcess run = start(running("--no-wait", "--", "echo", "never"));
            CandidateProcess bounded = start(running("--wait", "1s", "--", "echo", "never"));

            assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isEqualTo(124);
            assertThat(bounded.awaitExit(PATIENCE)).as("%s", bounded.log()).isEqualTo(124);
            awaitSaid(bounded, "not elected within 1 s");
            assertThat(run.lines()).isEmpty();
            assertThat(bounded.lines()).isEmpty();
            assertThat(other.isValid()).isTrue();
        }
    }

    @Test
    void whoDoesNotWaitRunsOnceWhereNobodyLeads() {
        CandidateProcess run = start(running("--no-wait", "--", "sh", "-c", "echo ran; exit 3"));
        assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isEqualTo(3);
        assertThat(run.lines()).containsExactly("ran");

        CandidateProcess bounded = start(running("--wait", "50s", "--", "sh", "-c", "echo ran; exit 4"));
        assertThat(bounded.awaitExit(PATIENCE)).as("%s", bounded.log()).isEqualTo(4);
        assertThat(bounded.lines()).containsExactly("ran");
    }

    @Test
    void aLeadThatIsLostHasACodeOfItsOwn() throws Exception {
        CandidateProcess run =
                start(running("--once", "--", "sh", "-c", "trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done"));
        run.await("the command", PATIENCE, "up"::equals);

        try (ElectionClient client = ElectionClient.connect(store())) {
            client.election("job").evict();
        }

        assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isEqualTo(123);
    }

    @Test
    void aCommandThatDoesNotEndInTimeIsKilled() throws Exception {
        CandidateProcess run = start(running(
                "--stop-timeout",
                "500ms",
                "--",
                "sh",
                "-c",
                "trap 'echo deaf' TERM; echo up; while :; do sleep 0.05; done"));
        run.await("the command", PATIENCE, "up"::equals);

        signal(run, "TERM");

        run.await("the command to be asked", PATIENCE, "deaf"::equals);
        assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isEqualTo(137);
        awaitSaid(run, "the command has not ended within 500 ms; killing it");
    }

    /** One failure may be chance; two stop the command, and it starts anew in another term. */
    @Test
    void aCommandThatIsUnhealthyTwiceIsStopped() throws Exception {
        Path file = temp.resolve("healthy");
        Files.createFile(file);
        CandidateProcess run = start(running(
                "--check",
                "echo asked >> '" + temp.resolve("asked") + "'; test \"$MANDATE_ELECTION\" = job && test -e '" + file
                        + "'",
                "--every",
                "200ms",
                "--timeout",
                "30s",
                "--",
                "sh",
                "-c",
                "trap 'echo stopped; exit 0' TERM; echo up $MANDATE_TOKEN; while :; do sleep 0.05; done"));
        String first = run.await("the command", PATIENCE, line -> line.startsWith("up "));
        Await.until("three checks", PATIENCE, () -> Files.exists(temp.resolve("asked")) && asked() >= 3);
        assertThat(run.lines()).doesNotContain("stopped");

        Files.delete(file);
        run.await("the command to be stopped", PATIENCE, "stopped"::equals);
        awaitSaid(run, "the health check ended with exit code 1, twice in a row");
        awaitSaid(run, "no longer leading 'job': the health check failed");
        Files.createFile(file);

        run.await("another term", PATIENCE, line -> line.startsWith("up ") && !line.equals(first));
    }

    private long asked() {
        try {
            return Files.readAllLines(temp.resolve("asked")).size();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aTimeoutWithoutACheckIsRefused() {
        CandidateProcess run = start(running("--timeout", "1s", "--", "echo", "never"));

        assertThat(run.awaitExit(PATIENCE)).isEqualTo(125);
        awaitSaid(run, "--timeout is given without --check");
    }

    /**
     * Also those that would end a program which does not expect them; and a follower, which has no command, lives on.
     */
    @Test
    void everySignalThatCanBeCaughtIsPassedOn() throws Exception {
        CandidateProcess run = start(
                running(
                        "--",
                        "bash",
                        "-c",
                        "for s in USR1 USR2 ALRM WINCH HUP; do trap \"echo got $s\" $s; done; echo up; while :; do sleep 0.05; done"));
        run.await("the command", PATIENCE, "up"::equals);
        CandidateProcess follower = start(running("--", "echo", "never"));
        awaitSaid(follower, "following 'job'");

        for (String name : List.of("USR1", "USR2", "ALRM", "WINCH", "HUP")) {
            signal(follower, name);
            signal(run, name);
            run.await("the command to get it", PATIENCE, ("got " + name)::equals);
        }

        assertThat(run.isAlive()).isTrue();
        assertThat(follower.isAlive()).isTrue();
    }

    /** As a service manager stops a service: all processes get the signal, and the command ends in its own time. */
    @Test
    void aTermToAllOfItsProcessesLeavesTheCommandItsTime() throws Exception {
        // Longer than the drain budget, after which a lead that was lost would have it killed.
        CandidateProcess run = start(running(
                "--",
                "bash",
                "-c",
                "trap 'term=1' TERM; echo up; while ((!term)); do sleep 0.05; done; sleep 3; echo tidied up; exit 6"));
        run.await("the command", PATIENCE, "up"::equals);
        List<String> kill = new ArrayList<>(List.of("kill", "-s", "TERM", Long.toString(run.pid())));
        ProcessHandle.of(run.pid()).orElseThrow().descendants().forEach(p -> kill.add(Long.toString(p.pid())));

        new ProcessBuilder(kill).start().waitFor();

        assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isEqualTo(6);
        assertThat(run.lines()).contains("tidied up");
    }

    /** What any store on the class path reads by itself, whichever store is in use. */
    @Test
    void noStoresCredentialsReachTheCommandUnlessToldSo() {
        TreeSet<String> secrets = new TreeSet<>();
        ServiceLoader.load(ElectionStoreProvider.class).forEach(p -> secrets.addAll(p.secretVariables()));
        assertThat(secrets)
                .contains(
                        "AZURE_STORAGE_CONNECTION_STRING",
                        "AZURE_STORAGE_KEY",
                        "AZURE_STORAGE_SAS_TOKEN",
                        "CONSUL_HTTP_TOKEN");
        CandidateProcess.Builder builder = running("--once", "--keep-env", "AZURE_STORAGE_KEY", "--", "env");
        secrets.forEach(name -> builder.environment(name, "canary of " + name));
        builder.environment("PGHOST", "no secret").environment("MANDATE_STORE_FILE", "/nowhere");

        CandidateProcess run = start(builder);

        assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isZero();
        secrets.remove("AZURE_STORAGE_KEY");
        assertThat(run.lines())
                .contains("AZURE_STORAGE_KEY=canary of AZURE_STORAGE_KEY", "PGHOST=no secret")
                .noneMatch(line -> line.startsWith("MANDATE_STORE"))
                .noneMatch(line -> secrets.stream().anyMatch(line::contains));
        awaitSaid(run, "withheld from the command: " + String.join(", ", secrets) + " (--keep-env");
    }

    private CandidateProcess.Builder withBash(CandidateProcess.Builder builder, String script) throws Exception {
        Path bash = temp.resolve("bin/bash");
        Files.createDirectories(bash.getParent());
        Files.writeString(bash, script);
        assertThat(bash.toFile().setExecutable(true)).isTrue();
        return builder.environment("PATH", bash.getParent() + ":" + System.getenv("PATH"));
    }

    /** Nobody wins only to find that it can't run anything. */
    @Test
    void whoCannotSuperviseDoesNotStand() throws Exception {
        CandidateProcess run =
                start(withBash(running("--", "true"), "#!/bin/sh\necho 'mandate: too old' >&2; exit 125\n"));

        assertThat(run.awaitExit(PATIENCE)).isEqualTo(125);
        awaitSaid(run, "run can't supervise a command here: ");
        assertThat(run.log()).noneMatch(line -> line.contains("campaigning"));
        assertThat(temp.resolve("store.db")).as("the store").doesNotExist();
    }

    /** Bash 4.4 has no {@code EPOCHREALTIME}. */
    @Test
    void aBashThatTellsWholeSecondsWillDo() throws Exception {
        String old = "#!/bin/bash -p\nshift; script=$1; shift\nexec /bin/bash -p -c"
                + " 'unset EPOCHREALTIME; script=$1; shift; . \"$script\"' bash \"$script\" \"$@\"\n";
        CandidateProcess run =
                start(withBash(running("--", "sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.05; done"), old));
        run.await("the command", PATIENCE, "up"::equals);
        CandidateProcess next = start(withBash(running("--once", "--", "sh", "-c", "exit 8"), old));
        awaitSaid(next, "following 'job'");

        run.freeze();

        assertThat(next.awaitExit(PATIENCE)).as("%s", next.log()).isEqualTo(8);
        assertThat(ProcessHandle.of(run.pid()).orElseThrow().descendants())
                .as("what is left of a frozen leader when the next one leads")
                .noneMatch(p -> p.info().commandLine().orElse("").contains("trap"));
    }
}
