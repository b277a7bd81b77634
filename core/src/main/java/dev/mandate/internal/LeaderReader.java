package dev.mandate.internal;

import dev.mandate.FencingToken;
import dev.mandate.Leader;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import org.jspecify.annotations.Nullable;

/** Reads the leaders of elections. There may be thousands, so values that many share are kept once. On the loop. */
final class LeaderReader implements FollowingMachine.Reading<Leader> {
    private final SharedText candidates = new SharedText();

    /** Other records among elections belong to nobody. */
    private static boolean isElection(RecordKey key) {
        return key.segments().size() == 1;
    }

    @Override
    public @Nullable Leader read(Observation.Held held, boolean isVerified, @Nullable Leader before) {
        if (!isElection(held.key())) {
            return null;
        }
        Leader read = Leaders.of(held, isVerified);
        if (read.equals(before)) {
            return before;
        }
        String election = before == null ? read.election() : before.election();
        boolean isSameValue = before != null && before.value().equals(read.value());
        return new SeenLeader(
                election,
                candidates.same(read.candidate()),
                isSameValue && before != null ? before.value() : read.value(),
                new FencingToken(election, read.token().value()),
                read.since(),
                read.lease(),
                read.foreign(),
                read.asked(),
                read.order(),
                read.verified());
    }
}
