package dev.mandate.modulepath;

import java.io.File;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The modules of this project and what they need, as far as they are on this test's class path. */
final class Libraries {
    /** The parts of the command line. */
    static final Set<String> PROGRAMS = Set.of(
            "dev.mandate.bench", "dev.mandate.cli", "dev.mandate.console", "dev.mandate.demo", "dev.mandate.doctor");

    /**
     * The names of the libraries, sorted. Without the starter for Spring Boot and the cluster service for Camel, which
     * would bring Spring and Camel to the tests of the command line: they check their API and their Javadoc themselves.
     */
    static final Set<String> NAMES = new TreeSet<>(Set.of(
            "dev.mandate",
            "dev.mandate.azureblob",
            "dev.mandate.consul",
            "dev.mandate.etcd",
            "dev.mandate.http",
            "dev.mandate.jdbc",
            "dev.mandate.micrometer",
            "dev.mandate.nats",
            "dev.mandate.peers",
            "dev.mandate.peers.protocol",
            "dev.mandate.support",
            "dev.mandate.test",
            "dev.mandate.testkit"));

    private Libraries() {}

    /** What this test's class path holds, but for tests. */
    static ModuleFinder finder() {
        return ModuleFinder.of(Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(p -> Files.exists(p) && !isOfTests(p))
                .toArray(Path[]::new));
    }

    private static boolean isOfTests(Path classes) {
        String name = classes.getFileName().toString();
        return name.equals("test-classes") || name.endsWith("-tests.jar");
    }

    /** The folder with the sources of a module: the nearest one above its classes that has a POM. */
    static Path folder(ModuleReference module) {
        Path folder = Path.of(module.location().orElseThrow());
        while (!Files.exists(folder.resolve("pom.xml"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    static URI location(Class<?> type) {
        return URI.create(
                type.getProtectionDomain().getCodeSource().getLocation().toString());
    }
}
