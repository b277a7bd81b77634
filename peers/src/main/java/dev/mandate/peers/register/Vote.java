package dev.mandate.peers.register;

import java.util.Objects;

/**
 * What a voter accepted last at a key.
 *
 * @param epoch in which it accepted
 * @param value what it accepted; first proposed in this epoch or an earlier one
 */
public record Vote(Epoch epoch, Value value) {
    public Vote {
        Objects.requireNonNull(epoch, "epoch");
        Objects.requireNonNull(value, "value");
    }
}
