package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The common listing of all that is held under a session. */
class ListingTest {
    private record None() implements Basis {}

    private static final RecordKey OURS = RecordKey.election("ours");
    private static final RecordKey LAST = RecordKey.election("z-ours");

    private final List<Action> asked = new ArrayList<>();
    private final Listing listing = new Listing(
            Rig.TIMING, new SteadyEntropy(), new Retries(Rig.TIMING, new SteadyEntropy()), () -> asked.size() + 1L);

    private boolean answer(RecordKey key, Cursor after, long nanos) {
        Page<Observation> page = new Page<>(List.of(Observation.vacant(key, new None())), after);
        return listing.answered(page, known -> known == OURS || known == LAST, asked, nanos);
    }

    /** A store may hold the records of a million others. */
    @Test
    void onlyWhatThisCandidateKnowsIsRememberedOfWhatIsListed() {
        listing.want(true, 0);
        listing.proceed(asked, Rig.TIMING.leaderPollNanos());
        RecordKey theirs = RecordKey.election("theirs");

        assertThat(answer(OURS, new Cursor("1"), Rig.TIMING.leaderPollNanos() + 1))
                .isFalse();
        assertThat(answer(theirs, null, Rig.TIMING.leaderPollNanos() + 2)).isTrue();

        assertThat(listing.hasSeen(OURS)).isTrue();
        assertThat(listing.hasSeen(LAST)).isFalse();
        assertThat(listing.hasSeen(theirs)).isFalse();
    }
}
