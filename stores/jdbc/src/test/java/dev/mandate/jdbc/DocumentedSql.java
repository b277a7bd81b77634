package dev.mandate.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The statements on a page of {@code docs/stores}. */
final class DocumentedSql {
    private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

    private DocumentedSql() {}

    /** All statements of the page that begin with {@code word}, without comments. */
    static List<String> of(String page, String word) throws IOException {
        Path folder = Files.isDirectory(Path.of("docs")) ? Path.of("docs/stores") : Path.of("../../docs/stores");
        Matcher blocks = BLOCK.matcher(Files.readString(folder.resolve(page)));
        Stream<String> statements = blocks.results()
                .flatMap(block ->
                        Arrays.stream(block.group(1).replaceAll("--[^\n]*", "").split(";")))
                .map(String::strip);
        return statements.filter(statement -> statement.startsWith(word)).toList();
    }
}
