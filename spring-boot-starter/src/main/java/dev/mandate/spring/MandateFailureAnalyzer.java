package dev.mandate.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints why the application can't start with Mandate, instead of a stack trace. */
final class MandateFailureAnalyzer extends AbstractFailureAnalyzer<MandateStartException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, MandateStartException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), root);
    }
}
