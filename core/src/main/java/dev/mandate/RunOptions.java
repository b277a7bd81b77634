package dev.mandate;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** How {@code runWhileLeader} treats its task. Immutable; start from {@link #DEFAULTS}. */
public final class RunOptions {
    /** No heartbeat, no health check; a task that returns ends the candidacy. */
    public static final RunOptions DEFAULTS =
            new RunOptions(false, null, null, Duration.ofSeconds(5), Duration.ofSeconds(1));

    private final boolean standAgain;
    private final @Nullable Duration heartbeat;
    private final @Nullable BooleanSupplier healthCheck;
    private final Duration healthEvery;
    private final Duration healthTimeout;

    private RunOptions(
            boolean standAgain,
            @Nullable Duration heartbeat,
            @Nullable BooleanSupplier healthCheck,
            Duration healthEvery,
            Duration healthTimeout) {
        this.standAgain = standAgain;
        this.heartbeat = heartbeat;
        this.healthCheck = healthCheck;
        this.healthEvery = healthEvery;
        this.healthTimeout = healthTimeout;
    }

    /** A task that returns ends its term, and the client campaigns again after the cool-down. */
    public RunOptions withStandAgain() {
        return new RunOptions(true, heartbeat, healthCheck, healthEvery, healthTimeout);
    }

    /**
     * A task that does not call {@link Leadership#heartbeat()} for {@code atMost} has stalled: its term ends. The start
     * of the term and that of the task count as calls, so a task that an executor does not start within {@code atMost}
     * has stalled, too.
     */
    public RunOptions withHeartbeat(Duration atMost) {
        return new RunOptions(standAgain, positive("heartbeat", atMost), healthCheck, healthEvery, healthTimeout);
    }

    /**
     * Asks {@code check} while leading, for the first time {@code every} after the term began. The term ends if the
     * check says no, throws, or does not answer within {@code timeout}. At most one check of a candidacy runs at a
     * time; a check that takes too long is interrupted. A check counts only for the term that asked. While it hangs,
     * the next term cannot ask, and ends after it has waited {@code timeout} for that.
     */
    public RunOptions withHealthCheck(BooleanSupplier check, Duration every, Duration timeout) {
        return new RunOptions(
                standAgain, heartbeat, check, positive("healthEvery", every), positive("healthTimeout", timeout));
    }

    private static Duration positive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be more than 0");
        }
        return value;
    }

    /** Whether the client campaigns again after a task returned. */
    public boolean standAgain() {
        return standAgain;
    }

    /** How often the task must call {@link Leadership#heartbeat()}, if at all. */
    public Optional<Duration> heartbeat() {
        return Optional.ofNullable(heartbeat);
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
