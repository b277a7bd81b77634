package dev.mandate.peers.register;

import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a call writes, if the key still holds its basis.
 *
 * @param basis {@link Epoch#NONE} for nothing
 * @param record null for vacant
 */
record Write(Kind kind, Epoch basis, @Nullable LeaderRecord record) {
    enum Kind {
        ACQUIRE,
        RENEW,
        AMEND,
        RELEASE
    }

    static Write update(Epoch basis, LeaderRecord record, Intent intent) {
        return new Write(intent == Intent.RENEW ? Kind.RENEW : Kind.AMEND, basis, record);
    }

    boolean renews() {
        return kind == Kind.ACQUIRE || kind == Kind.RENEW;
    }

    /**
     * The value to propose in {@code epoch}. The fencing token of an acquire is the epoch's counter.
     *
     * @param current what the key holds, with its basis; null for nothing
     */
    Value value(Epoch epoch, @Nullable Value current) {
        LeaderRecord written = kind == Kind.ACQUIRE && record != null ? record.withTerm(epoch.counter()) : record;
        Epoch liveness = kind == Kind.AMEND && current != null ? current.liveness() : epoch;
        return new Value(epoch, basis, liveness, written);
    }
}
