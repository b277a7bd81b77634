package dev.mandate.engine;

import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values waiting to be published. The newest wins, and answers older commands together with its own. Bounded. */
final class Proclaims {
    private static final int WAITING_MAX = 64;
    private static final int TRIES_MAX = 5;

    private final RecordKey key;
    private final Outbox outbox;
    private final List<Long> commands = new ArrayList<>();
    private @Nullable String value;
    private int tries;
    private long tryAtNanos;

    Proclaims(RecordKey key, Outbox outbox) {
        this.key = key;
        this.outbox = outbox;
    }

    /** A value to publish; refused if too many wait already. */
    void add(long command, String newValue, long nowNanos) {
        if (commands.size() >= WAITING_MAX) {
            answer(command, false);
            return;
        }
        commands.add(command);
        value = newValue;
        tries = 0;
        tryAtNanos = nowNanos;
    }

    /** The value to publish now, or null. */
    @Nullable
    String due(long nowNanos) {
        return nowNanos < tryAtNanos ? null : value;
    }

    long tryAtNanos() {
        return value == null ? Long.MAX_VALUE : tryAtNanos;
    }

    /** The store has confirmed that this is published. */
    void published(String now) {
        if (now.equals(value)) {
            answer(true);
        }
    }

    /** A try was not confirmed. Another one follows after {@code retries}' pause, unless this was the last. */
    void failed(Retries retries, long pollNanos, long nowNanos) {
        if (value == null) {
            return;
        }
        tries++;
        tryAtNanos = nowNanos + retries.pauseNanos(tries, pollNanos, nowNanos);
        if (tries >= TRIES_MAX) {
            reject();
        }
    }

    /** Answers that nothing that waits will be published. */
    void reject() {
        answer(false);
    }

    private void answer(long command, boolean written) {
        outbox.announce(new ElectionAction.Proclaimed(key, command, written));
    }

    private void answer(boolean written) {
        commands.forEach(command -> answer(command, written));
        commands.clear();
        value = null;
    }
}
