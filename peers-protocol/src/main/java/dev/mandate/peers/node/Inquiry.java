package dev.mandate.peers.node;

import dev.mandate.peers.register.Group;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Moment;
import dev.mandate.peers.register.ProposalStep.Send;
import dev.mandate.spi.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Asks all voters for their status. */
final class Inquiry implements Running {
    private final Group group;
    private final Id id;
    private final long deadlineNanos;
    private final Map<Integer, Message.Status> answers = new TreeMap<>();

    Inquiry(Group group, Id id, long deadlineNanos) {
        this.group = group;
        this.id = id;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public Step begin(Moment now) {
        List<Send> sends = new ArrayList<>();
        for (int voter = 0; voter < group.voters(); voter++) {
            sends.add(new Send(voter, new Message.AskStatus(id)));
        }
        return new Step(sends, null);
    }

    @Override
    public Step answered(int voter, Message.Answer answer, Moment now) {
        if (answer instanceof Message.Status status) {
            answers.put(voter, status);
        }
        return answers.size() == group.voters() ? new Step(List.of(), new CallResult.Asked(answers)) : Step.NOTHING;
    }

    @Override
    public Step reached(int voter, Moment now) {
        return answers.containsKey(voter)
                ? Step.NOTHING
                : new Step(List.of(new Send(voter, new Message.AskStatus(id))), null);
    }

    @Override
    public Step tick(Moment now) {
        boolean isOver = now.nanos() - deadlineNanos >= 0;
        return isOver ? new Step(List.of(), new CallResult.Asked(answers)) : Step.NOTHING;
    }

    @Override
    public long wakeAtNanos() {
        return deadlineNanos;
    }

    @Override
    public long untilNanos() {
        return deadlineNanos;
    }

    @Override
    public long seen() {
        return 0;
    }
}
