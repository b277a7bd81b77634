package dev.mandate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every library in the program's jar is listed with its license, whose text is in the archive. */
class ThirdPartyTest {
    private static final Path LICENSES = Project.ROOT.resolve("distribution/src/main/licenses");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([a-z][\\w-]*) \\| [A-Z].* \\|$");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]+)]\\(\\1\\)");

    private static Set<String> found(Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(LICENSES.resolve("README.md")))
                .results()
                .map((MatchResult row) -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theLibrariesInTheJarAreListed() throws IOException {
        List<String> bundled = Project.bundled().stream()
                .filter(jar -> !jar.startsWith(Project.ROOT)
                        && !jar.getFileName().toString().startsWith("mandate-"))
                .map(jar -> jar.getParent().getParent().getFileName().toString())
                .sorted()
                .toList();

        assertThat(bundled).contains("picocli", "sqlite-jdbc");
        assertThat(found(ROW)).containsExactlyElementsOf(bundled);
    }

    @Test
    void theTextsAreThereAndNoOthers() throws IOException {
        try (Stream<Path> files = Files.list(LICENSES)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .containsExactlyInAnyOrderElementsOf(found(LINK));
        }
    }
}
