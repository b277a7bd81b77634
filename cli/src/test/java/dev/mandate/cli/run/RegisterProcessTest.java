package dev.mandate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.StoreUnavailableException;
import dev.mandate.cli.Main;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.Status;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code register} as users start it: real processes on one SQLite file, killed and frozen. */
@Tag("long")
@Order(1)
class RegisterProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final String STAYS = "echo up; while :; do sleep 0.05; done";

    @TempDir
    private Path temp;

    private final List<CandidateProcess> started = new ArrayList<>();
    private ElectionClient client;

    @BeforeEach
    void open() {
        client = ElectionClient.connect(store());
        client.registry().watch("web");
    }

    @AfterEach
    void close() {
        started.forEach(CandidateProcess::close);
        client.close();
    }

    private String store() {
        return "sqlite:" + temp.resolve("store.db") + "?lease=" + LEASE.toSeconds() + "s";
    }

    private CandidateProcess.Builder registering(String... arguments) {
        List<String> all = new ArrayList<>(List.of("register", "web", "--store", store()));
        all.addAll(List.of(arguments));
        if (!all.contains("--address")) {
            all.add(2, "--no-address");
        }
        return CandidateProcess.java(Main.class, all.toArray(String[]::new));
    }

    private CandidateProcess register(String... arguments) {
        return start(registering(arguments));
    }

    private CandidateProcess start(CandidateProcess.Builder builder) {
        CandidateProcess process = builder.start();
        started.add(process);
        return process;
    }

    private ServiceView web() {
        return client.registry().instances("web");
    }

    /** Empty if there is no answer: a lease of two seconds leaves a busy machine 133 ms for one. */
    private Optional<ServiceView> shown() {
        try {
            return Optional.of(web());
        } catch (StoreUnavailableException e) {
            return Optional.empty();
        }
    }

    private RegisteredInstance awaitInstance(String id, Status status) {
        return Await.value("instance " + id + " to be " + status, PATIENCE, () -> {
            Optional<RegisteredInstance> found = shown().flatMap(view -> view.find(id));
            return found.filter(each -> each.status() == status);
        });
    }

    private void awaitNobody() {
        Await.until("no instance to be left", PATIENCE, () -> {
            Optional<ServiceView> view = shown();
            return view.filter(seen -> !seen.stale() && seen.instances().isEmpty())
                    .isPresent();
        });
    }

    private static void awaitSaid(CandidateProcess process, String text) {
        try {
            Await.until("'" + text + "'", PATIENCE, () -> process.log().stream().anyMatch(line -> line.contains(text)));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; it said " + process.log(), e);
        }
    }

    private static void signal(CandidateProcess process, String name) throws Exception {
        new ProcessBuilder("kill", "-s", name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    @Test
    void anInstanceIsRegisteredForAsLongAsItsCommandRuns() {
        Path stop = temp.resolve("stop");
        CandidateProcess register = register(
                "--id",
                "a",
                "--address",
                "10.0.0.7:80",
                "--metadata",
                "zone=x",
                "--metadata",
                "note=a = b",
                "--",
                "sh",
                "-c",
                "echo $MANDATE_SERVICE $MANDATE_INSTANCE $MANDATE_ADDRESS; while [ ! -e " + stop
                        + " ]; do sleep 0.05; done; exit 7");

        RegisteredInstance instance = awaitInstance("a", Status.UP);
        assertThat(instance.address()).isEqualTo("10.0.0.7:80");
        assertThat(instance.metadata()).containsOnlyKeys("zone", "note").containsEntry("note", "a = b");
        register.await("the command", PATIENCE, "web a 10.0.0.7:80"::equals);
        awaitSaid(register, "registered, status UP");

        assertThat(stop.toFile().mkdir()).isTrue();

        assertThat(register.awaitExit(PATIENCE)).as("%s", register.log()).isEqualTo(7);
        // Removed, not run out: this look is the first after its end, or nearly so.
        awaitNobody();
        awaitSaid(register, "the command ended with exit code 7");
    }

    @Test
    void credentialsAndTheUrlAreNotTheCommandsBusiness() {
        CandidateProcess register =
                start(registering("--keep-env", "CONSUL_HTTP_TOKEN", "--", "sh", "-c", "env; exit 3")
                        .environment("MANDATE_STORE", "")
                        .environment("AZURE_STORAGE_KEY", "c2VjcmV0")
                        .environment("CONSUL_HTTP_TOKEN", "kept"));

        assertThat(register.awaitExit(PATIENCE)).as("%s", register.log()).isEqualTo(3);

        awaitSaid(register, "withheld from the command: AZURE_STORAGE_KEY");
        assertThat(register.lines())
                .contains("CONSUL_HTTP_TOKEN=kept", "MANDATE_SERVICE=web", "MANDATE_ADDRESS=")
                .noneMatch(line -> line.startsWith("AZURE_") || line.startsWith("MANDATE_STORE"));
    }

    /** Nobody is sent to it any more when its command is told to stop. */
    @Test
    void onTermTheInstanceIsRemovedBeforeTheCommandIsTold() throws Exception {
        CandidateProcess register =
                register("--id", "a", "--", "sh", "-c", "trap 'echo told; sleep 1; exit 5' TERM; " + STAYS);
        register.await("the command", PATIENCE, "up"::equals);
        awaitInstance("a", Status.UP);

        signal(register, "TERM");
        register.await("the command to be told", PATIENCE, "told"::equals);

        try (ElectionClient other = ElectionClient.connect(store())) {
            assertThat(other.registry().instances("web").instances()).isEmpty();
        }
        assertThat(register.awaitExit(PATIENCE)).as("%s", register.log()).isEqualTo(5);
    }

    @Test
    void withoutACommandItLastsUntilASignal() throws Exception {
        CandidateProcess register = register("--id", "a", "--json");
        awaitInstance("a", Status.UP);
        String line = register.await("its line", PATIENCE, text -> text.contains("\"phase\":\"registered\""));
        assertThat(line).contains("\"service\":\"web\"", "\"id\":\"a\"", "\"status\":\"UP\"");

        signal(register, "TERM");

        assertThat(register.awaitExit(PATIENCE)).as("%s", register.log()).isEqualTo(143);
        try (ElectionClient other = ElectionClient.connect(store())) {
            assertThat(other.registry().instances("web").instances()).isEmpty();
        }
    }

    @Test
    void aKilledOneTakesItsCommandAlongAndIsGoneWithinItsLease() {
        Path beat = temp.resolve("beat");
        CandidateProcess register =
                register("--id", "a", "--", "sh", "-c", "echo up; while :; do echo >>" + beat + "; sleep 0.05; done");
        register.await("the command", PATIENCE, "up"::equals);
        awaitInstance("a", Status.UP);

        register.kill();

        awaitNobody();
        Await.until(
                "its command to be dead",
                PATIENCE,
                () -> ProcessHandle.allProcesses()
                        .noneMatch(p -> p.info().commandLine().orElse("").contains(beat.toString())));
    }

    @Test
    void lossAndRegainAreSaid() {
        CandidateProcess register = register("--id", "a", "--", "sh", "-c", STAYS);
        register.await("the command", PATIENCE, "up"::equals);
        awaitSaid(register, "registered, status UP");

        register.freeze();
        awaitNobody();
        register.thaw();

        awaitSaid(register, "no longer registered");
        awaitSaid(register, "registered again, status UP");
        awaitInstance("a", Status.UP);
        assertThat(register.isAlive()).isTrue();
    }

    @Test
    void whoHoldsTheIdIsSaidAndFollowed() throws Exception {
        CandidateProcess first = register("--id", "a", "--candidate", "first");
        awaitInstance("a", Status.UP);
        CandidateProcess second = register("--id", "a", "--candidate", "second");
        awaitSaid(second, "id 'a' is held by first");

        signal(first, "TERM");

        awaitSaid(second, "registered, status UP");
        // The second is told by its own write, this client by its watch.
        Await.until(
                "the second to be listed",
                PATIENCE,
                () -> awaitInstance("a", Status.UP).candidate().equals("second"));
    }

    @Test
    void theCheckSetsTheStatus() throws Exception {
        Path well = temp.resolve("well");
        CandidateProcess register = register(
                "--id",
                "a",
                "--address",
                "here",
                "--check",
                "test \"$MANDATE_INSTANCE at $MANDATE_ADDRESS\" = 'a at here' && test -e " + well,
                "--every",
                "100ms",
                "--timeout",
                "20s");
        awaitInstance("a", Status.DOWN);
        awaitSaid(register, "status DOWN: the health check ended with exit code 1");

        Files.createFile(well);
        awaitInstance("a", Status.UP);
        awaitSaid(register, "status UP: the health check passed");

        Files.delete(well);
        awaitInstance("a", Status.DOWN);
    }

    @Test
    void aCheckThatHangsIsKilledAndCountsAsNo() {
        Path hanging = temp.resolve("hanging");
        CandidateProcess register =
                register("--id", "a", "--check", "sleep 600 # " + hanging, "--every", "100ms", "--timeout", "200ms");

        awaitInstance("a", Status.DOWN);

        awaitSaid(register, "status DOWN: the health check took longer than 200 ms");
        Await.until(
                "no more than the one that is being asked",
                PATIENCE,
                () -> ProcessHandle.allProcesses()
                                .filter(p ->
                                        p.info().commandLine().orElse("").startsWith("sh -c sleep 600 # " + hanging))
                                .count()
                        <= 1);
    }

    @Test
    void aStatusGivenByHandIsNotTheChecksToChange() {
        CandidateProcess register = register(
                "--id",
                "a",
                "--status",
                "out-of-service",
                "--check",
                "echo >>" + temp.resolve("asked"),
                "--every",
                "50ms");
        Await.until(
                "some answers",
                PATIENCE,
                () -> Files.exists(temp.resolve("asked"))
                        && Files.readAllLines(temp.resolve("asked")).size() > 5);

        assertThat(awaitInstance("a", Status.OUT_OF_SERVICE).isPassing()).isFalse();
        assertThat(register.log()).noneMatch(line -> line.contains("status UP"));
    }
}
