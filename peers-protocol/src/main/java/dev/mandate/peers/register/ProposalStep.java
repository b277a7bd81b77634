package dev.mandate.peers.register;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a proposal wants done.
 *
 * @param sends messages to voters, in this order
 * @param ended how the call ended, null while it goes on; returned once
 */
public record ProposalStep(List<Send> sends, @Nullable Outcome ended) {

    /** A message to a voter's place. */
    public record Send(int voter, Message message) {}

    public ProposalStep {
        sends = List.copyOf(sends);
    }

    /** How the call ended; empty while it goes on. */
    public Optional<Outcome> outcome() {
        return Optional.ofNullable(ended);
    }
}
