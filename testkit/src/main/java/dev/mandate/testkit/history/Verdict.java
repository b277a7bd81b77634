package dev.mandate.testkit.history;

import java.time.Duration;
import java.util.Locale;

/**
 * The result of a {@link Trial} without objections.
 *
 * @param terms how many terms were believed
 * @param recovery how long after everything was healed somebody believed; zero if somebody did all the time
 * @param recoveryAtMost the bound that the candidates promise for it
 */
public record Verdict(int terms, Duration recovery, Duration recoveryAtMost) {
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d terms, led %.2f s after everything was healed, bound %.2f s",
                terms,
                recovery.toNanos() / 1e9,
                recoveryAtMost.toNanos() / 1e9);
    }
}
