package dev.mandate.testkit.bugs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The planted bugs of a store. Extend it in the store's own package with a class named {@code …StoreBugsTest}:
 *
 * <pre>{@code
 * class AcmeStoreBugsTest extends StoreBugs {
 *     @Override
 *     protected List<StoreBug> bugs() {
 *         return List.of(bug("blind-release", "A release names no revision.")
 *                 .edit("Wire.java", "headers(expected)", "headers(0)")
 *                 .foundBy("AcmeServerIT#aLateReleaseFreesNoLaterTerm"));
 *     }
 * }
 * }</pre>
 *
 * <p>Each build checks that every edit still fits, compiles, and names tests that exist. With the system property
 * {@code mandate.bugs=true}, or the name of one bug, each is planted ahead of the store's own classes, in its own JVM.
 * The tests it names must fail there, and pass without it. The report and the output of each JVM go to
 * {@code target/planted-bugs}.
 *
 * <p>Runs in the folder of the module.
 */
public abstract class StoreBugs {
    /** If set, and not to {@code false}, bugs are planted. */
    static final String PLANTED = "mandate.bugs";

    private static final int BUGS_MIN = 3;
    private static final Path FOLDER = Path.of("target", "planted-bugs");

    /** All planted bugs, at least three. */
    protected abstract List<StoreBug> bugs();

    /** The folder of the files to edit, relative to that of the module; by default that of this class's package. */
    protected Path sources() {
        return Path.of("src", "main", "java", getClass().getPackageName().replace('.', '/'));
    }

    @Test
    void thereAreAtLeastThreeWithPlainUniqueNames() {
        assertThat(bugs()).hasSizeGreaterThanOrEqualTo(BUGS_MIN);
        assertThat(bugs())
                .extracting(StoreBug::name)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z0-9-]+"));
    }

    @TestFactory
    Stream<DynamicTest> everyEditFitsAndNamesTestsThatExist() {
        return bugs().stream()
                .map(bug -> DynamicTest.dynamicTest(bug.name(), () -> {
                    assertThat(compiled(bug)).isNotEmpty();
                    for (String test : bug.tests()) {
                        assertThat(Selected.of(getClass().getPackageName(), test)
                                        .exists())
                                .as("%s: the test %s exists", bug.name(), test)
                                .isTrue();
                    }
                }));
    }

    @TestFactory
    @EnabledIfSystemProperty(named = PLANTED, matches = ".+", disabledReason = "-Pplanted-bugs plants them")
    Stream<DynamicTest> isFoundByItsTests() throws IOException {
        String wanted = System.getProperty(PLANTED);
        List<StoreBug> planted = bugs().stream()
                .filter(bug -> wanted.equals("true") || wanted.equals(bug.name()))
                .toList();
        assertThat(planted).as("planted bugs named '%s'", wanted).isNotEmpty();
        Files.createDirectories(FOLDER);
        Files.deleteIfExists(report());
        TreeSet<String> all = new TreeSet<>();
        planted.forEach(bug -> all.addAll(bug.tests()));
        DynamicTest control = DynamicTest.dynamicTest("without a bug all of these tests pass", () -> {
            for (PlantedRun.Outcome outcome : run("none", Map.of(), List.copyOf(all))) {
                assertThat(outcome.failure())
                        .as("what %s says without any bug", outcome.test())
                        .isEmpty();
            }
        });
        return Stream.concat(
                Stream.of(control),
                planted.stream().map(bug -> DynamicTest.dynamicTest(bug.name(), () -> requireFound(bug))));
    }

    private void requireFound(StoreBug bug) throws IOException {
        for (PlantedRun.Outcome outcome : run(bug.name(), compiled(bug), bug.tests())) {
            Optional<String> failure = outcome.failure();
            report(
                    bug.name(),
                    outcome.test().toString(),
                    failure.map(said -> "found: " + said).orElse("NOT FOUND"));
            assertThat(failure)
                    .as("%s (%s) must fail %s, which passed", bug.name(), bug.what(), outcome.test())
                    .isPresent();
        }
    }

    private List<PlantedRun.Outcome> run(String name, Map<String, byte[]> classes, List<String> tests) {
        List<Selected> selected = tests.stream()
                .map(test -> Selected.of(getClass().getPackageName(), test))
                .toList();
        return PlantedRun.of(FOLDER.resolve(name), classes, selected);
    }

    private Map<String, byte[]> compiled(StoreBug bug) {
        return EditedSources.of(bug.name(), bug.edits(), sources()).compile(System.getProperty("java.class.path"));
    }

    private static Path report() {
        return FOLDER.resolve("report.txt");
    }

    private static void report(String bug, String test, String outcome) throws IOException {
        String line = bug + '\t' + test + '\t' + outcome;
        System.out.println("planted bug " + line.replace("\t", ": "));
        Files.writeString(
                report(),
                line + System.lineSeparator(),
                StandardCharsets.UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
