package dev.mandate.doctor;

import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** The findings in their order, each reported at once. For one thread. */
final class Diagnosis {
    private final List<Finding> findings = new ArrayList<>();
    private final Consumer<Finding> listener;

    Diagnosis(Consumer<Finding> listener) {
        this.listener = listener;
    }

    void add(Finding finding) {
        findings.add(finding);
        listener.accept(finding);
    }

    void ok(String subject, String sentence) {
        add(Finding.ok(subject, sentence));
    }

    void warning(String subject, String sentence) {
        add(Finding.warning(subject, sentence));
    }

    void error(String subject, String sentence) {
        add(Finding.error(subject, sentence));
    }

    List<Finding> findings() {
        return Collections.unmodifiableList(findings);
    }

    long count(Severity severity) {
        return findings.stream().filter(f -> f.severity() == severity).count();
    }

    /** The severity of the worst finding. */
    Severity verdict() {
        return findings.stream().map(Finding::severity).max(Enum::compareTo).orElse(Severity.OK);
    }
}
