package dev.mandate.peers.register;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a call ended. */
public sealed interface Outcome {

    /**
     * A read: what a majority accepted.
     *
     * @param value null for nothing
     */
    record Read(@Nullable Value value) implements Outcome {}

    /**
     * A write took effect, by this call or because another call completed it.
     *
     * @param value what was written; something else may have replaced it since
     * @param renews whether the lease starts anew, from when the call began
     */
    record Written(Value value, boolean renews) implements Outcome {}

    /**
     * A write did not take effect, and never will while the lease of what was chosen instead runs.
     *
     * @param isKnown whether {@code value} is what the key holds
     * @param value null for nothing
     */
    record Refused(boolean isKnown, @Nullable Value value) implements Outcome {}

    /**
     * Voters reject the write, now and later, as long as lease and group stay the same.
     *
     * @param reason why
     */
    record Rejected(Message.Reason reason) implements Outcome {}

    /**
     * No answer in time, or none to be had: a read failed; a write took effect, or will, or won't.
     *
     * @param silent the places of voters that did not answer
     */
    record Unknown(List<Integer> silent) implements Outcome {
        public Unknown {
            silent = List.copyOf(silent);
        }
    }
}
