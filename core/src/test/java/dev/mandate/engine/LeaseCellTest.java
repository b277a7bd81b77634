package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The one atomic place that says until when a lease may be believed. */
class LeaseCellTest {
    private static final long SECOND = 1_000_000_000L;

    private static LeaseWindow window(long sent) {
        return new LeaseWindow(new Now(sent, sent, 0), 7 * SECOND, 9 * SECOND);
    }

    private static Now at(long nanos) {
        return new Now(nanos, nanos, 0);
    }

    @Test
    void itIsOpenUntilItsStop() {
        LeaseCell cell = new LeaseCell(window(0));

        assertThat(cell.check(() -> at(7 * SECOND - 1))).isEqualTo(LeaseCell.Verdict.OPEN);
        assertThat(cell.isLatched()).isFalse();
        assertThat(cell.isOpenAt(at(7 * SECOND - 1))).isTrue();
    }

    /** Whoever sees the stop passed first is told so, once, that somebody tells the machine. */
    @Test
    void whoeverSeesTheStopPassedFirstLatchesIt() {
        LeaseCell cell = new LeaseCell(window(0));

        assertThat(cell.check(() -> at(7 * SECOND))).isEqualTo(LeaseCell.Verdict.LATCHED_NOW);
        assertThat(cell.check(() -> at(7 * SECOND))).isEqualTo(LeaseCell.Verdict.LATCHED);
        // Not even for a clock that went back.
        assertThat(cell.check(() -> at(0))).isEqualTo(LeaseCell.Verdict.LATCHED);
        assertThat(cell.isLatched()).isTrue();
        assertThat(cell.isOpenAt(at(0))).isFalse();
    }

    @Test
    void aLaterGrantExtendsIt() {
        LeaseCell cell = new LeaseCell(window(0));

        assertThat(cell.extend(window(3 * SECOND))).isTrue();

        assertThat(cell.window()).isEqualTo(window(3 * SECOND));
        assertThat(cell.check(() -> at(10 * SECOND - 1))).isEqualTo(LeaseCell.Verdict.OPEN);
        assertThat(cell.check(() -> at(10 * SECOND))).isEqualTo(LeaseCell.Verdict.LATCHED_NOW);
    }

    /** "[...] never moved by an older reply that arrives late" (rule 1). */
    @Test
    void anOlderOrEqualGrantChangesNothing() {
        LeaseCell cell = new LeaseCell(window(3 * SECOND));

        assertThat(cell.extend(window(2 * SECOND))).isTrue();
        assertThat(cell.extend(new LeaseWindow(new Now(3 * SECOND, 3 * SECOND, 0), 70 * SECOND, 90 * SECOND)))
                .isTrue();

        assertThat(cell.window()).isEqualTo(window(3 * SECOND));
    }

    /** "[...] a later extension is void" (rule 5). */
    @Test
    void onceLatchedItIsNeverExtended() {
        LeaseCell cell = new LeaseCell(window(0));
        cell.latch();
        cell.latch();

        assertThat(cell.extend(window(3 * SECOND))).isFalse();

        assertThat(cell.isLatched()).isTrue();
        assertThat(cell.window()).isEqualTo(window(0));
        assertThat(cell.check(() -> at(1))).isEqualTo(LeaseCell.Verdict.LATCHED);
    }

