package dev.mandate.cli.run;

import dev.mandate.EndReason;
import dev.mandate.LeaderTask;
import dev.mandate.Leadership;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs the command in every term, and decides when {@code run} is over: after the first term if asked for, after a
 * signal, if the command cannot be run at all, or when the caller gives up waiting for the first term. A term lasts
 * until the command and everything it started is dead. For {@code register} it runs the command once, without a term.
 */
final class CommandTask implements LeaderTask {
    private static final int TICKS_PER_LEASE = 50;

    private final List<String> command;
    private final String candidate;
    private final Predicate<String> hidden;
    private final Duration tick;
    private final Duration grace;
    private final boolean once;
    private final @Nullable Duration stopTimeout;
    private final Messages messages;
    private final CountDownLatch over = new CountDownLatch(1);
    /** Open from the first term on, or from the end if there is none. */
    private final CountDownLatch begun = new CountDownLatch(1);

    // Guarded by this.
    private @Nullable SupervisedCommand running;
    private int endingSignals;
    /** The first ending signal; null before it. */
    private @Nullable String endingSignal;

    private @Nullable Integer exitCode;
    private boolean gaveUp;

    /**
     * @param hidden the variables of the environment that the command does not get
     * @param grace from TERM to KILL; less than the drain budget
     * @param stopTimeout how long the command may take to end after a signal that ends {@code run}; null for no limit
     */
    CommandTask(
            List<String> command,
            String candidate,
            Predicate<String> hidden,
            Duration lease,
            Duration grace,
            boolean once,
            @Nullable Duration stopTimeout,
            Messages messages) {
        this.command = List.copyOf(command);
        this.candidate = candidate;
        this.hidden = hidden;
        this.tick = Duration.ofMillis(Math.max(10, Math.min(250, lease.toMillis() / TICKS_PER_LEASE)));
        this.grace = grace;
        this.once = once;
        this.stopTimeout = stopTimeout;
        this.messages = messages;
    }

    @Override
    public void run(Leadership leadership) {
        if (begins()) {
            tell(leadership);
            run(Span.of(leadership, candidate));
        }
    }

    private void tell(Leadership leadership) {
        String election = "'" + leadership.election() + "'";
        messages.note("leading " + election + ", token " + leadership.fencingToken());
        leadership.ended().thenAccept(reason -> {
            if (reason != EndReason.COMPLETED && reason != EndReason.WITHDRAWN) {
                messages.note("no longer leading " + election + ": " + reason);
            }
        });
    }

    /** Runs the command once, while {@code span} lasts. Blocks; an interruption means that the span is over. */
    void run(Span span) {
        begun.countDown();
        try (SupervisedCommand child = start(span)) {
            if (child == null) {
                tooLate(span);
            } else {
                boolean isLost = supervise(child, span);
                ended(child, span, isLost);
            }
        } catch (IOException | RuntimeException | Error e) {
            // An error, too: nobody else would end run, or give up what is registered for the command.
            try {
                String why = e.getMessage();
                messages.say("the command could not be run: " + (why == null ? e : why));
            } finally {
                finish(ExitCode.RUN_FAILED);
            }
        }
        synchronized (this) {
            if (once || endingSignals > 0) {
                end();
            }
        }
    }

    private synchronized boolean begins() {
        begun.countDown();
        return !gaveUp;
    }

