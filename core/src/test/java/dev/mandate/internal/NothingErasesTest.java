package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Observation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What is left of an election is never erased: neither the engine nor the runtime that drives it asks for that. One
 * method erases, and refuses every key of an election.
 */
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

            assertThat(sources).hasSizeGreaterThan(50);
            assertThat(sources.stream()
                            .filter(NothingErasesTest::erases)
                            .map(file -> file.getFileName().toString()))
                    .containsExactly("StoreCalls.java");
        }
    }

    @Test
    void theOneThatErasesRefusesElections() {
        World world = World.judged();
        ClientRegistry registry = (ClientRegistry) world.client("a").registry();
        Observation.Vacant vacant = (Observation.Vacant) world.store.shown("e");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.calls().erase(vacant, CallContext.until(0, () -> 0)))
                .withMessage("election/e is the record of an election; those are never erased");
    }

    private static boolean erases(Path source) {
        try {
            return Files.readString(source).contains("store.erase(");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
