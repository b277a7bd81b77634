package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that brings servers, with a package archive that is a folder: these tests use no network. */
class ServersScriptTest {
    private static final Path SCRIPT = script();

    /** Says its version; stands for a server, and, since there is nothing to unpack in it, for its package. */
    private static String server(String version) {
        return "#!/bin/sh\necho \"acme version: v" + version + " (build 9.9.9)\"\n";
    }

    @TempDir
    Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private final List<Process> started = new ArrayList<>();

    static Path script() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("testkit/servers/servers"))) {
            at = at.getParent();
        }
        return at.resolve("testkit/servers/servers");
    }

    @BeforeEach
    void anArchiveThatIsAFolder() throws IOException {
        executable("fakes/apt-get", """
                #!/bin/sh
                echo "apt-get $*" >>"$ARCHIVE/calls"
                case "$*" in
                    *--print-uris) echo "'copy:/mirror/dists/main/InRelease' x 0" ;;
                    *update) test -f "$ARCHIVE/index" ;;
                    *download*) cp "$ARCHIVE/package" ./acme.deb ;;
                esac
                """);
        executable("fakes/apt-cache", "#!/bin/sh\nexec cat \"$ARCHIVE/index\"\n");
        executable("fakes/apt-config", "#!/bin/sh\n");
        executable("fakes/apt-helper", """
                #!/bin/sh
                echo "apt-helper $*" >>"$ARCHIVE/calls"
                test -f "$ARCHIVE/slow" && while test -f "$ARCHIVE/slow"; do sleep 0.02; done
                case "$2" in
                    */lib*.deb) cp "$ARCHIVE/library" "$3" ;;
                    *) cp "$ARCHIVE/recorded" "$3" ;;
                esac
                """);
        executable("fakes/dpkg", """
                #!/bin/sh
                if test "$1" = --print-architecture; then echo amd64; exit; fi
                if grep -q library "$2"; then mkdir -p "$3/usr/lib/x"; cp "$2" "$3/usr/lib/x/libacme.so.1"; exit; fi
                mkdir -p "$3/usr/sbin" && cp "$2" "$3/usr/sbin/acme-server" && chmod +x "$3/usr/sbin/acme-server"
                ! grep -q damaged "$2"
                """);
        Files.createDirectory(folder.resolve("archive"));
        lock("");
        environment.put("PATH", folder.resolve("path") + ":" + folder.resolve("fakes") + ":/usr/bin:/bin");
        environment.put("ARCHIVE", folder.resolve("archive").toString());
        environment.put("MANDATE_SERVERS_LOCK", folder.resolve("lock").toString());
        environment.put("MANDATE_SERVERS_CACHE", folder.resolve("cache").toString());
    }

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    private void lock(String records) throws IOException {
        Files.writeString(folder.resolve("lock"), """
                # a comment
                server acme-1.2 acme-server 1.2 1.3
                source acme-1.2 elderly acme
                """ + records);
    }

    private String executable(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file.toString();
    }

    /** The archive has the version that is recorded. */
    private void archiveRecorded(String version) throws Exception {
        Files.writeString(folder.resolve("archive/recorded"), server(version));
        lock("record elderly acme amd64 " + version + "-1 " + sum(server(version)) + " pool/acme.deb\n");
    }

    /** The lists of the archive have that version. */
    private void archiveListed(String version) throws Exception {
        Files.writeString(folder.resolve("archive/package"), server(version));
        Files.writeString(
                folder.resolve("archive/index"),
                "Package: acme\nVersion: " + version + "-1\nSHA256: " + sum(server(version))
                        + "\nFilename: pool/acme.deb\n");
    }

    private static String sum(String text) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private record Result(int exit, String out, String err) {}

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private static Result end(Process process) throws Exception {
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), out.strip(), err.strip());
    }

    private Result run(String... arguments) throws Exception {
        return end(start(arguments));
    }

    /** What is said of a call that fails and prints nothing else. */
    private String refusal(String... arguments) throws Exception {
        Result result = run(arguments);
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        return result.err();
    }

    private long calls(String of) throws IOException {
        Path calls = folder.resolve("archive/calls");
        return Files.exists(calls)
                ? Files.readAllLines(calls).stream()
                        .filter(call -> call.contains(of))
                        .count()
                : 0;
    }

    @Test
    void theEnvironmentComesBeforeThePathAndThePathBeforeTheCache() throws Exception {
        archiveRecorded("1.2.3");
        Result fetched = run("path", "--long", "acme-1.2");
        assertThat(fetched.out()).startsWith("fetched\t1.2.3\t" + folder.resolve("cache/acme-1.2"));
        // It is not started again to say its version, for which a busy machine may take long.
        Files.writeString(Path.of(fetched.out().split("\t")[2]), "#!/bin/sh\nexit 1\n");
        assertThat(run("path", "--no-fetch", "acme-1.2").exit()).isZero();
        String onPath = executable("path/acme-server", server("1.2.4"));
        assertThat(run("path", "--long", "acme-1.2").out()).isEqualTo("found\t1.2.4\t" + onPath);
        String named = executable("elsewhere/acme", server("1.2.5"));
        environment.put("MANDATE_SERVER_ACME_1_2", named);

        assertThat(run("path", "--long", "acme-1.2").out()).isEqualTo("found\t1.2.5\t" + named);
        assertThat(run("path", "acme-1.2").out()).isEqualTo(named);
    }

    @Test
    void aVersionOnThePathThatIsNotAllowedIsPassedOver() throws Exception {
        archiveRecorded("1.2.3");
        for (String wrong : List.of("1.1.9", "1.3", "1.3.0", "1.20.0", "2.0.0", "0.1.2.5")) {
            executable("path/acme-server", server(wrong));

            Result result = run("path", "--long", "acme-1.2");

            assertThat(result.out()).as(wrong).startsWith("fetched\t1.2.3\t");
        }
        for (String right : List.of("1.2", "1.2.0", "1.2.99")) {
            executable("path/acme-server", server(right));
            assertThat(run("path", "--long", "acme-1.2").out()).startsWith("found\t" + right + "\t");
        }
    }

    @Test
    void aVersionInTheEnvironmentThatIsNotAllowedIsRefused() throws Exception {
        archiveRecorded("1.2.3");
        executable("path/acme-server", server("1.2.4"));
        environment.put("MANDATE_SERVER_ACME_1_2", executable("elsewhere/acme", server("1.3.1")));

        assertThat(refusal("path", "acme-1.2"))
                .contains("MANDATE_SERVER_ACME_1_2", "'1.3.1'", "1.2 or newer, below 1.3");
        environment.put("MANDATE_SERVER_ACME_1_2", "/no/such/program");
        assertThat(run("fetch", "acme-1.2")).satisfies(fetch -> {
            assertThat(fetch.exit()).isEqualTo(1);
            assertThat(fetch.out()).contains("missing", "/no/such/program");
        });
    }

    @Test
    void whatIsRecordedIsFetchedWithoutListsAndWithoutAWord() throws Exception {
        archiveRecorded("1.2.3");

        Result result = run("fetch", "--all");

        assertThat(result.exit()).isZero();
        assertThat(result.out()).matches("acme-1.2 +fetched +1.2.3 .*/usr/sbin/acme-server");
        assertThat(result.err()).isEmpty();
        assertThat(calls("apt-helper download-file copy:/mirror/pool/acme.deb")).isEqualTo(1);
        assertThat(calls("download acme")).isZero();
        assertThat(run("fetch").exit()).isZero();
        assertThat(calls("apt-helper")).isEqualTo(1);
    }

    @Test
    void anotherAllowedVersionIsAWarning() throws Exception {
        archiveRecorded("1.2.3");
        Files.delete(folder.resolve("archive/recorded"));
        archiveListed("1.2.7");

        Result result = run("path", "--long", "acme-1.2");

        assertThat(result.exit()).isZero();
        assertThat(result.out()).startsWith("fetched\t1.2.7\t");
        assertThat(result.err())
                .contains("warning", "1.2.7-1", "recorded is 1.2.3-1", "relock")
                .hasLineCount(1);
    }

    @Test
    void anotherChecksumIsAWarning() throws Exception {
        archiveRecorded("1.2.3");
        Files.writeString(folder.resolve("archive/recorded"), server("1.2.3") + "# not what was recorded\n");
        archiveListed("1.2.3");
        Files.writeString(folder.resolve("archive/package"), server("1.2.3") + "# built again\n");

        Result result = run("path", "--long", "acme-1.2");

        assertThat(result.exit()).isZero();
        assertThat(result.out()).startsWith("fetched\t1.2.3\t");
        assertThat(Files.readString(Path.of(result.out().split("\t")[2]))).endsWith("# built again\n");
        assertThat(result.err())
                .contains("warning", sum(server("1.2.3")).substring(0, 12))
                .hasLineCount(1);
    }

    @Test
    void whereNothingAllowedIsToBeHadThereIsOneSentence() throws Exception {
        executable("path/acme-server", server("1.1.0"));
        archiveListed("1.4.0");

        assertThat(refusal("path", "acme-1.2"))
                .contains("acme-1.2", "1.2 or newer, below 1.3", "version '1.1.0'", "elderly", "says version 1.4.0")
                .contains("MANDATE_SERVER_ACME_1_2")
                .hasLineCount(1);
        assertThat(run("fetch", "acme-1.2").exit()).isEqualTo(1);
        assertThat(run("list").out()).contains("acme-1.2", "missing");
    }

    @Test
    void anArchiveThatIsNotReachableIsTriedAgainOnlyWhenAsked() throws Exception {
        Result first = run("path", "acme-1.2");

        assertThat(first.exit()).isEqualTo(1);
        assertThat(first.err()).contains("elderly: no package lists").hasLineCount(1);
        long calls = calls("apt-get");
        assertThat(run("path", "acme-1.2").err()).contains("elderly: no package lists", "a few minutes ago");
        assertThat(run("path", "--no-fetch", "acme-1.2").err()).contains("elderly: no package lists");
        assertThat(calls("apt-get")).isEqualTo(calls);
        archiveRecorded("1.2.3");
        assertThat(run("fetch", "acme-1.2").exit()).isZero();
        assertThat(run("path", "acme-1.2").exit()).isZero();
    }

    @Test
    void nothingIsFetchedWhereThatIsForbidden() throws Exception {
        archiveRecorded("1.2.3");
        environment.put("MANDATE_SERVERS_FETCH", "never");

        assertThat(run("path", "acme-1.2").err()).contains("not fetched, as was asked");
        assertThat(run("path", "--no-fetch", "acme-1.2").exit()).isEqualTo(1);
        assertThat(calls("apt")).isZero();
    }

    @Test
    void withoutAptItSaysWhatToDo() throws Exception {
        for (String tool : "awk cat cut dirname find grep head mkdir readlink sed sort tr".split(" ")) {
            Path program = ServerFixture.program(List.of(tool)).orElseThrow();
            executable("tools/" + tool, "#!/bin/sh\nexec " + program + " \"$@\"\n");
        }
        environment.put("PATH", folder.resolve("tools").toString());

        assertThat(refusal("path", "acme-1.2"))
                .contains("nothing can be fetched without apt-get", "Please put one on the PATH")
                .hasLineCount(1);
    }

    @Test
    void aDamagedPackageIsNeverUsed() throws Exception {
        String damaged = server("1.2.3") + "# damaged\n";
        Files.writeString(folder.resolve("archive/recorded"), damaged);
        lock("record elderly acme amd64 1.2.3-1 " + sum(damaged) + " pool/acme.deb\n");

        assertThat(run("path", "acme-1.2").exit()).isEqualTo(1);
        assertThat(run("list").out()).contains("missing");
        try (Stream<Path> left = Files.list(folder.resolve("cache"))) {
            assertThat(left.map(p -> p.getFileName().toString()))
                    .containsExactlyInAnyOrder(".turn", ".failed-acme-1.2");
        }
    }

    @Test
    void aServerIsStartedWithTheLibrariesThatWereBroughtWithIt() throws Exception {
        String server = "#!/bin/sh\necho \"acme version: v1.2.3\" && cat \"${LD_LIBRARY_PATH%%:*}/libacme.so.1\"\n";
        Files.writeString(folder.resolve("archive/recorded"), server);
        Files.writeString(folder.resolve("archive/library"), "a library\n");
        lock("library acme-1.2 elderly libacme\nrecord elderly acme amd64 1.2.3-1 " + sum(server) + " pool/acme.deb\n"
                + "record elderly libacme amd64 7-1 " + sum("a library\n") + " pool/libacme.deb\n");

        Result result = run("path", "--long", "acme-1.2");

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).startsWith("fetched\t1.2.3\t" + folder.resolve("cache/acme-1.2/1.2.3-1-"));
        Process started = new ProcessBuilder(result.out().split("\t")[2]).start();
        assertThat(end(started).out()).endsWith("a library");
        Files.delete(folder.resolve("archive/library"));
        environment.put("MANDATE_SERVERS_CACHE", folder.resolve("another").toString());
        assertThat(run("path", "acme-1.2").exit()).isEqualTo(1);
    }

    @Test
    void aProgramUnderAnotherNameIsStartedWithTheFontsThatWereBroughtWithIt() throws Exception {
        String server = "#!/bin/sh\necho \"acme version: v1.2.3\" && cat \"$FONTCONFIG_FILE\"\n";
        Files.writeString(folder.resolve("archive/recorded"), server);
        Files.writeString(folder.resolve("archive/library"), "a library\n");
        executable("fakes/dpkg", """
                #!/bin/sh
                if test "$1" = --print-architecture; then echo amd64; exit; fi
                mkdir -p "$3/usr/lib/acme" "$3/usr/share/fonts"
                if grep -q library "$2"; then cp "$2" "$3/usr/lib/acme/libacme.so"; exit; fi
                cp "$2" "$3/usr/lib/acme/acme-small" && chmod +x "$3/usr/lib/acme/acme-small"
                """);
        Files.writeString(folder.resolve("lock"), """
                server acme-1.2 acme-server 1.2 1.3
                source acme-1.2 elderly acme usr/lib/acme/acme-none
                source acme-1.2 elderly acme usr/lib/acme/acme-small
                library acme-1.2 elderly libacme libacme
                record elderly libacme amd64 7-1 %s pool/libacme.deb
                record elderly acme amd64 1.2.3-1 %s pool/acme.deb
                """.formatted(sum("a library\n"), sum(server)));

        Result result = run("path", "acme-1.2");

        assertThat(result.err()).isEmpty();
        Process started = new ProcessBuilder(result.out()).start();
        assertThat(end(started).out()).contains("<dir prefix=\"relative\">files/usr/share/fonts</dir>");
        assertThat(Path.of(result.out()).resolveSibling("files/usr/share/fonts"))
                .isDirectory();
    }

    @Test
    void whoComesDuringAFetchWaitsAndGetsTheSame() throws Exception {
        archiveRecorded("1.2.3");
        Path slow = Files.createFile(folder.resolve("archive/slow"));
        Process first = start("path", "acme-1.2");
        Await.until("the first to fetch", Duration.ofSeconds(60), () -> calls("apt-helper") == 1);
        Process second = start("path", "acme-1.2");
        Process third = start("fetch", "acme-1.2");

        Files.delete(slow);

        String path = end(first).out();
        assertThat(path).endsWith("acme-server");
        assertThat(end(second).out()).isEqualTo(path);
        assertThat(end(third).out()).endsWith(path);
        assertThat(calls("apt-helper")).isEqualTo(1);
    }

    @Test
    void whatAKilledFetchLeftIsSweptAndNotUsed() throws Exception {
        archiveRecorded("1.2.3");
        Path slow = Files.createFile(folder.resolve("archive/slow"));
        Process killed = start("path", "acme-1.2");
        Await.until("it to fetch", Duration.ofSeconds(60), () -> calls("apt-helper") == 1);
        List<ProcessHandle> children = killed.descendants().toList();
        killed.destroyForcibly().waitFor();
        children.forEach(ProcessHandle::destroyForcibly);
        Files.delete(slow);
        assertThat(run("path", "--no-fetch", "acme-1.2").exit()).isEqualTo(1);

        assertThat(run("path", "acme-1.2").exit()).isZero();

        try (Stream<Path> left = Files.list(folder.resolve("cache"))) {
            assertThat(left.map(p -> p.getFileName().toString())).containsExactlyInAnyOrder(".turn", "acme-1.2");
        }
    }

    @Test
    void relockRecordsWhatIsListedAndLeavesTheRestAlone() throws Exception {
        archiveRecorded("1.2.3");
        archiveListed("1.2.7");

        Result result = run("relock");

        assertThat(result.exit()).isZero();
        String record = " 1.2.7-1 " + sum(server("1.2.7")) + " pool/acme.deb";
        assertThat(folder.resolve("lock")).hasContent("""
                # a comment
                server acme-1.2 acme-server 1.2 1.3
                source acme-1.2 elderly acme
                record elderly acme amd64%s
                record elderly acme arm64%s
                """.formatted(record, record));
        assertThat(run("relock").out()).isEqualTo("nothing has changed");
        Files.delete(folder.resolve("archive/index"));
        String before = Files.readString(folder.resolve("lock"));
        assertThat(run("relock")).satisfies(failed -> {
            assertThat(failed.exit()).isEqualTo(1);
            assertThat(failed.err()).contains("warning", "acme", "its record stays");
        });
        assertThat(folder.resolve("lock")).hasContent(before);
    }

    @Test
    void wrongCallsAreRefused() throws Exception {
        for (String call : List.of("", "bring", "path", "path a b", "path --fast acme-1.2", "fetch none", "list x")) {
            Result result = run(call.isEmpty() ? new String[0] : call.split(" "));

            assertThat(result.exit()).as("'%s'", call).isEqualTo(2);
            assertThat(result.out()).isEmpty();
            assertThat(result.err()).isNotEmpty();
        }
        assertThat(run("--help").out()).contains("Usage: servers", "MANDATE_SERVER_ETCD_3_4", "Exit code");
        environment.put("MANDATE_SERVERS_LOCK", "/no/such/lock");
        assertThat(run("list").err()).contains("/no/such/lock");
    }

    /** A project of npm's, whose npm is one of ours. */
    private void npmProject(String version) throws IOException {
        Files.writeString(folder.resolve("lock"), """
                server acme-1.2 acme-server 1.2 1.3
                source acme-1.2 npm acme
                """);
        executable("fakes/node", "#!/bin/sh\n");
        executable("fakes/npm", """
                #!/bin/sh
                echo "npm $*" >>"$ARCHIVE/calls"
                test -f package-lock.json || exit 1
                ! grep -q damaged package-lock.json || { echo 'npm error code EINTEGRITY' >&2; exit 1; }
                mkdir -p node_modules/.bin && cp "$ARCHIVE/recorded" node_modules/.bin/acme-server
                chmod +x node_modules/.bin/acme-server
                """);
        Files.writeString(folder.resolve("archive/recorded"), server(version));
        Files.createDirectories(folder.resolve("npm/acme"));
        Files.writeString(folder.resolve("npm/acme/package.json"), "{}");
        Files.writeString(folder.resolve("npm/acme/package-lock.json"), "{}");
    }

    @Test
    void aProjectOfNpmsIsInstalledOnceAsItsLockFileSays() throws Exception {
        npmProject("1.2.3");

        Result first = run("path", "acme-1.2");
        Result second = run("path", "acme-1.2");

        assertThat(first.exit()).as(first.err()).isZero();
        assertThat(first.out()).endsWith("/node_modules/.bin/acme-server").isEqualTo(second.out());
        assertThat(calls("npm ci --ignore-scripts --omit=dev")).isEqualTo(1);
        assertThat(calls("apt-get")).isZero();
    }

    @Test
    void whatNpmDoesNotTakeForWholeIsNotInstalled() throws Exception {
        npmProject("1.2.3");
        Files.writeString(folder.resolve("npm/acme/package-lock.json"), "damaged");

        assertThat(refusal("path", "acme-1.2")).contains("EINTEGRITY");
    }

    @Test
    void aServerOfNpmsInAnotherVersionIsRefused() throws Exception {
        npmProject("1.3.0");

        assertThat(refusal("path", "acme-1.2")).contains("1.3.0", "1.2 or newer");
    }
}
