package dev.mandate.modulepath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.ElectionStoreProvider;
import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The libraries on the module path, with all that they need. Other tests run on the class path. */
class ModulePathTest {
    private static final String PROVIDER = ElectionStoreProvider.class.getName();

    @TempDir
    private Path temp;

    @Test
    void everyLibraryAndTheCommandLineAreModulesThatResolve() {
        ModuleFinder finder = Libraries.finder();
        Set<String> ours = finder.findAll().stream()
                .map(ModuleReference::descriptor)
                .filter(d -> d.name().startsWith("dev.mandate") && !d.isAutomatic())
                .map(ModuleDescriptor::name)
                .collect(Collectors.toCollection(TreeSet::new));

        Configuration resolved = ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), ours);

        assertThat(ours)
                .containsAll(Libraries.NAMES)
                .containsAll(Libraries.PROGRAMS)
                .hasSize(Libraries.NAMES.size() + Libraries.PROGRAMS.size());
        assertThat(resolved.modules()).extracting(ResolvedModule::name).containsAll(ours);
    }

    /** On the module path the descriptor counts, on the class path the file. */
    @Test
    void aModuleProvidesTheStoresThatItsServiceFileNames() throws Exception {
        int stores = 0;
        for (ModuleReference each : Libraries.finder().findAll()) {
            Set<String> provided = each.descriptor().provides().stream()
                    .filter(p -> p.service().equals(PROVIDER))
                    .flatMap(p -> p.providers().stream())
                    .collect(Collectors.toSet());
            try (var reader = each.open();
                    var in = reader.open("META-INF/services/" + PROVIDER).orElse(null)) {
                Set<String> named = in == null
                        ? Set.of()
                        : new String(in.readAllBytes()).lines().collect(Collectors.toSet());
                assertThat(provided).as(each.descriptor().name()).isEqualTo(named);
            }
            stores += provided.size();
        }
        assertThat(stores).isEqualTo(7);
    }

    /** Where a library misses a module, the JVM would say so when it loads the class. */
    @Test
    @Tag("long")
    void leadsServesAndOpensEveryStore() throws Exception {
        Files.writeString(temp.resolve("secret"), "secret-of-the-group-in-this-test-only");
        List<String> lines = run(
                "sqlite:" + temp.resolve("mandate.db") + "?lease=2s",
                "memory:modules",
                "etcd://127.0.0.1:1?connectTimeout=1s",
                "consul://127.0.0.1:1?connectTimeout=1s",
                "nats://127.0.0.1:1?connectTimeout=1s",
                "azblob+http://127.0.0.1:1/devstoreaccount1/leases?connectTimeout=1s",
                "postgresql://127.0.0.1:1/mandate?connectTimeout=1s",
                "peers://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3?connectTimeout=1s&secretFile=" + temp.resolve("secret"));

        assertThat(lines)
                .containsExactly(
                        "leads true in dev.mandate, serves in dev.mandate.http",
                        "opened FENCED",
                        "asked etcd",
                        "asked consul",
                        "asked nats",
                        "asked azblob+http",
                        "asked postgresql",
                        "asked peers");
    }

    /** Without the command line: it would bring its own logging. */
    private List<String> run(String... urls) throws Exception {
        String path = Libraries.finder().findAll().stream()
                .filter(r -> !Libraries.PROGRAMS.contains(r.descriptor().name()))
                .map(r -> Path.of(r.location().orElseThrow()).toString())
                .collect(Collectors.joining(File.pathSeparator));
        Path tests = Path.of(Libraries.location(LeadsOnModules.class));
        Path errors = temp.resolve("errors");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--module-path",
                path,
                "--add-modules",
                "dev.mandate,dev.mandate.http",
                "-cp",
                tests.toString(),
                LeadsOnModules.class.getName()));
        command.addAll(List.of(urls));
        Path output = temp.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("ends").isTrue();
            assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
            return Files.readAllLines(output);
        } finally {
            process.destroyForcibly();
        }
    }
}
