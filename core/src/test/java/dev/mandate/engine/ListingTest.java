package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The common listing, page by page: the record check interval is 30 s, the retry spacing 250 ms, and whatever is drawn
 * is the latest that may be.
 */
class ListingTest {
    private static final LeaseTiming TIMING = Rig.TIMING;
    private static final long NOW = 5_000_000_000_000L;
    private static final long SECOND = 1_000_000_000L;
    /** A tenth of the record check interval early. */
    private static final long INTERVAL = 27 * SECOND;

    private record At(int version) implements Basis {}

    private final Entropy entropy = new LatestEntropy();
    private final List<Action> out = new ArrayList<>();
    private long requests;
    private final Listing listing = new Listing(TIMING, entropy, new Retries(TIMING, entropy), () -> requests++);

    private static RecordKey key(String name) {
        return RecordKey.election(name);
    }

    private static Page<Observation> page(@Nullable String next, String... names) {
        List<Observation> items = new ArrayList<>();
        for (String name : names) {
            items.add(Observation.vacant(key(name), new At(1)));
        }
        return new Page<>(items, next == null ? null : new Cursor(next));
    }

    private SweepAction asked(long nanos) {
        listing.proceed(out, nanos);
        return asked();
    }

    private SweepAction asked() {
        assertThat(out).singleElement().isInstanceOf(SweepAction.class);
        return (SweepAction) out.remove(0);
    }

    private void silent(long nanos) {
        listing.proceed(out, nanos);
        assertThat(out).isEmpty();
    }

    private @Nullable ElectionEvent answered(Page<Observation> page, long nanos) {
        return listing.answered(page, out, nanos);
    }

    /** What those are told that a listing has not shown which began then. */
    private static ElectionEvent notShown(long beganNanos) {
        return new ElectionEvent.Swept(beganNanos, null);
    }

