package dev.mandate.cli.run;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.console.Console;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What {@code run} reports about an election. Safe for use from many threads. */
final class RunStatus extends Messages {
    private final String election;

    // Guarded by this.
    private boolean seen;
    /** How often the leader became unknown. */
    private int silences;

    /** How long the first read after a term may take. */
    private Duration look = Duration.ofSeconds(1);

    private @Nullable LeaderView latest;
    /** The token of the leader named last. */
    private long following;
    /** The token last reported as held without leading. */
    private long settling;

    RunStatus(Console console, String election, boolean quiet) {
        super(console, quiet);
        this.election = election;
    }

    /** Sets the lease; a fifth of it exceeds the time of a poll and its answer. */
    synchronized void lease(Duration lease) {
        Duration share = lease.dividedBy(5);
        look = share.compareTo(look) > 0 ? share : look;
    }

    /** Reports who leads, unless it is this process. Reports nothing before the first answer. */
    synchronized void view(LeaderView view, Election own, String self) {
        if (view instanceof LeaderView.Unknown && seen) {
            // After its own term this process first has to read who leads: until then, not knowing it is normal.
            int silence = ++silences;
            noteLater(
                    look,
                    "the store does not answer: the leader of '" + election + "' is unknown",
                    () -> isStill(silence));
        }
        seen = !(view instanceof LeaderView.Unknown);
        latest = view;
        view.leader().ifPresent(leader -> {
            if (leader.candidate().equals(self)) {
                // We may see the record before the answer that makes it ours; or another candidate has the same id.
                LATER.execute(() -> namedAlike(view, leader, own));
            } else {
                follows(leader);
            }
        });
    }

    private synchronized boolean isStill(int silence) {
        return silence == silences && latest instanceof LeaderView.Unknown;
    }

    private synchronized void namedAlike(LeaderView view, Leader leader, Election own) {
        if (latest != view) {
            return;
        }
        CandidacyStatus.State state = own.status().state();
        if (state == CandidacyStatus.State.FOLLOWING) {
            follows(leader);
        } else if (state == CandidacyStatus.State.SETTLING && leader.token().value() != settling) {
            settling = leader.token().value();
            note("won '" + election + "', token " + leader.token()
                    + "; waiting before leading, so that the former leader, another program, has time to stop");
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
