package dev.mandate.cli.run;

import dev.mandate.console.Durations;
import dev.mandate.registry.Status;
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
    /** So many equal answers in a row make a status. */
    private static final int EQUAL = 2;

    private final String script;
    private final Map<String, String> variables;
    private final Predicate<String> hidden;
    private final Duration timeout;
    /** The reason for a yes; empty before the first. */
    private volatile String yes = "";
    /** The reason for the last no; empty before the first, and once enough answers in a row were yes. */
    private volatile String no = "";
    /** How many answers in a row were yes. */
    private int passes;

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
                    return failed(tookTooLong());
                }
                int code = process.exitValue();
                return code == 0 ? passed() : failed("the health check ended with exit code " + code);
            } finally {
                // Processes that it started may outlive it.
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return failed("the health check could not be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(tookTooLong());
        }
    }

    private String tookTooLong() {
        return "the health check took longer than " + Durations.words(timeout);
    }

    private synchronized boolean passed() {
        yes = "the health check passed";
        if (++passes >= EQUAL) {
            no = "";
        }
        return true;
    }

    private synchronized boolean failed(String why) {
        passes = 0;
        no = why;
        return false;
    }

    /** Why the status is {@code status}, for people; empty if no answer is the reason, or none that is known yet. */
    String words(Status status) {
        return switch (status) {
            case UP -> yes;
            case DOWN -> no;
            case STARTING, OUT_OF_SERVICE -> "";
        };
    }
}
