package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.Now;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is to happen, and what no longer. */
class TimersTest {
    private final Timers timers = new Timers();
    private final List<String> done = new ArrayList<>();

    private Timers.Timer at(long atNanos, String what) {
        return timers.at(atNanos, now -> done.add(what));
    }

    private void runUntil(long nanos) {
        while (timers.firstAtNanos() <= nanos) {
            timers.runNext(new Now(nanos, nanos, 0));
        }
    }

    @Test
    void theyHappenInTheOrderOfTheirTimes() {
        at(3, "c");
        at(1, "a");
        at(2, "b");
        assertThat(timers.firstAtNanos()).isEqualTo(1);

        runUntil(2);

        assertThat(done).containsExactly("a", "b");
        assertThat(timers.firstAtNanos()).isEqualTo(3);
    }

    @Test
    void aCancelledOneDoesNotHappen() {
        Timers.Timer second = at(2, "b");
        timers.at(1, now -> second.cancel());
        at(3, "c").cancel();

        runUntil(5);

        assertThat(done).isEmpty();
        assertThat(timers.firstAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** A time-out of an hour is cancelled ten times a second. */
    @Test
    void thoseThatAreCancelledDoNotPileUp() {
        at(1, "kept");
        for (int i = 0; i < 100_000; i++) {
            at(1_000_000 + i, "never").cancel();
            assertThat(timers.size()).isLessThan(100);
        }
        for (int i = 0; i < 100_000; i++) {
            Timers.Timer timer = at(i, "over");
            runUntil(i);
            timer.cancel();
        }
        List<Timers.Timer> many = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            many.add(at(1_000_000, "late"));
        }
        many.subList(0, 900).forEach(Timers.Timer::cancel);
        assertThat(timers.size()).isLessThan(300);

        done.clear();
        runUntil(2_000_000);

        assertThat(done).hasSize(100).containsOnly("late");
    }
}
