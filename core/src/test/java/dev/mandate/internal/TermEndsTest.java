package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.FencingToken;
import dev.mandate.Leader;
import dev.mandate.Order;
import dev.mandate.TermEnd;
import dev.mandate.TermEnd.Cause;
import dev.mandate.engine.FollowedChange;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Why a term ended, judged by what a follower sees. */
class TermEndsTest {
    private static final long SECOND = 1_000_000_000L;
    /** A third of the follower's own lease of 12 s. */
    private static final long LOOK = 4 * SECOND;

    private final TermEnds ends = new TermEnds();

    private static Leader leader(String election, long term, int leaseSeconds, boolean asked) {
        return new Leader(
                election,
                "candidate",
                "value",
                new FencingToken(election, term),
                Instant.EPOCH,
                Duration.ofSeconds(leaseSeconds),
                false,
                asked,
                Order.RACE,
                true);
    }

    private static Leader leader(long term) {
        return leader("e", term, 12, false);
    }

    // ---- the judgement ----

    @Test
    void whoWasAskedToStopStoppedBecauseOfThatHoweverSilent() {
        Leader asked = leader("e", 1, 12, true);
        assertThat(TermEnds.cause(asked, FollowedChange.UNSEEN, LOOK)).isEqualTo(Cause.ASKED);
        assertThat(TermEnds.cause(asked, 20 * SECOND, LOOK)).isEqualTo(Cause.ASKED);
    }

    /** It renews every 4 s, seen 4 s later at most, so 8 s of silence is a dead one's. */
    @Test
    void whoWasSilentForTwoThirdsOfItsLeaseHasExpired() {
        assertThat(TermEnds.cause(leader(1), 8 * SECOND, LOOK)).isEqualTo(Cause.EXPIRED);
        assertThat(TermEnds.cause(leader(1), 8 * SECOND - 1, LOOK)).isEqualTo(Cause.RELEASED);
        assertThat(TermEnds.cause(leader(1), 0, LOOK)).isEqualTo(Cause.RELEASED);
    }

    @Test
    void withoutARenewalThatWasSeenNothingIsKnown() {
        assertThat(TermEnds.cause(leader(1), FollowedChange.UNSEEN, LOOK)).isEqualTo(Cause.UNKNOWN);
    }

    @Test
    void withoutALeaseNothingIsKnown() {
        assertThat(TermEnds.cause(leader("e", 1, 0, false), SECOND, LOOK)).isEqualTo(Cause.UNKNOWN);
    }

    /** Its lease of 3 s may be over 4 s before that could be seen. */
    @Test
    void whoLooksTooSeldomForThatLeaseDoesNotKnow() {
        Leader quick = leader("e", 1, 3, false);
        assertThat(TermEnds.cause(quick, 0, LOOK)).isEqualTo(Cause.UNKNOWN);
        assertThat(TermEnds.cause(quick, 5 * SECOND - 1, LOOK)).isEqualTo(Cause.UNKNOWN);
        assertThat(TermEnds.cause(quick, 5 * SECOND, LOOK)).isEqualTo(Cause.EXPIRED);
    }

    /** Its lease is far from over when it has been silent for a while. */
    @Test
    void aLongLeaseIsJudgedByItself() {
        Leader slow = leader("e", 1, 60, false);
        assertThat(TermEnds.cause(slow, 30 * SECOND, LOOK)).isEqualTo(Cause.RELEASED);
        assertThat(TermEnds.cause(slow, 40 * SECOND, LOOK)).isEqualTo(Cause.EXPIRED);
    }

    // ---- what is remembered ----

    @Test
    void anEndIsToldWithItsVacancy() {
        ends.changed(leader(1), null, Cause.RELEASED, 0, 10 * SECOND);
        assertThat(ends.between(leader(1), null, 13 * SECOND))
                .isEqualTo(new TermEnd(leader(1), Cause.RELEASED, Duration.ofSeconds(3)));
        ends.changed(null, leader(2), Cause.UNKNOWN, 0, 15 * SECOND);
        TermEnd whole = new TermEnd(leader(1), Cause.RELEASED, Duration.ofSeconds(5));
        assertThat(ends.between(null, leader(2), 99 * SECOND)).isEqualTo(whole);
        assertThat(ends.between(leader(1), leader(2), 99 * SECOND)).isEqualTo(whole);
    }

