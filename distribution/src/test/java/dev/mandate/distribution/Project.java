package dev.mandate.distribution;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The checkout, and the modules that its root POM names. */
final class Project {
    static final Path ROOT = root();

    private Project() {}

    private static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("verify"))) {
            at = at.getParent();
        }
        return at;
    }

    static Pom rootPom() {
        return Pom.read(ROOT.resolve("pom.xml"));
    }

    static List<Path> modules() {
        return rootPom().texts("/project/modules/module").stream()
                .map(ROOT::resolve)
                .toList();
    }

    /** The POMs of the libraries: a module is one if its public API is on file. */
    static List<Pom> libraries() {
        return modules().stream()
                .filter(module -> Files.exists(module.resolve("api.txt")))
                .map(module -> Pom.read(module.resolve("pom.xml")))
                .toList();
    }

    static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What this module was told to bundle: the runtime class path of the command line. */
    static List<Path> bundled() throws IOException {
        return Stream.of(read("distribution/target/bundled").strip().split(File.pathSeparator))
                .map(Path::of)
                .toList();
    }
}
