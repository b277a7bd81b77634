package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimersTest {
    private final Timers timers = new Timers();
    private final List<String> done = new ArrayList<>();

    private Timers.Timer timer(String name) {
        return timers.timer(() -> done.add(name));
    }

    @Test
    void whatIsDueIsDoneInItsOrderAndOnce() {
        timer("late").at(30);
        timer("early").at(10);
        timer("same").at(10);
        assertThat(timers.nanosToNext(4)).isEqualTo(6);
        timers.run(9);
        assertThat(done).isEmpty();
        timers.run(29);
        assertThat(done).containsExactly("early", "same");
        timers.run(30);
        timers.run(30);
        assertThat(done).containsExactly("early", "same", "late");
        assertThat(timers.nanosToNext(30)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatIsCancelledOrSetAnewLeavesNothingBehind() {
        Timers.Timer one = timer("one");
        one.at(10);
        one.at(20);
        timers.run(19);
        assertThat(done).isEmpty();
        assertThat(timers.nanosToNext(19)).isEqualTo(1);
        one.cancel();
        one.cancel();
        timers.run(100);
        assertThat(done).isEmpty();
        one.at(100);
        timers.run(100);
        assertThat(done).containsExactly("one");
    }

    @Test
    void theClockMayOverflow() {
        timer("before").at(Long.MAX_VALUE);
        timer("after").at(Long.MIN_VALUE + 5);
        assertThat(timers.nanosToNext(Long.MAX_VALUE - 1)).isEqualTo(1);
        timers.run(Long.MIN_VALUE + 5);
        assertThat(done).containsExactly("before", "after");
    }
}
