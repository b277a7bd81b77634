package dev.mandate.peers.register;

import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a voter last accepted at a key.
 *
 * @param epoch in which it accepted
 * @param value what it accepted; first proposed in this epoch or an earlier one
 */
public record Vote(Epoch epoch, Value value) {
    public Vote {
        Objects.requireNonNull(epoch, "epoch");
        Objects.requireNonNull(value, "value");
    }

    /** For the explorer. */
    static void digest(@Nullable Vote vote, LongConsumer digest) {
        if (vote == null) {
            digest.accept(-1);
        } else {
            vote.epoch.digest(digest);
            vote.value.write().digest(digest);
        }
    }
}
