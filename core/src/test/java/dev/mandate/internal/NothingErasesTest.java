package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is left of an election is never erased: neither the engine nor the runtime that drives it asks for that. */
class NothingErasesTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/mandate");

    @Test
    void noElectionIsErased() throws IOException {
        try (Stream<Path> engine = Files.walk(SOURCES.resolve("engine"));
                Stream<Path> runtime = Files.list(SOURCES.resolve("internal"));
                Stream<Path> api = Files.list(SOURCES)) {
            List<Path> sources = Stream.of(engine, runtime, api)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".java"))
                    .toList();

            assertThat(sources).hasSizeGreaterThan(50).noneMatch(NothingErasesTest::erases);
        }
    }

    private static boolean erases(Path source) {
        try {
            return Files.readString(source).contains("erase(");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
