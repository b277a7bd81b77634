package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.api.ApiText;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Here, because the command line's tests, which check most libraries, would need Spring on their class path. */
class LibraryTest {
    private static final Path API = Path.of("api.txt");

    /** {@code -Dapi.rewrite} writes the file. */
    @Test
    void theApiIsTheOneInTheFile() throws Exception {
        ModuleReference module = ModuleFinder.of(Path.of(LeaderOnly.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI()))
                .find("dev.mandate.spring")
                .orElseThrow();
        String api = ApiText.of(module);

        if (System.getProperty("api.rewrite") != null) {
            Files.writeString(API, api);
        }

        assertThat(API).as("written by mvn test -Dapi.rewrite").hasContent(api);
    }
}
