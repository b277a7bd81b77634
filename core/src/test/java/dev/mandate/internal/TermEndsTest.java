package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.FencingToken;
import dev.mandate.Leader;
import dev.mandate.Order;
import dev.mandate.TermEnd;
import dev.mandate.TermEnd.Cause;
import dev.mandate.engine.Silence;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Why a term ended, judged by what a follower sees. */
class TermEndsTest {
    private static final long SECOND = 1_000_000_000L;

    private final TermEnds ends = new TermEnds();

    private static Leader leader(String election, long term, int leaseSeconds, boolean asked) {
        return new SeenLeader(
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

    private static Silence silent(long leastSeconds, long mostSeconds) {
        return new Silence(leastSeconds * SECOND, (leastSeconds + 1) * SECOND, mostSeconds * SECOND);
    }

    @Test
    void whoWasAskedToStopStoppedBecauseOfThatHoweverSilent() {
        Leader asked = leader("e", 1, 12, true);
        assertThat(TermEnds.cause(asked, Silence.UNSEEN)).isEqualTo(Cause.ASKED);
        assertThat(TermEnds.cause(asked, silent(20, 30))).isEqualTo(Cause.ASKED);
    }

    /** It renews every 4 s, so 8 s of silence is a dead one's. */
    @Test
    void whoWasSilentForTwoThirdsOfItsLeaseHasExpired() {
        assertThat(TermEnds.cause(leader(1), silent(8, 20))).isEqualTo(Cause.EXPIRED);
        assertThat(TermEnds.cause(leader(1), silent(7, 11))).isEqualTo(Cause.RELEASED);
        assertThat(TermEnds.cause(leader(1), silent(0, 0))).isEqualTo(Cause.RELEASED);
    }

    /** Nobody looked for so long that it may have renewed until the end, or died long before. */
    @Test
    void silenceThatNobodySawSaysNothing() {
        assertThat(TermEnds.cause(leader(1), silent(0, 12))).isEqualTo(Cause.UNKNOWN);
        assertThat(TermEnds.cause(leader(1), silent(7, 30))).isEqualTo(Cause.UNKNOWN);
    }

    @Test
    void withoutARenewalThatWasSeenNothingIsKnown() {
        assertThat(TermEnds.cause(leader(1), Silence.UNSEEN)).isEqualTo(Cause.UNKNOWN);
    }

    @Test
    void withoutALeaseNothingIsKnown() {
        assertThat(TermEnds.cause(leader("e", 1, 0, false), silent(1, 2))).isEqualTo(Cause.UNKNOWN);
    }

    /** Its lease is far from over when it has been silent for a while. */
    @Test
    void aLongLeaseIsJudgedByItself() {
        Leader slow = leader("e", 1, 60, false);
        assertThat(TermEnds.cause(slow, silent(30, 34))).isEqualTo(Cause.RELEASED);
        assertThat(TermEnds.cause(slow, silent(40, 44))).isEqualTo(Cause.EXPIRED);
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
        assertThat(TermEnds.vacantNanos(leader(1), silent(12, 16))).isEqualTo(13 * SECOND);
        assertThat(TermEnds.vacantNanos(leader("e", 1, 12, true), silent(12, 16)))
                .as("asked, and dead")
                .isEqualTo(13 * SECOND);
        ends.changed(leader(1), leader(2), Cause.EXPIRED, 13 * SECOND, 20 * SECOND);
        assertThat(ends.between(leader(1), leader(2), 99 * SECOND))
                .isEqualTo(new TermEnd(leader(1), Cause.EXPIRED, Duration.ofSeconds(13)));
    }

    @Test
    void theVacancyOfAllOthersBeginsWithTheEndThatWasSeen() {
        assertThat(TermEnds.vacantNanos(leader(1), silent(7, 30))).isZero();
        assertThat(TermEnds.vacantNanos(leader(1), Silence.UNSEEN)).isZero();
        assertThat(TermEnds.vacantNanos(leader("e", 1, 0, false), silent(13, 16)))
                .isZero();
    }

    /** A late hint told of a vacancy, or whoever was taken for dead gave a sign of life. */
    @Test
    void anEndThatProvesWrongIsForgotten() {
        ends.changed(leader(5), null, Cause.RELEASED, 0, 10 * SECOND);
        ends.changed(null, leader(5), Cause.UNKNOWN, 0, 12 * SECOND);
        assertThat(ends.between(null, leader(5), 12 * SECOND)).isNull();
        ends.changed(leader(5), leader(6), Cause.RELEASED, 0, 20 * SECOND);
        assertThat(ends.between(leader(5), leader(6), 20 * SECOND))
                .isEqualTo(new TermEnd(leader(5), Cause.RELEASED, Duration.ZERO));
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