    @Test
    void itIsAskedForWhileItIsWantedAlittleMoreOftenThanTheLeaderPoll() {
        silent(NOW);
        assertThat(listing.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
        listing.want(true, NOW);
        listing.want(true, NOW + SECOND);
        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + INTERVAL);
        silent(NOW + INTERVAL - 1);

        SweepAction asked = asked(NOW + INTERVAL);

        assertThat(asked.from()).isEqualTo(Cursor.START);
        assertThat(asked.timeoutNanos()).isEqualTo(TIMING.requestTimeoutNanos());
        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + INTERVAL + TIMING.requestTimeoutNanos());
        assertThat(listing.askedNanos()).isEqualTo(NOW + INTERVAL);
        silent(NOW + INTERVAL + SECOND);
        assertThat(answered(page(null), NOW + INTERVAL + SECOND)).isEqualTo(notShown(NOW + INTERVAL));
        assertThat(listing.wakeAtNanos()).as("from where it began").isEqualTo(NOW + 2 * INTERVAL);
    }

    @Test
    void onlyTheRequestUnderWayIsAwaited() {
        assertThat(listing.awaits(-1)).isFalse();
        assertThat(listing.isOverdue(NOW)).isFalse();
        listing.want(true, NOW - INTERVAL);
        SweepAction asked = asked(NOW);
        assertThat(asked.request()).isZero();

        assertThat(listing.awaits(0)).isTrue();
        assertThat(listing.awaits(1)).isFalse();
        assertThat(listing.isOverdue(NOW + TIMING.requestTimeoutNanos() - 1)).isFalse();
        assertThat(listing.isOverdue(NOW + TIMING.requestTimeoutNanos())).isTrue();
        answered(page(null), NOW);
        assertThat(listing.awaits(0)).isFalse();
    }

    /** By its number a machine knows whether a page of this listing showed it. */
    @Test
    void allPagesOfAListingHaveItsNumber() {
        listing.want(true, NOW - INTERVAL);
        assertThat(listing.number()).isZero();
        asked(NOW);
        assertThat(listing.number()).isEqualTo(1);
        assertThat(answered(page("b", "a"), NOW + 1)).isNull();
        assertThat(asked().from()).isEqualTo(new Cursor("b"));
        assertThat(listing.askedNanos()).isEqualTo(NOW + 1);
        assertThat(answered(page(null, "b"), NOW + 2)).isInstanceOf(ElectionEvent.Swept.class);
        assertThat(listing.number()).isEqualTo(1);

        assertThat(asked(NOW + INTERVAL).from()).isEqualTo(Cursor.START);
        assertThat(listing.number()).isEqualTo(2);
    }

    @Test
    void aPageThatDoesNotComeIsAskedForAgainEverLessOften() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        answered(page("b", "a"), NOW);
        asked();
        long now = NOW;
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            listing.failed(now);
            pauses.add((listing.wakeAtNanos() - now) / 1_000_000);
            now = listing.wakeAtNanos();
            assertThat(asked(now).from()).isEqualTo(new Cursor("b"));
        }
        assertThat(pauses).containsExactly(300L, 600L, 1_200L, 2_400L);

        assertThat(answered(page(null, "b"), now)).isInstanceOf(ElectionEvent.Swept.class);
        assertThat(listing.number()).as("one listing").isEqualTo(1);
        asked(NOW + INTERVAL);
        listing.failed(NOW + INTERVAL);
        assertThat(listing.wakeAtNanos()).as("afresh").isEqualTo(NOW + INTERVAL + 300_000_000L);
    }

    /** What its first pages showed is old by then. */
    @Test
    void aListingThatGoesOnForAWholePollBeginsAnew() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        answered(page("b", "a"), NOW);
        asked();
        listing.failed(NOW + 1);
        assertThat(asked(NOW + 30 * SECOND - 1).from()).isEqualTo(new Cursor("b"));
        listing.failed(NOW + 30 * SECOND - 1);

        assertThat(asked(NOW + 31 * SECOND).from()).isEqualTo(Cursor.START);

        assertThat(listing.number()).isEqualTo(2);
        assertThat(answered(page(null), NOW + 32 * SECOND)).isEqualTo(notShown(NOW + 31 * SECOND));
    }

    @Test
    void aListingThatTurnsInACircleIsGivenUp() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        answered(page("b", "a"), NOW);
        asked();

        assertThat(answered(page("b", "a"), NOW)).isEqualTo(ElectionEvent.NotSwept.INSTANCE);

        assertThat(out).isEmpty();
        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + INTERVAL);
        assertThat(asked(NOW + INTERVAL).from()).isEqualTo(Cursor.START);
    }

    @Test
    void aListingOfTenThousandPagesIsGivenUp() {
        for (int round = 0; round < 2; round++) {
            long now = NOW + round * 60 * SECOND;
            listing.want(true, NOW - INTERVAL);
            asked(now);
            for (int i = 1; i < 10_000; i++) {
                assertThat(answered(page("c" + i), now)).isNull();
                asked();
            }
            assertThat(answered(page("end"), now)).isEqualTo(ElectionEvent.NotSwept.INSTANCE);
            assertThat(out).as("no further page").isEmpty();
            assertThat(listing.awaits(requests - 1)).isFalse();
        }
    }

    /** A watch may have missed something: soon, but as far from the last one as retries are. */
    @Test
    void itCanBeHurried() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        listing.hurry(NOW + 1);
        assertThat(answered(page(null), NOW + 2)).isInstanceOf(ElectionEvent.Swept.class);
        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + TIMING.retryIntervalNanos());
        asked(NOW + TIMING.retryIntervalNanos());
        assertThat(answered(page(null), NOW + TIMING.retryIntervalNanos())).isInstanceOf(ElectionEvent.Swept.class);
        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + TIMING.retryIntervalNanos() + INTERVAL);

        listing.hurry(NOW + SECOND);

        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + SECOND);
    }

    @Test
    void oneThatFailsIsNotHurried() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        listing.failed(NOW);
        long due = listing.wakeAtNanos();

        listing.hurry(NOW);

        assertThat(listing.wakeAtNanos()).isEqualTo(due);
    }

    @Test
    void aRefusalIsToldOnceAndTriedSeldom() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        answered(page("b", "a"), NOW);
        asked();
        listing.faulted("no right to list", out, NOW);
        assertThat(out).containsExactly(new SweepFault("no right to list"));
        out.clear();
        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + INTERVAL);
        listing.hurry(NOW);
        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + INTERVAL);

        assertThat(asked(NOW + INTERVAL).from()).isEqualTo(Cursor.START);
        listing.faulted("no right to list", out, NOW + INTERVAL);
        assertThat(out).isEmpty();
        asked(NOW + 2 * INTERVAL);
        assertThat(answered(page(null), NOW + 2 * INTERVAL)).isInstanceOf(ElectionEvent.Swept.class);

        assertThat(out).containsExactly(new SweepFault(null));
    }

    @Test
    void whatIsNoLongerWantedIsForgottenOnceItIsAnswered() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        listing.want(false, NOW);
        assertThat(listing.wakeAtNanos()).as("awaited still").isEqualTo(NOW + TIMING.requestTimeoutNanos());
        answered(page(null), NOW);
        assertThat(listing.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
        silent(NOW + INTERVAL);

        listing.want(false, NOW);
        listing.want(true, NOW + 100 * SECOND);

        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + 100 * SECOND + INTERVAL);
    }

    /** What its first page showed is looked at by nobody else. */
    @Test
    void aListingThatKeepsFailingBeginsAnewAfterALeaderPoll() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        answered(page("b", "a"), NOW);
        asked();
        for (long now = NOW; now < NOW + TIMING.recordCheckIntervalNanos(); now = listing.wakeAtNanos()) {
            listing.proceed(out, now);
            out.clear();
            listing.failed(now);
        }

        assertThat(listing.wakeAtNanos()).isEqualTo(NOW + TIMING.recordCheckIntervalNanos());
        assertThat(asked(listing.wakeAtNanos()).from()).isEqualTo(Cursor.START);
        assertThat(listing.number()).isEqualTo(2);
    }

    /** However late its last page failed, the next listing keeps its distance. */
    @Test
    void aListingThatFailsLateBeginsAnewAfterARetry() {
        listing.want(true, NOW - INTERVAL);
        asked(NOW);
        answered(page("b", "a"), NOW);
        asked();
        long late = NOW + TIMING.recordCheckIntervalNanos() + SECOND;
        for (int i = 0; i < 20; i++) {
            listing.failed(late);
        }

        assertThat(listing.wakeAtNanos()).isEqualTo(late + TIMING.retryIntervalNanos());
    }
}