    /**
     * Waits for the first term.
     *
     * @return whether it began, or {@code run} was over, within {@code atMost}
     */
    boolean awaitBegin(Duration atMost) throws InterruptedException {
        return begun.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends {@code run} with {@link ExitCode#NOT_ELECTED}, unless a term has begun; returns whether it ended. */
    synchronized boolean giveUp() {
        if (begun.getCount() == 0) {
            return false;
        }
        gaveUp = true;
        finish(ExitCode.NOT_ELECTED);
        return true;
    }

    /** Under the lock, so that a signal finds either the running command or none that will ever run. */
    private synchronized @Nullable SupervisedCommand start(Span span) throws IOException {
        if (endingSignals > 0 || !span.lasts().getAsBoolean()) {
            return null;
        }
        SupervisedCommand child = SupervisedCommand.start(command, span.variables(), span.remaining(), hidden, grace);
        running = child;
        return child;
    }

    /** Returns whether the command was stopped because the term was over. */
    private boolean supervise(SupervisedCommand child, Span span) throws IOException {
        try {
            while (!child.awaitAndProlong(span.remaining(), tick)) {
                // Until it ends or the term does.
            }
            return false;
        } catch (InterruptedException e) {
            // The term is over. To return means that the work has stopped, so first wait until all is dead.
            child.stop();
            return true;
        } finally {
            synchronized (this) {
                running = null;
            }
        }
    }

    private void ended(SupervisedCommand child, Span span, boolean isLost) {
        switch (child.end()) {
            case ENDED -> {
                int code = child.exitCode();
                messages.ended(code);
                synchronized (this) {
                    exitCode = isLost && once ? ExitCode.LEAD_LOST : code;
                }
            }
            case TOO_LATE -> tooLate(span);
            case NEVER_STARTED -> finish(ExitCode.RUN_FAILED);
            case ORPHANED -> {
                synchronized (this) {
                    if (endingSignals > 1) {
                        // It was meant to be killed.
                        exitCode = ExitCode.SIGNAL + Signals.number("KILL");
                        return;
                    }
                    exitCode = ExitCode.RUN_FAILED;
                }
                messages.say("the supervisor of the command was killed, and so was the command");
            }
        }
    }

    /** Does not end {@code run}, which campaigns again: another host may be quicker. */
    private void tooLate(Span span) {
        synchronized (this) {
            if (endingSignal != null) {
                exitCode = exitCode == null ? ExitCode.SIGNAL + Signals.number(endingSignal) : exitCode;
                return;
            }
            if (once) {
                exitCode = ExitCode.LEAD_LOST;
            }
        }
        if (span.lasts().getAsBoolean()) {
            messages.say("the command was not started: its supervisor took longer to start than the term was to last");
        }
    }

    private synchronized void finish(int code) {
        exitCode = code;
        end();
    }

    private void end() {
        over.countDown();
        begun.countDown();
    }

    /** Passes a signal on to the command. If no command runs and {@code ends}, {@code run} is over. */
    synchronized void signalled(String name, boolean ends) {
        if (ends) {
            endingSignals++;
            endingSignal = endingSignal == null ? name : endingSignal;
        }
        SupervisedCommand child = running;
        if (child == null) {
            if (ends) {
                if (exitCode == null) {
                    exitCode = ExitCode.SIGNAL + Signals.number(name);
                }
                end();
            }
            return;
        }
        try {
            child.signal(name);
            if (endingSignals > 1) {
                child.hurry();
            } else if (ends) {
                killLater(child);
            }
        } catch (IOException e) {
            messages.say("the command could not be sent " + name + ": " + e.getMessage());
        }
    }

    private void killLater(SupervisedCommand child) {
        Duration limit = stopTimeout;
        if (limit != null) {
            CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> kill(child, limit));
        }
    }

    private synchronized void kill(SupervisedCommand child, Duration limit) {
        if (running != child) {
            return;
        }
        messages.say("the command has not ended within " + Durations.words(limit) + "; killing it");
        // Marks the command as meant to be killed.
        endingSignals++;
        try {
            child.kill();
        } catch (IOException e) {
            messages.say("the command could not be killed: " + e.getMessage());
        }
    }

    /** Waits until {@code run} is over or {@code atMost} has passed; returns whether it is over. */
    boolean awaitEnd(Duration atMost) throws InterruptedException {
        return over.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Waits until {@code run} is over. */
    void awaitEnd() throws InterruptedException {
        over.await();
    }

    /** The exit code: that of the last command if there was one. */
    synchronized int exitCode() {
        return exitCode == null ? ExitCode.RUN_FAILED : exitCode;
    }
}
