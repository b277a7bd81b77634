package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./mandate}, in a folder that looks like the project: it runs what is there, and builds only when asked to. */
class LauncherTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path root;

    @BeforeEach
    void copyLauncher() throws IOException {
        Path project = Path.of("").toAbsolutePath();
        while (!Files.exists(project.resolve("verify"))) {
            project = project.getParent();
        }
        Files.copy(project.resolve("mandate"), root.resolve("mandate"));
        Files.createDirectories(root.resolve(".build"));
        for (String sourced : List.of("toolchain.sh", "start.sh")) {
            Files.copy(
                    project.resolve(".build").resolve(sourced),
                    root.resolve(".build").resolve(sourced));
        }
        Files.createDirectories(root.resolve("cli/src/main"));
        Files.writeString(root.resolve("cli/pom.xml"), "<project/>");
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        // A Maven that says it was called, and fails.
        script(
                "bin/mvn",
                "case $* in *--version*) echo 'Apache Maven 3.9.9' ;; *) echo >" + root + "/built; exit 1 ;; esac");
    }

    private Path script(String name, String body) throws IOException {
        Path script = root.resolve(name);
        Files.createDirectories(script.getParent());
        Files.writeString(script, "#!/bin/sh\n" + body + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    /** As an earlier build left it, with a java that does what {@code body} says. */
    private void isBuilt(String body) throws IOException {
        Path run = Files.createDirectories(root.resolve("cli/target/run"));
        Files.writeString(run.resolve("mandate.jar"), "");
        Files.writeString(run.resolve("java"), script("bin/java", body) + "\n");
        Files.writeString(run.resolve("built"), "");
        Files.setLastModifiedTime(
                run.resolve("built"), FileTime.from(Instant.now().minus(Duration.ofHours(1))));
        Files.writeString(root.resolve("cli/src/main/Newer.java"), "");
    }

    private CandidateProcess.Builder mandate(String... arguments) {
        List<String> command = new ArrayList<>(List.of(root.resolve("mandate").toString()));
        command.addAll(List.of(arguments));
        return CandidateProcess.command(command.toArray(String[]::new))
                .environment("PATH", root.resolve("bin") + ":" + System.getenv("PATH"))
                .environment("MANDATE_DEV", "");
    }

    private boolean wasMavenCalled() {
        return Files.exists(root.resolve("built"));
    }

    @Test
    void onceThereIsSomethingToRunNothingIsBuilt() throws IOException {
        isBuilt("echo ran");

        try (CandidateProcess run = mandate("status").start()) {
            assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isZero();
            assertThat(run.log()).containsExactly("ran");
        }
        assertThat(wasMavenCalled()).isFalse();
    }

    /** What makes a start faster is not needed for one, and may take seconds. */
    @Test
    void aFirstBuildThatIsKilledOverItsArchiveIsNotMadeAgain() throws IOException {
        Path jar = root.resolve("cli/target/launcher/mandate.jar");
        script(
                "bin/mvn",
                "case $* in *--version*) echo 'Apache Maven 3.9.9' ;; *) echo >>" + root + "/built; mkdir -p "
                        + jar.getParent() + "; echo >" + jar + " ;; esac");
        script("jdk/bin/javac", "echo javac 17.0.1");
        script(
                "jdk/bin/java",
                "case $* in *DumpLoadedClassList*) echo >" + root
                        + "/archiving; exec sleep 100 ;; *) echo ran ;; esac");
        try (CandidateProcess first =
                mandate("status").environment("JAVA_HOME", root + "/jdk").start()) {
            Await.until("the archive to be made", PATIENCE, () -> Files.exists(root.resolve("archiving")));
            first.kill();
        }

        try (CandidateProcess second =
                mandate("status").environment("JAVA_HOME", root + "/jdk").start()) {
            second.await("the command line", PATIENCE, "ran"::equals);
            assertThat(second.awaitExit(PATIENCE)).isZero();
        }
        assertThat(Files.readAllLines(root.resolve("built"))).as("builds").hasSize(1);
    }

    @Test
    void developersWhoAskGetTheirChangesOrNothing() throws IOException {
        isBuilt("echo ran");

        try (CandidateProcess run =
                mandate("status").environment("MANDATE_DEV", "1").start()) {
            assertThat(run.awaitExit(PATIENCE)).isEqualTo(125);
            assertThat(run.log())
                    .anyMatch(line -> line.contains("the sources have changed: building again"))
                    .anyMatch(line -> line.contains("the build failed; its log is"))
                    .doesNotContain("ran");
        }
        assertThat(wasMavenCalled()).isTrue();
    }

    @Test
    void theFirstUseSaysFirstWhatItDoes() {
        try (CandidateProcess run = mandate("status").start()) {
            assertThat(run.awaitExit(PATIENCE)).isEqualTo(125);
            assertThat(run.log().get(0)).contains("mandate: first use: building", "Maven fetches");
        }
    }

    @Test
    void whatWillBeInstalledIsNamedBefore() {
        String script = ". " + root.resolve(".build/toolchain.sh")
                + "; find_jdk() { :; }; has_maven() { false; }; may_install() { true; }; missing";
        try (CandidateProcess run = CandidateProcess.command("sh", "-c", script).start()) {
            assertThat(run.awaitExit(PATIENCE)).isZero();
            assertThat(run.log())
                    .containsExactly(", after installing the Debian package openjdk-17-jdk-headless,"
                            + " after installing the Debian package maven");
        }
    }

    @Test
    void aJavaThatIsGoneIsReplacedByAnotherAndNeverInstalled() throws IOException {
        isBuilt("echo ran");
        Files.delete(root.resolve("bin/java"));

        try (CandidateProcess run = mandate("status").start()) {
            // The jar of this test is empty: another java was found, and says so.
            assertThat(run.awaitExit(PATIENCE)).isEqualTo(1);
            assertThat(run.log()).anyMatch(line -> line.contains("mandate.jar"));
        }
        assertThat(wasMavenCalled()).isFalse();
    }

    /**
     * In a process namespace of its own, as in a container: orphans of each term are collected, signals arrive, and the
     * code is the command's.
     */
    @Test
    void asProcessOneItLeavesNoZombies() throws Exception {
        String[] namespace = {"unshare", "--pid", "--fork", "--mount-proc"};
        assumeThat(new ProcessBuilder(namespace[0], namespace[1], namespace[2], namespace[3], "true")
                        .start()
                        .waitFor())
                .as("whether this user may make process namespaces")
                .isZero();
        isBuilt("while [ \"$1\" != -jar ]; do shift; done; shift 2; exec "
                + Path.of(System.getProperty("java.home"), "bin", "java") + " -cp "
                + System.getProperty("java.class.path") + " dev.mandate.cli.Main \"$@\"");
        // Each of the orphans ends at once, its parent before it.
        String command = "for i in 1 2 3 4 5; do (sleep 0.1 &) ; done; sleep 1; ps -eo stat= | grep -c Z >" + root
                + "/zombies; ps -p 1 -o comm= >" + root + "/first; trap 'exit 7' USR1; echo up;"
                + " while :; do sleep 0.05; done";
        List<String> line = new ArrayList<>(List.of(namespace));
        line.addAll(List.of(root.resolve("mandate").toString(), "run", "--election", "e", "--once", "--store"));
        line.addAll(List.of("sqlite:" + root.resolve("store.db"), "--", "sh", "-c", command));
        try (CandidateProcess run = CandidateProcess.command(line.toArray(String[]::new))
                .environment("PATH", root.resolve("bin") + ":" + System.getenv("PATH"))
                .start()) {
            run.await("the command", PATIENCE, "up"::equals);
            assertThat(Files.readString(root.resolve("first"))).isEqualToIgnoringWhitespace("bash");
            assertThat(Files.readString(root.resolve("zombies"))).isEqualToIgnoringWhitespace("0");
            ProcessHandle first = Await.value(
                    "process 1 of the namespace",
                    PATIENCE,
                    () -> ProcessHandle.of(run.pid())
                            .flatMap(unshare -> unshare.children().findFirst()));

            new ProcessBuilder("kill", "-s", "USR1", Long.toString(first.pid()))
                    .start()
                    .waitFor();

            assertThat(run.awaitExit(PATIENCE)).as("%s", run.log()).isEqualTo(7);
        }
    }
}
