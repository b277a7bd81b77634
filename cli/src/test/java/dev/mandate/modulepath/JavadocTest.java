package dev.mandate.modulepath;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code javadoc} on all libraries. Compiling finds most of this, too; here it is the tool that says so. */
class JavadocTest {
    /** A sentence about the whole says what a tag for each part would repeat. */
    private static final Pattern TAG = Pattern.compile("warning: no @(param|return|throws)\\b");

    /**
     * What needs no sentence: a record's compact constructor, the only constant of a type, a private field that is
     * serialized, and a test whose name is one.
     */
    private static final Pattern NAMED =
            Pattern.compile("\\s*(public \\w+ \\{|INSTANCE[,;]?|private .*;|protected void \\w+\\(\\).*\\{)");

    @TempDir
    private Path temp;

    @Test
    @Tag("long")
    void saysNothing() {
        ModuleFinder finder = Libraries.finder();
        List<String> arguments = new ArrayList<>(List.of(
                "-quiet",
                "-noindex",
                "-notree",
                "-nohelp",
                "-Xmaxwarns",
                "100000",
                "-d",
                temp.toString(),
                "--module-path"));
        arguments.add(finder.findAll().stream()
                .filter(m -> !m.descriptor().name().startsWith("dev.mandate"))
                .map(m -> Path.of(m.location().orElseThrow()).toString())
                .collect(Collectors.joining(File.pathSeparator)));
        for (String name : Libraries.NAMES) {
            ModuleReference module = finder.find(name).orElseThrow();
            arguments.add("--module-source-path");
            arguments.add(name + "=" + Libraries.folder(module).resolve("src/main/java"));
        }
        arguments.addAll(List.of("--module", String.join(",", Libraries.NAMES)));
        StringWriter said = new StringWriter();
        PrintWriter writer = new PrintWriter(said);

        int code =
                ToolProvider.findFirst("javadoc").orElseThrow().run(writer, writer, arguments.toArray(new String[0]));

        assertThat(unexpected(said.toString().lines().toList())).isEmpty();
        assertThat(code).isZero();
    }

    /** All that is said but for those two; a warning is followed by its line and a caret below that. */
    private static List<String> unexpected(List<String> lines) {
        List<String> unexpected = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String source = i + 1 < lines.size() ? lines.get(i + 1) : "";
            if (TAG.matcher(line).find()
                    || line.endsWith("warning: no comment")
                            && NAMED.matcher(source).matches()) {
                i += 2;
            } else if (!line.matches("[\\d,]+ warnings?")) {
                unexpected.add(line);
            }
        }
        return unexpected;
    }
}
