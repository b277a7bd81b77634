package dev.mandate.engine;

import static dev.mandate.engine.Follower.L;
import static dev.mandate.engine.Follower.LOOK;
import static dev.mandate.engine.Follower.SECOND;
import static dev.mandate.engine.Follower.TIMING;
import static dev.mandate.engine.Follower.held;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What follows a prefix in a store that takes longer for a page than leaders wait for an answer. */
class FollowingSlowStoreTest {
    private static final long STEP = SECOND / 100;
    private static final Observation A = held("a", 1, 1, "A");

    /** Every page takes {@code tookNanos}; one that is no longer awaited by then is not answered. Looks fail. */
    private static void served(Follower f, long tookNanos, long forNanos) {
        f.shows = key -> null;
        SweepAction underWay = null;
        long askedNanos = 0;
        for (long until = f.now + forNanos; f.now < until; f.pass(STEP)) {
            while (f.asked() != null) {
                underWay = f.taken();
                askedNanos = f.now;
            }
            if (underWay != null && f.now - askedNanos >= tookNanos) {
                if (tookNanos <= underWay.timeoutNanos()) {
                    f.answerTo(underWay, new Page<>(List.of(A), null));
                }
                underWay = null;
            }
        }
    }

    private static @Nullable SweepAction missed(Follower f) {
        f.pass(f.taken().timeoutNanos());
        f.passUntilAsked();
        return f.asked();
    }

    @Test
    void itsListIsKnownWithinALeaseAndStaysFresh() {
        Follower f = Follower.removing().start(true);

        served(f, SECOND, L.toNanos());

        assertThat(f.told).containsOnlyKeys("a");
        for (int lease = 0; lease < 30; lease++) {
            served(f, SECOND, L.toNanos());
            assertThat(f.isStale).as("after " + lease + " leases").isFalse();
        }
    }

    @Test
    void soItIsWithoutAWatch() {
        Follower f = Follower.removing().start(false);

        served(f, 2 * SECOND, 2 * L.toNanos());

        assertThat(f.told).containsOnlyKeys("a");
        assertThat(f.isStale).isFalse();
    }

    @Test
    void aPageIsAwaitedForTwiceAsLongAsTheOneThatDidNotComeUpToAQuarterOfALease() {
        Follower f = Follower.removing().start(true);
        assertThat(f.asked().timeoutNanos()).isEqualTo(TIMING.requestTimeoutNanos());

        assertThat(missed(f).timeoutNanos()).isEqualTo(2 * TIMING.requestTimeoutNanos());
        assertThat(missed(f).timeoutNanos()).isEqualTo(LOOK);
        assertThat(missed(f).timeoutNanos()).isEqualTo(LOOK);
    }

    @Test
    void aFailureThatIsToldSoonerSaysNothingOfItsPace() {
        Follower f = Follower.removing().start(true);

        f.fail();
        f.passUntilAsked();

        assertThat(f.asked().timeoutNanos()).isEqualTo(TIMING.requestTimeoutNanos());
    }

    @Test
    void oncePagesComeInTimeAgainTheyAreAwaitedNoLongerThanBefore() {
        Follower f = Follower.removing().start(true);
        missed(f);
        f.pass(SECOND);
        f.answer(A);
        f.watch(false);
        f.passUntilAsked();
        assertThat(f.asked().timeoutNanos()).as("it was slow").isEqualTo(2 * TIMING.requestTimeoutNanos());

        f.answer(A);

        f.passUntilAsked();
        assertThat(f.asked().timeoutNanos()).isEqualTo(TIMING.requestTimeoutNanos());
    }
}
