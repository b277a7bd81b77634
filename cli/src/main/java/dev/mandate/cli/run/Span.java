package dev.mandate.cli.run;

import dev.mandate.Leadership;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The time for which a command may run.
 *
 * @param variables for its environment; their names begin with {@code MANDATE_}
 * @param lasts whether it may be started
 * @param remaining for how long it may run, as far as is known now
 */
record Span(Map<String, String> variables, BooleanSupplier lasts, Supplier<Duration> remaining) {
    private static final Duration ENDLESS = Duration.ofDays(365);

    /** A term. */
    static Span of(Leadership leadership, String candidate) {
        Map<String, String> variables = Map.of(
                "MANDATE_ELECTION", leadership.election(),
                "MANDATE_CANDIDATE", candidate,
                "MANDATE_TOKEN", leadership.fencingToken().toString());
        return new Span(new TreeMap<>(variables), leadership::isValid, leadership::remaining);
    }

    /** A span without an end: a year. */
    static Span endless(Map<String, String> variables) {
        long end = System.nanoTime() + ENDLESS.toNanos();
        return new Span(new TreeMap<>(variables), () -> true, () -> Duration.ofNanos(end - System.nanoTime()));
    }
}
