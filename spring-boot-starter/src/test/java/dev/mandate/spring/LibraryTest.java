package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.api.ApiText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The public API is that in {@code api.txt}, which {@code -Dapi.rewrite} writes, and {@code javadoc} accepts the
 * sources. The command line's tests do the same for all other libraries.
 */
class LibraryTest {
    private static final Path API = Path.of("api.txt");

    @TempDir
    private Path temp;

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

    @Test
    @Tag("long")
    void javadocHasNothingToSay() throws Exception {
        StringWriter said = new StringWriter();
        PrintWriter writer = new PrintWriter(said);

        List<String> arguments = new ArrayList<>(List.of(
                "-quiet",
                "-noindex",
                "-notree",
                "-nohelp",
                "-Xdoclint:all,-missing",
                "-d",
                temp.toString(),
                "-classpath",
                System.getProperty("java.class.path")));
        try (Stream<Path> sources = Files.list(Path.of("src/main/java/dev/mandate/spring"))) {
            sources.map(Path::toString).sorted().forEach(arguments::add);
        }

        int code =
                ToolProvider.findFirst("javadoc").orElseThrow().run(writer, writer, arguments.toArray(new String[0]));

        assertThat(said.toString()).isEmpty();
        assertThat(code).isZero();
    }
}
