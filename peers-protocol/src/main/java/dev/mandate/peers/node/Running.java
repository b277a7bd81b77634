package dev.mandate.peers.node;

import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Moment;
import dev.mandate.peers.register.ProposalStep.Send;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call under way. */
interface Running {
    /**
     * What a call wants done.
     *
     * @param result how it ended, null while it goes on; returned once
     */
    record Step(List<Send> sends, @Nullable CallResult result) {
        static final Step NOTHING = new Step(List.of(), null);

        public Step {
            sends = List.copyOf(sends);
        }
    }

    Step begin(Moment now);

    Step answered(int voter, Message.Answer answer, Moment now);

    /** The link to a voter came up. */
    Step reached(int voter, Moment now);

    /** Time passed. */
    Step tick(Moment now);

    /** When to call {@link #tick}, on the clock that counts suspensions. */
    long wakeAtNanos();

    /** The time by which the messages it wants sent must have left. */
    long untilNanos();

    /** The highest counter it has seen. */
    long seen();
}
