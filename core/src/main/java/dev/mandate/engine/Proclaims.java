package dev.mandate.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values waiting to be published. The newest wins; commands it overtakes are answered together with it. Bounded. */
final class Proclaims {
    private static final int WAITING_MAX = 64;
    private static final int TRIES_MAX = 5;

    private final List<Long> commands = new ArrayList<>(1);
    private @Nullable String value;
    private int tries;
    private long tryAtNanos;

    /** False if too many wait already. */
    boolean add(long command, String newValue, long nowNanos) {
        if (commands.size() >= WAITING_MAX) {
            return false;
        }
        commands.add(command);
        value = newValue;
        tries = 0;
        tryAtNanos = nowNanos;
        return true;
    }

    /** The value to publish, or null. */
    @Nullable
    String value() {
        return value;
    }

    long tryAtNanos() {
        return value == null ? Long.MAX_VALUE : tryAtNanos;
    }

    /** How many tries were not confirmed. */
    int tries() {
        return tries;
    }

    /** One try was not confirmed; false if there will be no other. */
    boolean again(long atNanos) {
        tryAtNanos = atNanos;
        return ++tries < TRIES_MAX;
    }

    /** All waiting commands, which are thereby answered. */
    List<Long> drain() {
        List<Long> answered = List.copyOf(commands);
        commands.clear();
        value = null;
        return answered;
    }
}
