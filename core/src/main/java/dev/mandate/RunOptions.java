package dev.mandate;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** How {@code runWhileLeader} treats its task. Immutable; start from {@link #DEFAULTS}. */
public final class RunOptions {
    /** No progress time-out, no health check; a task that returns ends the candidacy. */
    public static final RunOptions DEFAULTS =
            new RunOptions(false, null, null, Duration.ofSeconds(5), Duration.ofSeconds(1));

    private final boolean campaignAgain;
    private final @Nullable Duration progressTimeout;
    private final @Nullable BooleanSupplier healthCheck;
    private final Duration healthEvery;
    private final Duration healthTimeout;

    private RunOptions(
            boolean campaignAgain,
            @Nullable Duration progressTimeout,
            @Nullable BooleanSupplier healthCheck,
            Duration healthEvery,
            Duration healthTimeout) {
        this.campaignAgain = campaignAgain;
        this.progressTimeout = progressTimeout;
        this.healthCheck = healthCheck;
        this.healthEvery = healthEvery;
        this.healthTimeout = healthTimeout;
    }

    /** A task that returns ends its term, and the client campaigns again after the cool-down. */
    public RunOptions withCampaignAgain() {
        return new RunOptions(true, progressTimeout, healthCheck, healthEvery, healthTimeout);
    }

    /**
     * A task that does not call {@link Leadership#reportProgress()} for {@code atMost} has stalled: its term ends. The
     * start of the term and that of the task count as calls, so a task that an executor does not start within {@code
     * atMost} has stalled, too.
     */
    public RunOptions withProgressTimeout(Duration atMost) {
        return new RunOptions(
                campaignAgain, positive("progressTimeout", atMost), healthCheck, healthEvery, healthTimeout);
    }

    /**
     * Asks {@code check} while leading, for the first time {@code every} after the term began. The term ends if the
     * check says no, throws, or does not answer within {@code timeout}. At most one check of a candidacy runs at a
     * time; a check that takes too long is interrupted. A check counts only for the term that asked. While it hangs,
     * the next term cannot ask, and ends after it has waited {@code timeout} for that.
     */
    public RunOptions withHealthCheck(BooleanSupplier check, Duration every, Duration timeout) {
        return new RunOptions(
                campaignAgain,
                progressTimeout,
                check,
                positive("healthEvery", every),
                positive("healthTimeout", timeout));
    }

    private static Duration positive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be more than 0");
        }
        return value;
    }

    /** Whether the client campaigns again after a task returned. */
    public boolean campaignAgain() {
        return campaignAgain;
    }

    /** How often the task must call {@link Leadership#reportProgress()}, if at all. */
    public Optional<Duration> progressTimeout() {
        return Optional.ofNullable(progressTimeout);
    }

    /** The health check, if any. */
    public Optional<BooleanSupplier> healthCheck() {
        return Optional.ofNullable(healthCheck);
    }

    /** From the end of one health check to the start of the next. */
    public Duration healthEvery() {
        return healthEvery;
    }

    /** How long one health check may take. */
    public Duration healthTimeout() {
        return healthTimeout;
    }
}
