package dev.mandate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** An archive that was unpacked into a folder nobody may write to. */
final class Unpacked {
    static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String VERSION = System.getProperty("mandate.version");

    private final Path folder;

    private Unpacked(Path folder) {
        this.folder = folder;
    }

    /** By the tool that users have for it: {@code tar.gz} or {@code zip}. */
    static Unpacked of(String format, Path into) throws IOException {
        Files.createDirectories(into);
        String archive = Project.ROOT
                .resolve("distribution/target/mandate-" + VERSION + "." + format)
                .toString();
        done(
                format.equals("zip")
                        ? List.of("unzip", "-q", archive, "-d", into.toString())
                        : List.of("tar", "-xzf", archive, "-C", into.toString()));
        Path folder = into.resolve("mandate-" + VERSION);
        done(List.of("chmod", "-R", "a-w", folder.toString()));
        return new Unpacked(folder);
    }

    private static void done(List<String> command) {
        try (CandidateProcess process =
                CandidateProcess.command(command.toArray(String[]::new)).start()) {
            assertThat(process.awaitExit(PATIENCE)).as("%s", process.log()).isZero();
        }
    }

    Path folder() {
        return folder;
    }

    Path launcher() {
        return folder.resolve("bin/mandate");
    }

    /** So that the temporary folder can be removed by those who aren't root, too. */
    void makeWritable() {
        done(List.of("chmod", "-R", "u+w", folder.toString()));
    }

    /** Every file with its size and the time of its last change: the same if nothing was written here. */
    Map<Path, String> content() throws IOException {
        Map<Path, String> content = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                content.put(file, Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return content;
    }

    /** A command of this launcher, called as {@code launcher}, whose user has the given home. */
    static CandidateProcess.Builder command(Path launcher, Path home, String... arguments) {
        List<String> command = Stream.concat(Stream.of(launcher.toString()), Stream.of(arguments))
                .toList();
        return CandidateProcess.command(command.toArray(String[]::new))
                .environment("HOME", home.toString())
                .environment("XDG_CACHE_HOME", "")
                .environment("XDG_DATA_HOME", "")
                .environment("MANDATE_STORE", "")
                .environment("MANDATE_STORE_FILE", "")
                .environment("MANDATE_COMPLETION_TIMEOUT", Long.toString(PATIENCE.toSeconds()));
    }
}
