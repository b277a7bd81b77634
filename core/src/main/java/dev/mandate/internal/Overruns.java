package dev.mandate.internal;

import dev.mandate.OverrunPolicy;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import org.jspecify.annotations.Nullable;

/** Handles work that does not stop. Any thread. */
final class Overruns {
    /** The JVM's exit status when policy demands a halt. */
    static final int HALT_STATUS = 70;

    /** How long a halt waits for the log line that says why. */
    private static final long LAST_WORDS_NANOS = 50_000_000;

    /** How much later than the watchdog the loop reports. Earlier, it might claim the report and lose the processor. */
    private static final long RESERVE_NANOS = 100_000_000;

    private final ClientContext client;
    private final Watchdog watchdog;
    private final OverrunPolicy policy;

    Overruns(ClientContext client, Watchdog watchdog, OverrunPolicy policy) {
        this.client = client;
        this.watchdog = watchdog;
        this.policy = policy;
    }

    /** A term ended: the watchdog reports work that outlives the budget, whatever the loop does. */
    void ended(WonLeadership won) {
        if (!isWorking(won)) {
            return;
        }
        Now now = client.host().now();
        watchdog.overdueAt(won, now.monotonicNanos() + budgetNanos(won, now));
    }

    /** A latch's work is its user's business: it counts as stopped when its budget ends. */
    private static boolean isWorking(WonLeadership won) {
        return !won.hasStopped() && won.candidacy().knowsWhenWorkStops();
    }

    /** How long work may take to stop if its term ends at {@code now}. */
    static long budgetNanos(WonLeadership won, Now now) {
        LeaseWindow window = won.term().cell().window();
        // Whatever the reason given: see Transitions.end.
        return window.isStopPassed(now)
                ? Math.min(window.endRemainingNanos(now), window.drainTimeoutNanos())
                : window.drainTimeoutNanos();
    }

    /** The machine announces that the work has outlived its budget. On the loop. */
    void announced(WonLeadership won, Now now) {
        client.loop().at(now.monotonicNanos() + RESERVE_NANOS, later -> overrun(won));
    }

    /**
     * Work outlived its budget. The watchdog reports it, or, if that is late, the loop; once per term. If policy
     * demands a halt, both halt: either may lose the processor half way.
     */
    void overrun(WonLeadership won) {
        if (!isWorking(won)) {
            return;
        }
        try {
            if (won.isFirstToReport()) {
                client.counters().overrun();
                report(won);
            }
        } finally {
            if (policy == OverrunPolicy.HALT) {
                halt(won);
            }
        }
    }

    private void report(WonLeadership won) {
        String who = won.run() == null ? "a Leadership was not closed" : "work did not stop";
        String what = "OVERRUN: " + who + " within drainTimeout ("
                + won.term().cell().window().drainTimeoutNanos() / 1_000_000 + "ms); onOverrun="
                + Setting.text(policy);
        client.journal()
                .overrun(
                        won.election(),
                        won.term().number(),
                        what,
                        () -> stack(won),
                        client.host().nanos());
    }

    private static @Nullable Overrun stack(WonLeadership won) {
        WonLeadership.Run run = won.run();
        return Overrun.of(run == null ? null : run.thread());
    }

    /** Halts the JVM: this work must not go on. */
    private void halt(WonLeadership won) {
        try {
            client.journal()
                    .warn(
                            won.election(),
                            won.term().number(),
                            "HALTING the JVM with status " + HALT_STATUS + ": an overrun, and onOverrun=halt",
                            stack(won));
            client.awaitQuietly(client.journal().written(), LAST_WORDS_NANOS);
        } finally {
            client.host().halt(HALT_STATUS);
        }
    }
}
