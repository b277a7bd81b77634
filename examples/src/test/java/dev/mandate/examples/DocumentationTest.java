package dev.mandate.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that what the documentation refers to exists: links, commands, code, tests. */
class DocumentationTest {
    private static final Path ROOT = root();
    private static final List<Markdown> PAGES = Markdown.allBelow(ROOT);
    private static final Pattern FROM = Pattern.compile("<!-- from (\\S+) -->");
    private static final Pattern MEMBER = Pattern.compile("([A-Z]\\w+)\\.([a-z]\\w*)(\\(.*\\))?", Pattern.DOTALL);
    private static final Pattern TESTS = Pattern.compile(".*(Test|IT|Scenarios|Cases|Check)");

    private static Path root() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("verify"))) {
            at = at.getParent();
        }
        return at;
    }

    @Test
    void everyRelativeLinkResolves() {
        List<String> broken = new ArrayList<>();
        for (Markdown page : PAGES) {
            for (String link : page.links()) {
                if (!link.matches("[a-z]+:.*") && !resolves(page, link)) {
                    broken.add(ROOT.relativize(page.file()) + " -> " + link);
                }
            }
        }

        assertThat(PAGES).hasSizeGreaterThan(5);
        assertThat(broken).isEmpty();
    }

    /** So that comments are read without scrolling, beside other windows. */
    @Test
    void noCommentIsWiderThan120Columns() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Path file : Markdown.filesBelow(ROOT, ".java")) {
            Files.readAllLines(file).stream()
                    .filter(line -> line.length() > 120 && line.matches("\\s*(\\*|//|/\\*).*"))
                    .forEach(line -> wide.add(ROOT.relativize(file) + ": " + line.strip()));
        }

        assertThat(wide).isEmpty();
    }

    private static boolean resolves(Markdown page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]);
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1 || Markdown.read(target).anchors().contains(parts[1]);
    }

    /** On these pages every Java block is quoted from a compiled file; on others, those blocks that say so. */
    @Test
    void everyJavaBlockStandsInACompiledFile() {
        List<Path> strict = Stream.of(
                        "README.md",
                        "CONTRIBUTING.md",
                        "docs/coming-from-a-recipe.md",
                        "docs/registry.md",
                        "docs/discovery.md",
                        "docs/arrival.md",
                        "docs/testing.md")
                .map(ROOT::resolve)
                .toList();
        List<String> invented = new ArrayList<>();
        int cut = 0;
        for (Markdown page : PAGES) {
            for (Markdown.Block block : page.blocks()) {
                Matcher from = FROM.matcher(block.before());
                if (!block.language().equals("java") || !from.matches() && !strict.contains(page.file())) {
                    continue;
                }
                cut++;
                if (!from.matches() || !stands(block, ROOT.resolve(from.group(1)))) {
                    invented.add(ROOT.relativize(page.file()) + ": " + block.lines());
                }
            }
        }

        assertThat(cut).isPositive();
        assertThat(invented).isEmpty();
    }

    /** The same consecutive lines, whatever their indentation. */
    private static boolean stands(Markdown.Block block, Path source) {
        List<String> wanted = block.lines().stream().map(String::strip).toList();
        List<String> lines = Markdown.lines(source).stream().map(String::strip).toList();
        return source.toString().endsWith(".java") && Collections.indexOfSubList(lines, wanted) >= 0;
    }

    @Test
    void everyCommandLineExists() throws IOException {
        String poms = Files.readString(ROOT.resolve("pom.xml")) + Files.readString(ROOT.resolve("core/pom.xml"));
        StringBuilder commands = new StringBuilder();
        for (String module : List.of("cli", "bench", "demo", "doctor")) {
            commands.append(sources(module + "/src/main/java").values());
        }
        List<String> unknown = new ArrayList<>();
        int met = 0;
        for (Markdown page : PAGES) {
            for (Markdown.Block block : page.blocks()) {
                for (String line : block.lines()) {
                    String command = line.strip().replaceFirst("^\\$ ", "");
                    if (!block.language().equals("sh") || !command.matches("(\\./|mvn ).*")) {
                        continue;
                    }
                    met++;
                    if (!exists(command.split("\\s+"), poms, commands.toString())) {
                        unknown.add(ROOT.relativize(page.file()) + ": " + command);
                    }
                }
            }
        }

        assertThat(met).isPositive();
        assertThat(unknown).isEmpty();
    }

    private static boolean exists(String[] words, String poms, String commands) {
        for (int i = 1; i < words.length; i++) {
            List<String> modules = words[i - 1].equals("-pl")
                    ? List.of(words[i].replaceAll("['!]", "").split(","))
                    : List.of();
            if (!modules.stream()
                    .allMatch(module -> Files.exists(ROOT.resolve(module).resolve("pom.xml")))) {
                return false;
            }
            if (words[i].startsWith("-P") && !poms.contains("<id>" + words[i].substring(2) + "</id>")) {
                return false;
            }
        }
        if (words[0].equals("./mandate") && words.length > 1 && !words[1].startsWith("-")) {
            return commands.contains("name = \"" + words[1] + "\"");
        }
        return words[0].equals("mvn") || Files.isExecutable(ROOT.resolve(words[0]));
    }

    /** Tests, and all else that is quoted as {@code Class.method}. */
    @Test
    void everyMethodThatIsQuotedExists() throws IOException {
        Map<String, String> classes = sources("");
        List<String> missing = new ArrayList<>();
        int quoted = 0;
        for (Markdown page : PAGES) {
            for (String code : page.code()) {
                Matcher member = MEMBER.matcher(code);
                if (!member.matches()) {
                    continue;
                }
                String source = classes.get(member.group(1) + ".java");
                if (source == null && !TESTS.matcher(member.group(1)).matches()) {
                    continue; // somebody else's class
                }
                quoted++;
                if (source == null || !source.contains(" " + member.group(2) + "(")) {
                    missing.add(ROOT.relativize(page.file()) + ": " + code);
                }
            }
        }

        assertThat(quoted).isGreaterThan(50);
        assertThat(missing).isEmpty();
    }

    /** The text of every Java file below a folder, by file name. */
    private static Map<String, String> sources(String folder) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
            List<Path> java = files.filter(f -> f.toString().endsWith(".java")).toList();
            for (Path file : java) {
                sources.merge(file.getFileName().toString(), Files.readString(file), String::concat);
            }
        }
        return sources;
    }

    /** The table in the guarantees, for L = 10 s, shows what the code computes. */
    @Test
    void theArithmeticOnThePageIsThatOfTheCode() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/guarantees.md")).replaceAll("\\s+", " ");
        LeaseTiming timing = LeaseTiming.of(Duration.ofSeconds(10));
        LeaseTiming.Bounds bounds = timing.bounds(StoreTraits.of("SQL", Expiry.OBSERVER_JUDGES, LeaseScope.SESSION));
        long triesDone =
                timing.renewIntervalNanos() + 3 * timing.requestTimeoutNanos() + 2 * timing.retryIntervalNanos();
        long deadline = timing.window(new Now(0, 0, 0), timing.leaseNanos()).endAtNanos();

        List<String> reckoned = List.of(
                "| renewal | " + figures(timing.renewIntervalNanos()),
                "| three tries done | " + figures(triesDone),
                "| stop | " + figures(timing.believedFor().toNanos()),
                "| deadline | " + figures(deadline),
                "`pollInterval` (L/10) + 3 × `requestTimeout` | " + seconds(bounds.failover()) + " |",
                "2.4 × `pollInterval` | " + seconds(bounds.recovery()) + " |",
                "8 × L/50 | + " + seconds(Duration.ofNanos(timing.turnMostNanos())) + " |",
                "(" + seconds(bounds.forcedOverlap()) + " by default");

        assertThat(reckoned).filteredOn(figure -> !page.contains(figure)).isEmpty();
    }

    private static String figures(long nanos) {
        return String.format(Locale.ROOT, "%.3f | %.2f s |", nanos / 1e10, nanos / 1e9);
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.2f s", time.toNanos() / 1e9);
    }

    /** All lines but the first, which names the file. */
    @Test
    void theExplanationOnThePageIsWhatIsPrinted(@TempDir Path folder) {
        List<String> quoted = Markdown.read(ROOT.resolve("docs/guarantees.md")).blocks().stream()
                .map(Markdown.Block::lines)
                .filter(lines -> lines.get(0).startsWith("Store: "))
                .findFirst()
                .orElseThrow();

        try (ElectionClient client = ElectionClient.connect("sqlite:" + folder.resolve("shop.db"))) {
            List<String> printed = client.explain().inWords().lines().toList();

            assertThat(quoted.subList(1, quoted.size())).isEqualTo(printed.subList(1, printed.size()));
        }
    }

    @Test
    void everyDecisionIsInTheIndex() throws IOException {
        List<String> indexed = Markdown.read(ROOT.resolve("docs/adr/README.md")).links();

        try (Stream<Path> pages = Files.list(ROOT.resolve("docs/adr"))) {
            assertThat(pages.map(p -> p.getFileName().toString()).filter(n -> !n.equals("README.md")))
                    .allSatisfy(name -> assertThat(indexed).contains(name));
        }
    }
}
