package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many threads short pieces have, while some of them block. Threads run when, and inside whom, a test says so. */
class LaneTest {
    private static final int SHARED = 16;
    private static final Duration SHORT = Duration.ofMillis(100);

    private final VirtualHost host = new VirtualHost();

    /** Threads that were asked for, and have not begun. */
    private final Queue<Runnable> threads = new ArrayDeque<>();

    /** Those that look for what blocks. */
    private final Queue<Runnable> watchers = new ArrayDeque<>();

    private final List<String> ran = new ArrayList<>();
    private boolean hasThreads = true;
    /** How often the lane said that something is to be retried. */
    private final AtomicInteger stranded = new AtomicInteger();

    private final Lane lane =
            new Lane(host, work -> begin(watchers, work), work -> begin(threads, work), stranded::incrementAndGet);

    private void begin(Queue<Runnable> among, Runnable work) {
        if (!hasThreads) {
            throw new InternalError("simulated: no thread to be had");
        }
        among.add(work);
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(lane.run(() -> ran.add("piece"))).isTrue();
        }
    }

    private void runAll() {
        for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
            next.run();
        }
    }

    /** That many threads are each inside a piece while {@code then} happens. */
    private void whileInside(int count, Runnable then) {
        for (int i = 1; i <= count; i++) {
            boolean isLast = i == count;
            lane.run(() -> {
                if (isLast) {
                    then.run();
                } else {
                    threads.remove().run();
                }
            });
        }
        threads.remove().run();
    }

    /** How many threads wait to begin by then. */
    private void noteAt(Duration afterNow, List<Integer> sizes) {
        host.at(host.nanos() + afterNow.toNanos(), () -> sizes.add(threads.size()));
    }

    private void runAllAt(Duration afterNow) {
        host.at(host.nanos() + afterNow.toNanos(), this::runAll);
    }

    @Test
    void nobodyWatchesBeforeSomethingWaits() {
        add(SHARED);
        assertThat(threads).hasSize(SHARED);
        assertThat(watchers).isEmpty();

        add(2);

        assertThat(threads).hasSize(SHARED);
        assertThat(watchers).hasSize(1);
    }

    @Test
    void whoWatchesIsGoneWhenNothingWaitsAndComesAgain() {
        add(SHARED + 1);
        runAll();
        assertThat(ran).hasSize(SHARED + 1);
        long from = host.nanos();

        watchers.remove().run();
        assertThat(host.nanos()).isEqualTo(from);

        add(SHARED + 1);
        assertThat(watchers).hasSize(1);
    }

    @Test
    void forEachPieceThatBlocksThereAreTwoMoreThreads() {
        List<Integer> sizes = new ArrayList<>();
        whileInside(SHARED, () -> {
            add(40);
            assertThat(threads).isEmpty();
            noteAt(SHORT.minusNanos(1), sizes);
            noteAt(SHORT.plusNanos(1), sizes);
            noteAt(SHORT.multipliedBy(2).plusNanos(1), sizes);
            runAllAt(SHORT.multipliedBy(2).plusNanos(2));

            watchers.remove().run();
        });

        assertThat(sizes).containsExactly(0, 2 * SHARED, 2 * SHARED);
        assertThat(ran).hasSize(40);
    }

    @Test
    void noMoreThreadsAreStartedThanPiecesWait() {
        List<Integer> sizes = new ArrayList<>();
        whileInside(SHARED, () -> {
            add(3);
            noteAt(SHORT.plusNanos(1), sizes);
            runAllAt(SHORT.plusNanos(2));

            watchers.remove().run();
        });

        assertThat(sizes).containsExactly(3);
    }

    @ParameterizedTest
    @CsvSource({"99999999, 0, 1", "100000000, 1, 2"})
    void aPieceBlocksOnceItRanForAHundredMilliseconds(long nanos, int first, int second) {
        List<Integer> sizes = new ArrayList<>();
        whileInside(SHARED, () -> {
            add(1);
            host.holdUp(Duration.ofNanos(nanos));
            noteAt(Duration.ofNanos(1), sizes);
            noteAt(SHORT.plusNanos(1), sizes);
            runAllAt(SHORT.plusNanos(2));

            watchers.remove().run();
        });

        assertThat(sizes).containsExactly(first, second);
    }

    @Test
    void whatBlockedAndReturnedCountsNoMore() {
        whileInside(SHARED, () -> {
            add(1);
            runAllAt(SHORT.plusNanos(1));
            watchers.remove().run();
        });
        runAll();

        add(4 * SHARED);

        assertThat(threads).hasSize(SHARED);
    }

    @Test
    void aThreadThatIsBetweenTwoPiecesDoesNotBlock() {
        add(SHARED);
        runAll();
        host.advance(SHORT.multipliedBy(3));
        List<Integer> sizes = new ArrayList<>();
        add(SHARED + 1);
        noteAt(SHORT.multipliedBy(2).plusNanos(1), sizes);
        runAllAt(SHORT.multipliedBy(2).plusNanos(2));

        watchers.remove().run();

        assertThat(sizes).containsExactly(SHARED);
    }

    // ---- without threads ----

    @Test
    void whoGetsNoThreadIsToldSoAndWaitsForTheNext() {
        hasThreads = false;
        for (int i = 0; i <= SHARED; i++) {
            assertThat(lane.run(() -> ran.add("early"))).isFalse();
        }
        hasThreads = true;

        add(1);
        runAll();

        assertThat(ran).hasSize(SHARED + 2).endsWith("piece");
    }

    @Test
    void aHundredMillisecondsLaterAThreadIsLookedForAgain() {
        hasThreads = false;
        assertThat(lane.run(() -> ran.add("early"))).isFalse();
        assertThat(stranded).hasValue(1);
        assertThat(lane.retryAtNanos()).isEqualTo(host.nanos() + SHORT.toNanos());
        host.advance(SHORT.minusNanos(1));
        hasThreads = true;
        lane.retry(host.nanos());
        assertThat(watchers).isEmpty();

        host.advance(Duration.ofNanos(1));
        lane.retry(host.nanos());
        assertThat(lane.retryAtNanos()).isEqualTo(Long.MAX_VALUE);
        runAllAt(Duration.ofNanos(1));
        watchers.remove().run();

        assertThat(ran).containsExactly("early");
        assertThat(watchers).isEmpty();
    }

    @Test
    void aRetryThatFindsNoThreadEitherIsRepeated() {
        hasThreads = false;
        assertThat(lane.run(() -> ran.add("early"))).isFalse();
        host.advance(SHORT);

        lane.retry(host.nanos());

        assertThat(stranded).hasValue(2);
        assertThat(lane.retryAtNanos()).isEqualTo(host.nanos() + SHORT.toNanos());
    }

    @Test
    void aRetryServesAllPiecesThatWait() {
        hasThreads = false;
        lane.run(() -> ran.add("first"));
        lane.run(() -> ran.add("second"));
        hasThreads = true;
        host.advance(SHORT);
        lane.retry(host.nanos());
        List<Integer> sizes = new ArrayList<>();
        noteAt(Duration.ofNanos(1), sizes);
        runAllAt(Duration.ofNanos(2));

        watchers.remove().run();

        assertThat(sizes).containsExactly(2);
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void aWatchThatCouldNotBeStartedIsRetriedToo() {
        add(SHARED);
        hasThreads = false;
        assertThat(lane.run(() -> ran.add("early"))).isFalse();
        hasThreads = true;
        host.advance(SHORT);

        lane.retry(host.nanos());

        assertThat(watchers).hasSize(1);
    }

    @Test
    void nothingIsRetriedForPiecesThatWereServedSince() {
        hasThreads = false;
        assertThat(lane.run(() -> ran.add("early"))).isFalse();
        hasThreads = true;
        add(1);
        runAll();
        host.advance(SHORT);

        lane.retry(host.nanos());

        assertThat(watchers).isEmpty();
        assertThat(threads).isEmpty();
        assertThat(lane.retryAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aWatchThatDiesIsReplaced() {
        whileInside(SHARED, () -> {
            add(1);
            host.onNanos = () -> {
                boolean pauses = StackWalker.getInstance()
                        .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("pause")));
                if (pauses) {
                    throw new InternalError("simulated: one allocation failed");
                }
            };
            assertThatThrownBy(watchers.remove()::run).isInstanceOf(InternalError.class);
            host.onNanos = () -> {};
            assertThat(stranded).hasValue(1);
            host.advance(SHORT);

            lane.retry(host.nanos());

            assertThat(watchers).hasSize(1);
            watchers.clear();
        });
    }

    @Test
    void whatWaitsForAThreadInTheEndRunsOnTheCallers() {
        hasThreads = false;
        lane.run(() -> ran.add("first"));
        lane.run(() -> ran.add("second"));

        lane.finish();

        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void whatHasAThreadInTheEndKeepsIt() {
        add(1);

        lane.finish();

        assertThat(ran).isEmpty();
        runAll();
        assertThat(ran).hasSize(1);
    }

    @Test
    void whereNobodyCouldWatchTheNextPieceHasOneWatch() {
        add(SHARED);
        hasThreads = false;
        assertThat(lane.run(() -> ran.add("early"))).isFalse();
        assertThat(lane.run(() -> ran.add("early"))).isFalse();
        hasThreads = true;

        add(1);

        assertThat(watchers).hasSize(1);
        host.advance(SHORT);
        lane.retry(host.nanos());
        assertThat(watchers).hasSize(1);
    }

    @Test
    void whatCouldNotBeStartedIsStartedAtTheNextLook() {
        List<Integer> sizes = new ArrayList<>();
        whileInside(SHARED, () -> {
            add(40);
            hasThreads = false;
            noteAt(SHORT.plusNanos(1), sizes);
            host.at(host.nanos() + SHORT.plusNanos(2).toNanos(), () -> hasThreads = true);
            noteAt(SHORT.multipliedBy(2).plusNanos(1), sizes);
            runAllAt(SHORT.multipliedBy(2).plusNanos(2));

            watchers.remove().run();
        });

        assertThat(sizes).containsExactly(0, 2 * SHARED);
        assertThat(ran).hasSize(40);
    }
}
