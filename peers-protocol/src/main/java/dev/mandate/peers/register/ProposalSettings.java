package dev.mandate.peers.register;

import dev.mandate.spi.Id;
import java.util.List;

/**
 * The settings of one call.
 *
 * @param group all voters
 * @param id random, for this call alone: it tells its epochs from all others
 * @param preference all places, once each, in the order in which a read asks them: near and connected ones first
 * @param seen the highest counter that this node has seen, or 0; saves a round
 * @param seed random; for pauses after a collision
 * @param deadlineNanos on the clock of {@link Moment}
 * @param roundNanos how old an epoch may grow; less than a quarantine, so that by the time a restarted voter votes
 *     again, its earlier promises and acceptances no longer count
 * @param resendNanos how long to wait for an answer before a message is sent again, and a read asks the others;
 *     positive
 * @param backOffNanos the first pause after a collision, drawn from half of it to all; doubles
 * @param roundsMax how many epochs at most; 1 or more
 */
public record ProposalSettings(
        Group group,
        Id id,
        List<Integer> preference,
        long seen,
        long seed,
        long deadlineNanos,
        long roundNanos,
        long resendNanos,
        long backOffNanos,
        int roundsMax) {
    public ProposalSettings {
        preference = List.copyOf(preference);
        if (preference.size() != group.voters()
                || preference.stream().distinct().filter(group::has).count() != group.voters()) {
            throw new IllegalArgumentException(
                    "order of voters is " + preference + "; name each of " + group.voters() + " once, from 0");
        }
        if (roundNanos <= 0 || resendNanos <= 0 || backOffNanos <= 0 || roundsMax < 1) {
            throw new IllegalArgumentException("round, resend, back-off and rounds are " + roundNanos + " ns, "
                    + resendNanos + " ns, " + backOffNanos + " ns and " + roundsMax + "; all must be positive");
        }
    }
}