    @Test
    void aTakeOverWithoutAVacancyHasNone() {
        ends.changed(leader(1), leader(2), Cause.EXPIRED, 0, 10 * SECOND);
        assertThat(ends.between(leader(1), leader(2), 20 * SECOND))
                .isEqualTo(new TermEnd(leader(1), Cause.EXPIRED, Duration.ZERO));
    }

    /** Its record stood until it was replaced, but nobody had led since its last sign of life. */
    @Test
    void theVacancyOfWhoFellSilentBeginsWithItsLastSignOfLife() {
        assertThat(TermEnds.vacantNanos(leader(1), 13 * SECOND, LOOK)).isEqualTo(13 * SECOND);
        assertThat(TermEnds.vacantNanos(leader("e", 1, 12, true), 13 * SECOND, LOOK))
                .as("asked, and dead")
                .isEqualTo(13 * SECOND);
        ends.changed(leader(1), leader(2), Cause.EXPIRED, 13 * SECOND, 20 * SECOND);
        assertThat(ends.between(leader(1), leader(2), 99 * SECOND))
                .isEqualTo(new TermEnd(leader(1), Cause.EXPIRED, Duration.ofSeconds(13)));
    }

    @Test
    void theVacancyOfAllOthersBeginsWithTheEndThatWasSeen() {
        assertThat(TermEnds.vacantNanos(leader(1), 8 * SECOND - 1, LOOK)).isZero();
        assertThat(TermEnds.vacantNanos(leader(1), FollowedChange.UNSEEN, LOOK)).isZero();
        assertThat(TermEnds.vacantNanos(leader("e", 1, 0, false), 13 * SECOND, LOOK))
                .isZero();
    }

    @Test
    void whatChangesWithinATermIsNoEnd() {
        ends.changed(leader(1), leader("e", 1, 12, true), Cause.ASKED, 0, 10 * SECOND);
        assertThat(ends.between(leader(1), leader("e", 1, 12, true), 10 * SECOND))
                .isNull();
        assertThat(ends.between(null, leader(1), 10 * SECOND)).as("seen first").isNull();
    }

    /** Of several terms since the last telling the last one that ended is told of. */
    @Test
    void ofSeveralEndsTheLastOneIsTold() {
        ends.changed(leader(1), leader(2), Cause.EXPIRED, 0, 10 * SECOND);
        ends.changed(leader(2), leader(3), Cause.RELEASED, 0, 11 * SECOND);
        assertThat(ends.between(leader(1), leader(3), 20 * SECOND))
                .isEqualTo(new TermEnd(leader(2), Cause.RELEASED, Duration.ZERO));
    }

    @Test
    void anEarlierEndSaysNothingOfALaterOne() {
        ends.changed(leader(1), null, Cause.EXPIRED, 0, 10 * SECOND);
        assertThat(ends.between(leader(2), null, 20 * SECOND))
                .isEqualTo(new TermEnd(leader(2), Cause.UNKNOWN, Duration.ZERO));
    }

    @Test
    void onlyTheLastEndsAreRemembered() {
        for (int i = 0; i <= TermEnds.MAX; i++) {
            ends.changed(leader("e" + i, 1, 12, false), null, Cause.RELEASED, 0, i);
        }
        assertThat(ends.between(null, leader("e0", 2, 12, false), 0)).isNull();
        assertThat(ends.between(null, leader("e1", 2, 12, false), 0)).isNotNull();
    }

    /** Who ends again is remembered anew, not as one of the eldest. */
    @Test
    void whoEndsAgainIsAmongTheLast() {
        ends.changed(leader("again", 1, 12, false), null, Cause.RELEASED, 0, 0);
        for (int i = 0; i < TermEnds.MAX - 1; i++) {
            ends.changed(leader("e" + i, 1, 12, false), null, Cause.RELEASED, 0, i);
        }
        ends.changed(leader("again", 2, 12, false), null, Cause.EXPIRED, 0, 0);
        ends.changed(leader("one more", 1, 12, false), null, Cause.RELEASED, 0, 0);

        assertThat(ends.between(null, leader("again", 3, 12, false), 0)).isNotNull();
    }
}
