package dev.mandate.peers.node;

import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Moment;
import dev.mandate.peers.register.Proposal;
import dev.mandate.peers.register.ProposalStep;

/** A read or a write. */
final class OneKey implements Running {
    private final Proposal proposal;

    OneKey(Proposal proposal) {
        this.proposal = proposal;
    }

    private static Step step(ProposalStep step) {
        return new Step(step.sends(), step.outcome().map(CallResult.Ended::new).orElse(null));
    }

    @Override
    public Step begin(Moment now) {
        return step(proposal.begin(now));
    }

    @Override
    public Step answered(int voter, Message.Answer answer, Moment now) {
        return step(proposal.step(voter, answer, now));
    }

    @Override
    public Step reached(int voter, Moment now) {
        return step(proposal.reached(voter, now));
    }

    @Override
    public Step tick(Moment now) {
        return step(proposal.tick(now));
    }

    @Override
    public long wakeAtNanos() {
        return proposal.wakeAtNanos();
    }

    @Override
    public long untilNanos() {
        return proposal.untilNanos();
    }

    @Override
    public long seen() {
        return proposal.seen();
    }
}
