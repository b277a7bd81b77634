package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The properties, and what editors show about them, follow the table of settings. {@code -Dmetadata.rewrite} writes the
 * file.
 */
class MetadataTest {
    private static final Path TABLE = Path.of("../docs/settings.md");
    private static final Path FILE = Path.of("src/main/resources/META-INF/spring-configuration-metadata.json");
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| (.*) \\| (.*) \\| (.*) \\|");

    /** A property: its Java type, a default that editors understand, and its description. */
    private record Row(String type, String standard, String description) {}

    private static Map<String, Row> expected() throws Exception {
        Map<String, Row> rows = new LinkedHashMap<>();
        rows.put("url", new Row("java.lang.String", "", "The store's address: sqlite:/var/lib/mandate.db."));
        rows.put(
                "value",
                new Row(
                        "java.lang.String",
                        "",
                        "What this application publishes when it leads. Default: the candidate's id."));
        rows.put(
                "shutdown-grace",
                new Row(
                        "java.time.Duration",
                        "10s",
                        "How long running calls may finish at shutdown before they are interrupted; at most 365 days."));
        rows.put(
                "create",
                new Row(
                        "java.lang.Boolean",
                        "",
                        "Whether the client may create what the store is missing. Default: what the URL says, else true."));
        for (String line : Files.readAllLines(TABLE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                String setter = "set" + Character.toUpperCase(row.group(1).charAt(0))
                        + row.group(1).substring(1);
                String type = List.of(MandateProperties.class.getMethods()).stream()
                        .filter(m -> m.getName().equals(setter))
                        .map(m -> m.getParameterTypes()[0].getName())
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no " + setter));
                String description = row.group(4) + " Values: " + row.group(3) + ". Default: " + row.group(2) + ".";
                rows.put(
                        row.group(1).replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT),
                        new Row(type, "", description.replace("`", "")));
            }
        }
        return rows;
    }

    private static String json(Map<String, Row> rows) {
        return rows.entrySet().stream()
                .map(e -> "    {\n      \"name\": \"mandate." + e.getKey() + "\",\n      \"type\": \""
                        + e.getValue().type + "\",\n      \"sourceType\": \"" + MandateProperties.class.getName()
                        + "\",\n      \"description\": \"" + e.getValue().description + "\""
                        + (e.getValue().standard.isEmpty()
                                ? ""
                                : ",\n      \"defaultValue\": \"" + e.getValue().standard + "\"")
                        + "\n    }")
                .collect(Collectors.joining(
                        ",\n",
                        "{\n  \"groups\": [\n    {\n      \"name\": \"mandate\",\n      \"type\": \""
                                + MandateProperties.class.getName() + "\",\n      \"sourceType\": \""
                                + MandateProperties.class.getName() + "\"\n    }\n  ],\n  \"properties\": [\n",
                        "\n  ]\n}\n"));
    }

    @Test
    void everySettingIsAPropertyAndNothingElseIs() throws Exception {
        assertThat(UnknownProperties.known())
                .extracting(ConfigurationPropertyName::toString)
                .containsExactlyInAnyOrderElementsOf(
                        expected().keySet().stream().map(k -> "mandate." + k).toList());
    }

    @Test
    void editorsSeeWhatTheTableSays() throws Exception {
        String wanted = json(expected());

        if (System.getProperty("metadata.rewrite") != null) {
            Files.writeString(FILE, wanted);
        }

        assertThat(FILE).as("written by mvn test -Dmetadata.rewrite").hasContent(wanted);
    }
}
