package dev.mandate.cli.run;

import dev.mandate.Election;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Standing;
import dev.mandate.cli.Console;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What {@code run} tells people of an election. Safe for use from many threads. */
final class Status extends Messages {
    private final String election;

    // Guarded by this.
    private boolean seen;
    /** How often it became unknown who leads. */
    private int silences;

    /** How long a look may take after a term. */
    private Duration look = Duration.ofSeconds(1);

    private @Nullable LeaderView latest;
    /** The token of the leader that was named last. */
    private long following;
    /** The token that was last said to be held without leading. */
    private long settling;

    Status(Console console, String election, boolean quiet) {
        super(console, quiet);
        this.election = election;
    }

    /** The lease is {@code lease}: a fifth of it is more than a poll and its answer take. */
    synchronized void lease(Duration lease) {
        Duration share = lease.dividedBy(5);
        look = share.compareTo(look) > 0 ? share : look;
    }

    /** Who leads, unless it is this process. Before the first look that is not known, and nothing is said. */
    synchronized void view(LeaderView view, Election standing, String self) {
        if (view instanceof LeaderView.Unknown && seen) {
            // After a term of its own this process looks who leads now: until it has, that is no silence of the store.
            int silence = ++silences;
            noteLater(
                    look,
                    "the store does not answer: who leads '" + election + "' is not known",
                    () -> isStill(silence));
        }
        seen = !(view instanceof LeaderView.Unknown);
        latest = view;
        view.leader().ifPresent(leader -> {
            if (leader.candidate().equals(self)) {
                // The record may be seen before the answer that makes it ours, and another one may have the same id.
                LATER.execute(() -> namedAlike(view, leader, standing));
            } else {
                follows(leader);
            }
        });
    }

    private synchronized boolean isStill(int silence) {
        return silence == silences && latest instanceof LeaderView.Unknown;
    }

    private synchronized void namedAlike(LeaderView view, Leader leader, Election standing) {
        if (latest != view) {
            return;
        }
        Standing.State state = standing.standing().state();
        if (state == Standing.State.FOLLOWING) {
            follows(leader);
        } else if (state == Standing.State.SETTLING && leader.token().value() != settling) {
            settling = leader.token().value();
            note("holding '" + election + "', token " + leader.token()
                    + "; leading once another program that led before has had time to stop");
        }
    }

    private void follows(Leader leader) {
        if (leader.token().value() != following) {
            following = leader.token().value();
            note("following '" + election + "', led by '" + Leader.printable(leader.candidate()) + "' (token "
                    + leader.token() + ")");
        }
    }
}
