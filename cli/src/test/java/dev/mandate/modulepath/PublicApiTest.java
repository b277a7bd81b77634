package dev.mandate.modulepath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.api.ApiText;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The public API of every library is in its file {@code api.txt}, so a change of it is a change that somebody reads.
 * {@code -Dapi.rewrite} writes the files; see {@code CONTRIBUTING.md}.
 */
class PublicApiTest {
    @ParameterizedTest
    @MethodSource("libraries")
    void theApiIsTheOneInTheFile(String library) throws Exception {
        ModuleReference module = Libraries.finder().find(library).orElseThrow();
        Path file = Libraries.folder(module).resolve("api.txt");
        String api = ApiText.of(module);

        if (System.getProperty("api.rewrite") != null) {
            Files.writeString(file, api);
        }

        assertThat(api)
                .as(file + ", written by mvn test -Dapi.rewrite")
                .isEqualTo(Files.exists(file) ? Files.readString(file) : "");
    }

    private static Iterable<String> libraries() {
        return Libraries.NAMES;
    }
}
