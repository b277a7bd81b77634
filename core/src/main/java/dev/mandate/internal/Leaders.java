package dev.mandate.internal;

import dev.mandate.FencingToken;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Order;
import dev.mandate.engine.View;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.time.Instant;

/** What a record says about who leads. */
final class Leaders {
    private Leaders() {}

    /** What a client knows; unknown if it was never told. */
    static LeaderView view(View known, Duration age) {
        if (known.state() == View.State.UNKNOWN) {
            return new LeaderView.Unknown(age);
        }
        Observation.Held held = known.held();
        return held == null ? new LeaderView.Vacant(age) : new LeaderView.Led(of(held, known.verified()), age);
    }

    static Leader of(Observation.Held held, boolean verified) {
        String election = held.key().name();
        FencingToken token = new FencingToken(election, held.term());
        Duration lease = held.lease().orElse(Duration.ZERO);
        if (held.isForeign()) {
            return new SeenLeader(
                    election, held.shown(), "", token, Instant.EPOCH, lease, true, false, Order.RACE, verified);
        }
        LeaderRecord record = held.record();
        return new SeenLeader(
                election,
                record.candidate(),
                record.value(),
                token,
                Instant.ofEpochMilli(record.sinceMillis()),
                lease,
                false,
                record.leave(),
                record.order().equals(Setting.text(Order.ARRIVAL)) ? Order.ARRIVAL : Order.RACE,
                verified);
    }
}
