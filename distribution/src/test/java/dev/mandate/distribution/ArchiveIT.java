package dev.mandate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The archives, unpacked as a user would: in a folder with a blank, read-only, called through a symbolic link. */
class ArchiveIT {
    private static final long MOST_BYTES = 60_000_000;
    private static final String VERSION = System.getProperty("mandate.version");

    @TempDir
    private Path temp;

    private Unpacked unpacked;

    @AfterEach
    void makeWritable() {
        unpacked.makeWritable();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tar.gz", "zip"})
    void runsAndWritesNothingBesideItself(String format) throws Exception {
        unpacked = Unpacked.of(format, temp.resolve("a folder"));
        Path home = Files.createDirectory(temp.resolve("a home"));
        Path link = link();
        Map<Path, String> before = unpacked.content();

        assertThat(lines(link, home, "--version")).containsExactly("mandate " + VERSION);
        assertThat(lines(link, home, "--help")).anyMatch(line -> line.strip().startsWith("completion"));
        String store = "sqlite:" + temp.resolve("store.db");
        assertThat(lines(
                        link,
                        home,
                        "run",
                        "--election",
                        "e",
                        "--once",
                        "--store",
                        store,
                        "--",
                        "sh",
                        "-c",
                        "echo led $MANDATE_ELECTION"))
                .contains("led e");

        assertThat(unpacked.content()).isEqualTo(before);
    }

    /** A link to a link that is relative, as package managers make them. */
    private Path link() throws IOException {
        Path bin = Files.createDirectories(temp.resolve("bin"));
        Path link = Files.createSymbolicLink(temp.resolve("a link"), unpacked.launcher());
        return Files.createSymbolicLink(bin.resolve("mandate"), bin.relativize(link));
    }

    private static List<String> lines(Path launcher, Path home, String... arguments) {
        try (CandidateProcess process =
                Unpacked.command(launcher, home, arguments).start()) {
            assertThat(process.awaitExit(Unpacked.PATIENCE))
                    .as("%s", process.log())
                    .isZero();
            return process.lines();
        }
    }

    @Test
    void keepsOneClassArchiveInTheUsersCache() throws Exception {
        unpacked = Unpacked.of("tar.gz", temp.resolve("here"));
        Path cache = temp.resolve("home/.cache/mandate");
        Path home = Files.createDirectory(temp.resolve("home"));
        Files.createDirectories(cache);

        lines(unpacked.launcher(), home, "--help");
        List<Path> first = files(cache);
        lines(unpacked.launcher(), home, "--version");

        assertThat(first).hasSize(1);
        assertThat(Files.size(first.get(0))).isPositive();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first.get(0))))
                .endsWith("------");
        assertThat(files(cache)).as("made once").isEqualTo(first);
    }

    /** The JVM says so if it was told to use an archive and can't. */
    @Test
    void theClassArchiveIsUsed() throws Exception {
        unpacked = Unpacked.of("tar.gz", temp.resolve("here"));
        Path home = Files.createDirectory(temp.resolve("home"));
        lines(unpacked.launcher(), home, "--help");

        try (CandidateProcess process = Unpacked.command(unpacked.launcher(), home, "--version")
                .environment("MANDATE_JAVA_OPTS", "-Xlog:class+load=info:stdout")
                .start()) {
            assertThat(process.awaitExit(Unpacked.PATIENCE)).isZero();
            assertThat(process.lines())
                    .anyMatch(line -> line.contains("dev.mandate.cli.Main source: shared objects file"))
                    .anyMatch(line -> line.contains("picocli.CommandLine source: shared objects file"));
        }
    }

    @Test
    void doesWithoutAClassArchiveWhereItCanWriteNone() throws Exception {
        unpacked = Unpacked.of("tar.gz", temp.resolve("here"));
        Path noFolder = Files.writeString(temp.resolve("file"), "");

        assertThat(lines(unpacked.launcher(), noFolder, "--version")).containsExactly("mandate " + VERSION);
    }

    @Test
    void saysWhatToInstallWhereThereIsNoJava() throws Exception {
        unpacked = Unpacked.of("tar.gz", temp.resolve("here"));
        // Whatever this machine has installed: a Java that is too old comes first, and the usual folder is left out.
        Path old = Files.createDirectories(temp.resolve("old/bin"));
        Files.writeString(old.resolve("java"), "#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n");
        assertThat(old.resolve("java").toFile().setExecutable(true)).isTrue();
        Path launcher = Files.createDirectories(temp.resolve("copy/bin")).resolve("mandate");
        Files.writeString(launcher, Files.readString(unpacked.launcher()).replace("/usr/lib/jvm/*", temp + "/nothing"));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        Files.createSymbolicLink(temp.resolve("copy/lib"), unpacked.folder().resolve("lib"));

        try (CandidateProcess process = Unpacked.command(launcher, temp, "--help")
                .environment("JAVA_HOME", "")
                .environment("PATH", old + ":" + withoutJava())
                .start()) {
            assertThat(process.awaitExit(Unpacked.PATIENCE)).isEqualTo(125);
            assertThat(process.log()).singleElement().asString().contains("Java 17 or newer is needed: install it");
        }
    }

    /** The tools that the launcher and this test's process call, without the rest of their folders. */
    private String withoutJava() throws IOException {
        Path tools = Files.createDirectories(temp.resolve("tools"));
        for (String name : List.of("sh", "dirname", "readlink", "sed", "cat", "setsid", "setpriv", "env", "bash")) {
            Optional<Path> tool = Stream.of(System.getenv("PATH").split(":"))
                    .map(folder -> Path.of(folder, name))
                    .filter(Files::isExecutable)
                    .findFirst();
            if (tool.isPresent()) {
                Files.createSymbolicLink(tools.resolve(name), tool.get());
            }
        }
        return tools.toString();
    }

    @Test
    void holdsLicensesAndCompletionAndIsNotTooLarge() throws Exception {
        unpacked = Unpacked.of("zip", temp.resolve("here"));

        assertThat(unpacked.folder().resolve("LICENSE")).hasSameBinaryContentAs(Project.ROOT.resolve("LICENSE"));
        assertThat(files(unpacked.folder().resolve("licenses"))).hasSizeGreaterThan(2);
        assertThat(files(unpacked.folder().resolve("completion")))
                .extracting(file -> file.getFileName().toString())
                .containsExactly("mandate.bash", "mandate.zsh");
        for (String format : List.of("tar.gz", "zip")) {
            assertThat(Files.size(Project.ROOT.resolve("distribution/target/mandate-" + VERSION + "." + format)))
                    .as(format)
                    .isLessThan(MOST_BYTES);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }
}
