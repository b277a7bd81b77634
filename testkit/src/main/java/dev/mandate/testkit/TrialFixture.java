package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.history.Trial;
import dev.mandate.testkit.history.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** What all trials of a store share. */
abstract class TrialFixture {
    /** The URL of the store for a client that connects to 127.0.0.1 and {@code port}, with {@link #lease()} in it. */
    protected abstract String url(int port);

    /** A short lease that the store grants. */
    protected abstract Duration lease();

    /** Three candidates in a new election, one of which leads. */
    final Trial begin(String what, int port) throws IOException {
        return begin(what, port, Map.of());
    }

    /** The same, with {@code environment} added to that of the candidates. */
    final Trial begin(String what, int port, Map<String, String> environment) throws IOException {
        String election = what + "-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
        return Trial.of("127.0.0.1", port, this::url, election.toLowerCase(Locale.ROOT), environment);
    }

    /** Ends the trial, judges its history, and prints the result. */
    final void requireTerms(Trial trial, int atLeast) throws IOException {
        Verdict verdict = trial.healAndCheck();
        say(trial, verdict.toString());
        assertThat(verdict.terms()).as("terms that were believed").isGreaterThanOrEqualTo(atLeast);
    }

    final void say(Trial trial, String what) {
        System.out.println("[trial] " + getClass().getSimpleName() + " " + trial.election() + ": " + what);
    }
}
