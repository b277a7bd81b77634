package dev.mandate.modulepath;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/**
 * No circle between files of a package, but for those in {@code cli/src/test/circles.txt}, a line each. They may only
 * shrink: {@code -Dcircles.rewrite} takes from the file what is broken, and adds nothing.
 */
class CirclesTest {
    private static final String REWRITE = "circles.rewrite";

    @Test
    void noCircleIsNewOrGrew() throws Exception {
        ModuleFinder finder = Libraries.finder();
        Path file =
                Libraries.folder(finder.find("dev.mandate.cli").orElseThrow()).resolve("src/test/circles.txt");
        List<String> known = Files.readAllLines(file);
        List<Location> classes = new ArrayList<>();
        for (String name : Libraries.NAMES) {
            classes.add(classes(finder, name));
        }
        for (String name : Libraries.PROGRAMS) {
            classes.add(classes(finder, name));
        }

        List<String> found = circles(uses(new ClassFileImporter().importLocations(classes)));

        assertThat(found.stream().filter(c -> known.stream().noneMatch(k -> contains(k, c))))
                .as("new circles: break them")
                .isEmpty();
        if (System.getProperty(REWRITE) != null) {
            Files.write(file, found);
        }
        assertThat(found)
                .as("a circle is smaller: -D" + REWRITE + " takes it from " + file)
                .isEqualTo(Files.readAllLines(file));
    }

    /** A folder, or a jar once it is packaged. */
    private static Location classes(ModuleFinder finder, String module) throws IOException {
        Path path =
                Path.of(finder.find(module).flatMap(ModuleReference::location).orElseThrow());
        return Files.isDirectory(path) ? Location.of(path) : Location.of(new JarFile(path.toFile()));
    }

    /** The check itself. */
    @Test
    void aPlantedCircleIsFound() {
        Map<String, Set<String>> uses = Map.of(
                "a.A", Set.of("a.B"),
                "a.B", Set.of("a.C", "a.D"),
                "a.C", Set.of("a.A"),
                "a.D", Set.of());

        assertThat(circles(uses)).containsExactly("a: A B C");
        assertThat(contains("a: A B C D", "a: A B C")).isTrue();
        assertThat(contains("a: A B", "a: A B C")).isFalse();
    }

    private static boolean contains(String known, String circle) {
        return Set.of(known.split(" ")).containsAll(List.of(circle.split(" ")));
    }

    /** Which files of its own package a file uses, by their outermost types. */
    private static Map<String, Set<String>> uses(Iterable<JavaClass> classes) {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass each : classes) {
            String user = file(each);
            Set<String> used = uses.computeIfAbsent(user, u -> new TreeSet<>());
            each.getDirectDependenciesFromSelf().stream()
                    .map(d -> d.getTargetClass().getBaseComponentType())
                    .filter(t -> t.getPackageName().equals(each.getPackageName()))
                    .map(CirclesTest::file)
                    .filter(t -> !t.equals(user))
                    .forEach(used::add);
        }
        return uses;
    }

    private static String file(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static List<String> circles(Map<String, Set<String>> uses) {
        Map<String, Set<String>> reached = new TreeMap<>();
        uses.keySet().forEach(each -> reached.put(each, reached(each, uses)));
        Collection<String> circles = new TreeSet<>();
        reached.forEach((each, others) -> {
            if (others.contains(each)) {
                StringBuilder circle = new StringBuilder(each.substring(0, each.lastIndexOf('.'))).append(':');
                others.stream()
                        .filter(o -> reached.get(o).contains(each))
                        .forEach(o -> circle.append(' ').append(o.substring(o.lastIndexOf('.') + 1)));
                circles.add(circle.toString());
            }
        });
        return List.copyOf(circles);
    }

    private static Set<String> reached(String from, Map<String, Set<String>> uses) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(uses.get(from));
        while (!next.isEmpty()) {
            String each = next.remove();
            if (uses.containsKey(each) && reached.add(each)) {
                next.addAll(uses.get(each));
            }
        }
        return reached;
    }
}
