package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The file that says which servers the tests use, and where they come from. */
class ServersLockTest {
    private static final Path LOCK = ServersScriptTest.script().resolveSibling("servers.lock");

    @Test
    void theLockFileOfThisProjectIsWhole() throws IOException {
        List<List<String>> rows = Files.readAllLines(LOCK).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> Arrays.asList(line.split(" +")))
                .toList();
        Map<String, List<List<String>>> kinds = rows.stream().collect(Collectors.groupingBy(row -> row.get(0)));
        assertThat(kinds.keySet()).containsExactlyInAnyOrder("server", "source", "library", "record");
        assertThat(kinds.get("server")).allSatisfy(row -> assertThat(row).hasSize(5));
        assertThat(kinds.get("source")).allSatisfy(row -> assertThat(row).hasSizeBetween(4, 5));
        assertThat(new TreeSet<>(
                        kinds.get("server").stream().map(row -> row.get(1)).toList()))
                .isEqualTo(new TreeSet<>(
                        kinds.get("source").stream().map(row -> row.get(1)).toList()))
                .contains("etcd-3.4", "etcd-3.5", "consul");
        List<String> recorded = kinds.get("record").stream()
                .map(row -> String.join(" ", row.subList(1, 4)))
                .toList();
        assertThat(kinds.get("record")).allSatisfy(row -> {
            assertThat(row).hasSize(7);
            assertThat(row.get(5)).matches("[0-9a-f]{64}");
            // A path within a mirror: which mirror, the system's own sources say.
            assertThat(row.get(6)).matches("pool/[^:]*\\.deb");
        });
        assertThat(kinds.get("source"))
                .filteredOn(row -> row.get(2).equals("npm"))
                .isNotEmpty()
                .allSatisfy(row -> {
                    Path project = LOCK.resolveSibling("npm/" + row.get(3));
                    assertThat(project.resolve("package.json")).exists();
                    String locked = Files.readString(project.resolve("package-lock.json"));
                    int packages = locked.split("\"node_modules/[^\"]*\": \\{", -1).length - 1;
                    assertThat(packages).isPositive();
                    assertThat(locked.split("\"integrity\": \"sha512-", -1)).hasSize(packages + 1);
                    // Where from, says npm's own configuration.
                    assertThat(locked).doesNotContain("\"resolved\"", "://");
                });
        assertThat(Stream.of("source", "library").flatMap(kind -> kinds.get(kind).stream()))
                .filteredOn(row -> !row.get(2).equals("own") && !row.get(2).equals("npm"))
                .allSatisfy(row -> assertThat(row.subList(3, row.get(0).equals("source") ? 4 : row.size()))
                        .isNotEmpty()
                        .allSatisfy(packaged -> assertThat(recorded)
                                .contains(
                                        row.get(2) + " " + packaged + " amd64",
                                        row.get(2) + " " + packaged + " arm64")));
    }
}
