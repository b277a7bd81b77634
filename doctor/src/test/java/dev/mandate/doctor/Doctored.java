package dev.mandate.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.mandate.console.Called;
import dev.mandate.console.Program;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the doctor said of a store.
 *
 * @param called its exit code, and what it printed
 */
public record Doctored(Called called, String verdict, List<Finding> findings) {
    /** The doctor alone. */
    static final Program PROGRAM = new Program(
            List.of(new Program.Entry("doctor", DoctorCommand.class)),
            (name, console, environment) -> DoctorCommand.line(console, environment));

    /** Asks it, in this process, as a user would with {@code --json}, about a store that may have to be made first. */
    public static Doctored at(String url, String... options) {
        return with(Map.of("MANDATE_STORE", url), options);
    }

    /** The same about a store that is there. */
    public static Doctored looking(String url) {
        return called(Map.of("MANDATE_STORE", url), List.of("doctor", "--json"));
    }

    public static Doctored with(Map<String, String> environment, String... options) {
        List<String> args = new ArrayList<>(List.of("doctor", "--json", "--create"));
        args.addAll(List.of(options));
        return called(environment, args);
    }

    private static Doctored called(Map<String, String> environment, List<String> args) {
        Called called = Called.with(PROGRAM, environment, args.toArray(String[]::new));
        assertThat(called.out()).as("it said %s", called.err()).isNotEmpty();
        try {
            return read(called);
        } catch (IOException e) {
            throw new UncheckedIOException(called.out(), e);
        }
    }

    private static Doctored read(Called called) throws IOException {
        List<Finding> findings = new ArrayList<>();
        String verdict = "";
        Map<String, String> fields = new HashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(called.out())) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING) {
                    fields.put(parser.currentName(), parser.getText());
                    verdict = parser.currentName().equals("verdict") ? parser.getText() : verdict;
                } else if (token == JsonToken.END_OBJECT && fields.containsKey("severity")) {
                    findings.add(new Finding(
                            Severity.valueOf(fields.remove("severity").toUpperCase(Locale.ROOT)),
                            fields.get("subject"),
                            fields.get("sentence")));
                }
            }
        }
        return new Doctored(called, verdict, findings);
    }

    /** Found nothing worse than {@code worst}, and says so in every way. */
    public Doctored assertVerdict(Severity worst) {
        assertThat(findings).extracting(Finding::severity).as("%s", findings).contains(worst);
        assertThat(findings).allMatch(f -> f.severity().compareTo(worst) <= 0);
        assertThat(verdict).isEqualTo(worst.name().toLowerCase(Locale.ROOT));
        assertThat(called.code()).isEqualTo(worst.ordinal());
        return this;
    }

    /**
     * Found nothing wrong, but maybe that answers came late: where the lease is short, that depends on what else this
     * machine does.
     */
    public Doctored assertWell() {
        assertThat(findings)
                .isNotEmpty()
                .allMatch(f -> f.severity() == Severity.OK
                        || f.severity() == Severity.WARNING
                                && List.of("round trip", "listing", "writes").contains(f.subject()));
        return this;
    }

    /** One of the findings is this, and has all these words. */
    public Doctored assertSays(Severity severity, String subject, String... words) {
        assertThat(findings)
                .as("a finding with %s", List.of(words))
                .anyMatch(f -> f.severity() == severity
                        && f.subject().equals(subject)
                        && List.of(words).stream().allMatch(f.sentence()::contains));
        return this;
    }

    /** Said no more than that nothing answers, once, and what follows from the settings. */
    public void assertUnreachable(String... words) {
        assertVerdict(Severity.ERROR);
        assertThat(findings)
                .filteredOn(f -> f.severity() != Severity.OK)
                .singleElement()
                .satisfies(f -> assertThat(f.subject()).isEqualTo("reachable"))
                .satisfies(f -> assertThat(f.sentence()).contains(words).doesNotContain("\n"));
    }

    /** Only the findings of one kind. */
    public List<String> sentences(Severity severity) {
        return findings.stream()
                .filter(f -> f.severity() == severity)
                .map(Finding::sentence)
                .toList();
    }
}
