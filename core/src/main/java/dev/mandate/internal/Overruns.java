package dev.mandate.internal;

import dev.mandate.OverrunPolicy;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;

/** Handles work that does not stop. Any thread. */
final class Overruns {
    /** How long a halt waits for the log line that says why. */
    private static final long LAST_WORDS_NANOS = 50_000_000;

    /** How much later than the watchdog the loop reports. Earlier, it might claim the report and lose the processor. */
    static final long RESERVE_NANOS = 100_000_000;

    private final Client client;
    private final OverrunPolicy policy;

    Overruns(Client client, OverrunPolicy policy) {
        this.client = client;
        this.policy = policy;
    }

    /** A term ended: the watchdog reports work that outlives the budget, whatever the loop does. */
    void ended(WonLeadership won) {
        if (!isWorking(won)) {
            return;
        }
        Now now = client.host().now();
        client.watchdog().overdueAt(won, now.monotonicNanos() + budgetNanos(won, now));
    }

    /** A latch's work is its user's business: it counts as stopped when its budget ends. */
    private static boolean isWorking(WonLeadership won) {
        return !won.hasStopped() && !(won.candidacy() instanceof LatchCandidacy);
    }

    /** How long work may take to stop if its term ends at {@code now}. */
    static long budgetNanos(WonLeadership won, Now now) {
        LeaseWindow window = won.term().cell().window();
        // Whatever the reason given: see Transitions.end.
        return window.isStopPassed(now)
                ? Math.min(window.endRemainingNanos(now), window.drainTimeoutNanos())
                : window.drainTimeoutNanos();
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
                        () -> Overrun.of(won),
                        client.host().nanos());
    }

    /** Halts the JVM: this work must not go on. */
    private void halt(WonLeadership won) {
        try {
            client.journal()
                    .warn(
                            won.election(),
                            won.term().number(),
                            "HALTING the JVM with status " + Client.HALT_STATUS + ": an overrun, and onOverrun=halt",
                            Overrun.of(won));
            client.awaitQuietly(client.journal().written(), LAST_WORDS_NANOS);
        } finally {
            client.host().halt(Client.HALT_STATUS);
        }
    }
}
