package dev.mandate.camel;

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
 * What the command line's tests check for most libraries. Here, because they would need Camel on the command line's
 * class path.
 */
class LibraryTest {
    private static final Path API = Path.of("api.txt");

    @TempDir
    private Path temp;

    /** {@code -Dapi.rewrite} writes the file. */
    @Test
    void theApiIsTheOneInTheFile() throws Exception {
        ModuleReference module = ModuleFinder.of(Path.of(MandateClusterService.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI()))
                .find("dev.mandate.camel")
                .orElseThrow();
        String api = ApiText.of(module);

        if (System.getProperty("api.rewrite") != null) {
            Files.writeString(API, api);
        }

        assertThat(API).as("written by mvn test -Dapi.rewrite").hasContent(api);
    }

    /** The files, not the module: on the class path there are no modules. */
    @Test
    @Tag("long")
    void javadocHasNothingToSay() throws Exception {
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
        try (Stream<Path> sources = Files.list(Path.of("src/main/java/dev/mandate/camel"))) {
            sources.map(Path::toString).sorted().forEach(arguments::add);
        }
        StringWriter said = new StringWriter();
        PrintWriter writer = new PrintWriter(said);

        int code =
                ToolProvider.findFirst("javadoc").orElseThrow().run(writer, writer, arguments.toArray(new String[0]));

        assertThat(said.toString()).isEmpty();
        assertThat(code).isZero();
    }
}
