package dev.mandate.simulator.classic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing that leads for real can reach a classic election: it is for demonstration only. */
class ClassicIsApartTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @Test
    void noModuleDependsOnTheSimulator() throws IOException {
        List<Path> poms;
        try (Stream<Path> folders = Stream.concat(Files.list(ROOT), Files.list(ROOT.resolve("stores")))) {
            poms = folders.map(folder -> folder.resolve("pom.xml"))
                    .filter(Files::exists)
                    .toList();
        }
        List<Path> naming = new ArrayList<>();
        for (Path pom : poms) {
            if (Files.readString(pom).contains("mandate-simulator")) {
                naming.add(pom);
            }
        }

        assertThat(poms).hasSizeGreaterThan(8);
        assertThat(naming).containsExactly(ROOT.resolve("simulator/pom.xml"));
    }

    @Test
    void onlyTheCommandLineKnowsIt() throws IOException, URISyntaxException {
        Path classes = Path.of(Classic.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> naming = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".class")).toList()) {
                // The names of all classes that a class uses stand in its file as they are.
                if (Files.readString(file, StandardCharsets.ISO_8859_1).contains("dev/mandate/simulator/classic/")
                        && !file.startsWith(classes.resolve("dev/mandate/simulator/classic"))) {
                    naming.add(file.getFileName().toString());
                }
            }
        }

        assertThat(naming).containsExactlyInAnyOrder("Main.class", "Arguments.class");
        assertThat(classes.resolve("META-INF/services")).doesNotExist();
    }
}
