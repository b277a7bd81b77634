package dev.mandate.simulator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.check.Judge;
import org.junit.jupiter.api.Test;

class SchedulerTest {
    private final Judge judge = new Judge();
    private final Scheduler scheduler = new Scheduler(judge, null, () -> {});
    private volatile boolean isTornAway;

    private void waitsAndBreaksWhenTornAway() {
        scheduler.put(1, null, "waits", () -> {
            try {
                scheduler.parkForEver();
            } finally {
                isTornAway = true;
                judge.violated(Invariant.ATTEMPT, "one more request");
            }
        });
    }

    @Test
    void eventsHappenInTheOrderOfTimeThenOfTheirScheduling() {
        StringBuilder order = new StringBuilder();
        scheduler.put(2, null, "c", () -> order.append('c'));
        scheduler.put(1, null, "a", () -> order.append('a'));
        scheduler.put(1, null, "b", () -> order.append('b'));
        scheduler.put(3, null, "end", scheduler::end);

        scheduler.run();

        assertThat(order).hasToString("abc");
        assertThat(scheduler.now()).isEqualTo(3);
    }

    @Test
    void whatAThreadDoesWhenTheEndTearsItFromItsWorkIsNotJudged() {
        waitsAndBreaksWhenTornAway();
        scheduler.put(2, null, "end", scheduler::end);

        scheduler.run();

        assertThat(isTornAway).isTrue();
        assertThat(judge.isBroken()).as(judge.words()).isFalse();
    }

    @Test
    void aScheduleEndsWithTheFirstViolationAndKeepsIt() {
        waitsAndBreaksWhenTornAway();
        scheduler.put(2, null, "breaks", () -> judge.violated(Invariant.BELIEF, "two at once"));
        scheduler.put(3, null, "never", () -> judge.violated(Invariant.EFFECTS, "too late"));

        scheduler.run();

        assertThat(judge.broken()).isEqualTo(Invariant.BELIEF);
        assertThat(judge.words()).isEqualTo("two at once");
        assertThat(scheduler.now()).isEqualTo(2);
    }

    @Test
    void aScheduleInWhichNothingWillEverHappenAgainIsBroken() {
        scheduler.put(1, null, "waits", scheduler::parkForEver);

        scheduler.run();

        assertThat(judge.broken()).isEqualTo(Invariant.TOTALITY);
    }
}
