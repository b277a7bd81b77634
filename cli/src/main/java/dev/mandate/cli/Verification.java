package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tells live leaders from dead ones: observes them for at most the longest of their leases. */
final class Verification {
    /** Time for the answers, beyond the lease. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private Verification() {}

    /** A leader and what is known about it; if another candidate leads by now, that one. */
    record Verified(Leader leader, LeaderState state) {}

    /**
     * Observes all unverified leaders until it is known whether they are alive: for at most their longest lease and 5 s
     * for the answers.
     *
     * @throws Failure if the store stopped answering meanwhile
     */
    static List<Verified> of(ElectionClient client, List<Leader> leaders) throws InterruptedException {
        Map<Leader, Observing> open = new LinkedHashMap<>();
        List<Leader> unsure = leaders.stream().filter(l -> !l.verified()).toList();
        CountDownLatch left = new CountDownLatch(unsure.size());
        try {
            for (Leader leader : unsure) {
                Verdict verdict = new Verdict(left);
                open.put(leader, client.election(leader.election()).observe(verdict::look));
            }
            Duration lease =
                    unsure.stream().map(Leader::lease).max(Duration::compareTo).orElse(Duration.ZERO);
            left.await(lease.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
            List<Verified> all = new ArrayList<>();
            for (Leader leader : leaders) {
                Observing observing = open.get(leader);
                all.add(
                        observing == null
                                ? new Verified(leader, LeaderState.LIVE)
                                : now(client, leader, observing.view()));
            }
            return all;
        } finally {
            open.values().forEach(Observing::close);
        }
    }

    private static Verified now(ElectionClient client, Leader before, LeaderView view) {
        if (view instanceof LeaderView.Unknown) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "the store stopped answering during the check whether '" + before.candidate() + "' still leads '"
                            + before.election() + "'; try again");
        }
        return view.leader()
                .map(leader -> new Verified(leader, LeaderState.of(leader)))
                .orElseGet(() -> vacant(client, before));
    }

    /** Nobody leads: the record is vacant, or its holder was seen dead and its record still exists. */
    private static Verified vacant(ElectionClient client, Leader before) {
        return client.leaders(before.election(), 1).stream()
                .filter(now -> now.election().equals(before.election()))
                .findFirst()
                // A leader that came after observing began was alive since.
                .map(now -> new Verified(now, now.token().equals(before.token()) ? LeaderState.DEAD : LeaderState.LIVE))
                .orElse(new Verified(before, LeaderState.RELEASED));
    }

    /** Counts down once, when a view says for certain who leads, or that nobody does. */
    private static final class Verdict {
        private final CountDownLatch left;
        private boolean known;

        Verdict(CountDownLatch left) {
            this.left = left;
        }

        synchronized void look(LeaderView view) {
            boolean certain = view instanceof LeaderView.Vacant
                    || view.leader().filter(Leader::verified).isPresent();
            if (certain && !known) {
                known = true;
                left.countDown();
            }
        }
    }
}
