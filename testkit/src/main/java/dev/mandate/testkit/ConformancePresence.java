package dev.mandate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds stores without a conformance test: a module that offers a store to {@link java.util.ServiceLoader} must have a
 * concrete subclass of {@link StoreConformance} among its tests, named so that the test runner finds it. One line in a
 * test of your module:
 *
 * <pre>{@code
 * assertThat(ConformancePresence.of(Path.of("")).problems()).isEmpty();
 * }</pre>
 *
 * <p>It reads sources, so it can check modules that are not built yet. Nested classes do not count, because test
 * runners skip them, too.
 */
public final class ConformancePresence {
    private static final String SERVICE = "src/main/resources/META-INF/services/dev.mandate.spi.ElectionStoreProvider";
    private static final Pattern DECLARATION = Pattern.compile(
            "^((?:@\\w+(?:\\([^)]*\\))?\\s+|(?:public|abstract|final|sealed|non-sealed|static)\\s+)*)class\\s+(\\w+)(?:<[^{]*>)?\\s+extends\\s+([\\w.]+)",
            Pattern.MULTILINE);

    /** The names that the Maven plugins for unit and integration tests run by default. */
    private static final Pattern RUN = Pattern.compile("Test.*|.*Tests?|.*TestCase|IT.*|.*IT|.*ITCase");

    private final Path module;
    private final List<Path> tests = new ArrayList<>();

    private ConformancePresence(Path module) {
        this.module = module;
        this.tests.add(module.resolve("src/test/java"));
    }

    /** Checks the module in that folder. */
    public static ConformancePresence of(Path module) {
        return new ConformancePresence(module);
    }

    /** The modules below {@code root}, down to three folders, that offer a store. */
    public static List<Path> stores(Path root) {
        try (Stream<Path> files = Files.walk(root, 3)) {
            return files.filter(dir -> Files.isRegularFile(dir.resolve(SERVICE)))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("modules below " + root + " can't be listed", e);
        }
    }

    /** Also looks for the conformance class among the tests of another module. */
    public ConformancePresence testedIn(Path other) {
        tests.add(other.resolve("src/test/java"));
        return this;
    }

    /** What is wrong, one sentence each; empty if all is well, or if the module offers no store. */
    public List<String> problems() {
        if (!Files.isRegularFile(module.resolve(SERVICE))) {
            return List.of();
        }
        Map<String, Declared> classes = new HashMap<>();
        tests.forEach(folder -> read(folder, classes));
        Map<String, Declared> concrete = suites(classes);
        concrete.values().removeIf(Declared::isAbstract);
        List<String> problems = new ArrayList<>();
        if (concrete.isEmpty()) {
            problems.add("module " + module + " offers a store (" + SERVICE
                    + ") but has no conformance test: add a class that extends " + StoreConformance.class.getName()
                    + " to its tests");
        }
        concrete.forEach((name, declared) -> {
            if (!RUN.matcher(name).matches()) {
                problems.add(name + " in module " + module
                        + " extends StoreConformance, but the test runner passes it over: name it …Test or …IT");
            }
            if (declared.isDisabled) {
                problems.add(name + " in module " + module + " extends StoreConformance, but is disabled");
            }
        });
        return problems;
    }

    private record Declared(String parent, boolean isAbstract, boolean isDisabled) {}

    /** The classes that extend the suite, directly or indirectly. */
    private static Map<String, Declared> suites(Map<String, Declared> classes) {
        Map<String, Declared> suites = new TreeMap<>();
        int before = -1;
        while (suites.size() > before) {
            before = suites.size();
            classes.forEach((name, declared) -> {
                if (declared.parent.equals("StoreConformance") || suites.containsKey(declared.parent)) {
                    suites.put(name, declared);
                }
            });
        }
        return suites;
    }

    private static void read(Path folder, Map<String, Declared> classes) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                Matcher found = DECLARATION.matcher(Files.readString(file, StandardCharsets.UTF_8));
                while (found.find()) {
                    String modifiers = found.group(1);
                    String parent = found.group(3);
                    classes.put(
                            found.group(2),
                            new Declared(
                                    parent.substring(parent.lastIndexOf('.') + 1),
                                    modifiers.contains("abstract"),
                                    modifiers.contains("@Disabled")));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("tests in " + folder + " can't be read", e);
        }
    }
}