    /** Whoever tells of the end first, watchdog or loop, tells the same reason. */
    @Test
    void theFirstReasonForItsEndStays() {
        LeaseCell gone = new LeaseCell(window(0));
        assertThat(gone.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
        gone.latch(EndReason.SESSION_ENDED);
        gone.latch();
        assertThat(gone.check(() -> at(7 * SECOND))).isEqualTo(LeaseCell.Verdict.LATCHED);
        assertThat(gone.reason()).isEqualTo(EndReason.SESSION_ENDED);

        LeaseCell ranOut = new LeaseCell(window(0));
        ranOut.check(() -> at(7 * SECOND));
        ranOut.latch(EndReason.SESSION_ENDED);
        assertThat(ranOut.reason()).isEqualTo(EndReason.LEASE_RAN_OUT);
    }

    /** Whoever sleeps until the stop is told when it may come sooner, on either clock, and else left in peace. */
    @Test
    void itTellsWhenItsStopMayComeSooner() {
        LeaseCell cell = new LeaseCell(new LeaseWindow(new Now(0, 0, 100_000), 7 * SECOND, 9 * SECOND));
        int[] told = {0};
        cell.tell(() -> told[0]++);

        cell.extend(new LeaseWindow(new Now(3 * SECOND, 3 * SECOND, 103_000), 7 * SECOND, 9 * SECOND));
        assertThat(told[0]).as("a later stop").isZero();
        cell.extend(new LeaseWindow(new Now(2 * SECOND, 2 * SECOND, 102_000), SECOND, SECOND));
        assertThat(told[0]).as("an older grant").isZero();
        cell.extend(new LeaseWindow(new Now(6 * SECOND, 6 * SECOND, 106_000), 4 * SECOND, 5 * SECOND));
        assertThat(told[0]).as("the same stop").isZero();
        cell.extend(new LeaseWindow(new Now(7 * SECOND, 7 * SECOND, 107_000), 2 * SECOND, 3 * SECOND));
        assertThat(told[0]).as("a shorter grant").isEqualTo(1);
        // Sent while the wall clock was an hour behind.
        cell.extend(new LeaseWindow(new Now(8 * SECOND, 8 * SECOND, 108_000 - 3_600_000), 2 * SECOND, 3 * SECOND));
        assertThat(told[0]).as("sooner on the wall clock").isEqualTo(2);
        cell.latch();
        assertThat(told[0]).as("over").isEqualTo(3);
        cell.latch();
        cell.extend(new LeaseWindow(new Now(9 * SECOND, 9 * SECOND, 109_000), SECOND, SECOND));
        assertThat(told[0]).as("over for good").isEqualTo(3);
    }

    /**
     * The clock is read after the window. A caller that was held up between the two would else say OPEN by a clock from
     * before and a window from after.
     */
    @Test
    void theClockIsReadAfterTheWindow() {
        LeaseCell cell = new LeaseCell(window(0));

        LeaseCell.Verdict verdict = cell.check(() -> {
            cell.latch();
            return at(1);
        });

        // It was open when it was looked at, and at 1 ns the window that was read was open.
        assertThat(verdict).isEqualTo(LeaseCell.Verdict.OPEN);
        assertThat(cell.check(() -> at(1))).isEqualTo(LeaseCell.Verdict.LATCHED);
    }

    /** An extension between the look and the latch wins: the check is made again, by a clock that is read again. */
    @Test
    void anExtensionDuringACheckIsNotLatchedAway() {
        LeaseCell cell = new LeaseCell(window(0));
        long[] readings = {7 * SECOND, 8 * SECOND};
        int[] read = {0};

        LeaseCell.Verdict verdict = cell.check(() -> {
            if (read[0] == 0) {
                cell.extend(window(3 * SECOND));
            }
            return at(readings[read[0]++]);
        });

        assertThat(verdict).isEqualTo(LeaseCell.Verdict.OPEN);
        assertThat(read[0]).isEqualTo(2);
    }

    /**
     * Callers, a watchdog and the loop at once: after any thread has seen it latched, no thread sees it open; exactly
     * one of them latched it; and an extension that was confirmed is not undone.
     */
    @Test
    void aLatchedCellNeverReopens() throws InterruptedException, ExecutionException {
        int threads = 4;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < 2_000; round++) {
                race(pool, threads, round);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static void race(ExecutorService pool, int threads, int round)
            throws InterruptedException, ExecutionException {
        LeaseCell cell = new LeaseCell(window(0));
        AtomicLong clock = new AtomicLong(7 * SECOND - 20);
        Phaser start = new Phaser(threads);
        List<Future<Integer>> results = new ArrayList<>();
        for (int t = 0; t < threads - 1; t++) {
            results.add(pool.submit(() -> {
                start.arriveAndAwaitAdvance();
                int latchedByMe = 0;
                boolean over = false;
                for (int i = 0; i < 40; i++) {
                    boolean latchedBefore = cell.isLatched();
                    LeaseCell.Verdict verdict = cell.check(() -> at(clock.incrementAndGet()));
                    if (verdict == LeaseCell.Verdict.OPEN && (over || latchedBefore)) {
                        throw new AssertionError("round " + round + ": open again");
                    }
                    over |= verdict != LeaseCell.Verdict.OPEN;
                    latchedByMe += verdict == LeaseCell.Verdict.LATCHED_NOW ? 1 : 0;
                }
                return latchedByMe;
            }));
        }
        Future<Integer> loop = pool.submit(() -> {
            start.arriveAndAwaitAdvance();
            int extended = 0;
            for (int i = 1; i <= 10 && cell.extend(window(i)); i++) {
                extended = i;
            }
            return extended;
        });

        int latched = 0;
        for (Future<Integer> result : results) {
            latched += result.get();
        }
        int extended = loop.get();

        assertThat(latched).as("round %s: latched once", round).isEqualTo(1);
        assertThat(cell.window().sentNanos())
                .as("round %s: no confirmed extension is undone", round)
                .isEqualTo(extended);
        assertThat(cell.isLatched()).isTrue();
    }
}
