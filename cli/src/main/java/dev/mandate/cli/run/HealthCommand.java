package dev.mandate.cli.run;

import dev.mandate.console.Durations;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Asks a shell command if an instance is healthy: exit code 0 means yes. It is killed, and that means no, when
 * its time is over or the caller is interrupted.
 */
final class HealthCommand implements BooleanSupplier {
    private final String script;
    private final Map<String, String> variables;
    private final Predicate<String> hidden;
    private final Duration timeout;
    private volatile String words = "";

    /**
     * {@code sh -c script}.
     *
     * @param variables to add to the environment of this process
     * @param hidden which variables of this process it does not get
     * @param timeout after which it is killed and has failed
     */
    HealthCommand(String script, Map<String, String> variables, Predicate<String> hidden, Duration timeout) {
        this.script = script;
        this.variables = Map.copyOf(variables);
        this.hidden = hidden;
        this.timeout = timeout;
    }

    @Override
    public boolean getAsBoolean() {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", script)
                .redirectInput(Redirect.from(new java.io.File("/dev/null")))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD);
        builder.environment().keySet().removeIf(hidden);
        builder.environment().putAll(variables);
        try {
            Process process = builder.start();
            try {
                if (!process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                    return tookTooLong();
                }
                int code = process.exitValue();
                words = code == 0 ? "the health check passed" : "the health check ended with exit code " + code;
                return code == 0;
            } finally {
                // Processes that it started may outlive it.
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (IOException e) {
            words = "the health check could not be started: " + e.getMessage();
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return tookTooLong();
        }
    }

    private boolean tookTooLong() {
        words = "the health check took longer than " + Durations.words(timeout);
        return false;
    }

    /** Its last answer for people; empty before the first. */
    String words() {
        return words;
    }
}
