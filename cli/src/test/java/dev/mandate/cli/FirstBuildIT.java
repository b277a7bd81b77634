package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's first command in a fresh copy: the launcher compiles by other goals than {@code mvn verify}. */
class FirstBuildIT {
    private static final Set<String> NOT_SOURCES = Set.of("target", ".git");

    @TempDir
    private Path copy;

    @Test
    void theFirstUseBuildsWhatThenRuns() throws Exception {
        Path project = Path.of("").toAbsolutePath();
        while (!Files.exists(project.resolve("verify"))) {
            project = project.getParent();
        }
        copy(project);

        try (CandidateProcess run = CandidateProcess.command(
                        copy.resolve("mandate").toString(), "--help")
                .environment("MANDATE_DEV", "")
                .start()) {
            int code = run.awaitExit(Duration.ofMinutes(9));
            assertThat(code).as("%s", run.log()).isZero();
            assertThat(run.log()).anyMatch(line -> line.contains("first use: building"));
        }
    }

    private void copy(Path project) throws IOException {
        Files.walkFileTree(project, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                if (NOT_SOURCES.contains(folder.getFileName().toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(copy.resolve(project.relativize(folder).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, copy.resolve(project.relativize(file).toString()));
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
