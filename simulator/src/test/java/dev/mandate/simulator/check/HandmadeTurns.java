package dev.mandate.simulator.check;

import dev.mandate.spi.Stance;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Histories of who waits for its turn, and says how it stands. */
final class HandmadeTurns {
    private static final List<HandmadeHistory> ALL = new ArrayList<>();

    private HandmadeTurns() {}

    private static void bad(String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(Invariant.TURN, words, events));
    }

    private static void late(String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(Invariant.ARRIVAL, words, events));
    }

    private static void good(String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(null, words, events));
    }

    /** Steps of ten. */
    private static TurnCheck turns(Judge judge) {
        return new TurnCheck("c", 10, false, judge);
    }

    /** As {@link #turns}, where places are known before the vacancy. */
    private static TurnCheck queue(Judge judge) {
        return new TurnCheck("c", 10, true, judge);
    }

    private static final List<ArrivalCheck.Place> PLACES =
            List.of(new ArrivalCheck.Place("a", 100), new ArrivalCheck.Place("b", 200));

    static {
        bad("by a place in a queue that counts from when it was told", j -> {
            TurnCheck check = queue(j);
            check.says(Stance.Seeking.INSTANCE, 1_000);
            check.placed(2, 1_010);
            check.tries(1_019);
        });
        good("from the vacancy on, in a queue that moves up", j -> {
            TurnCheck check = queue(j);
            check.says(Stance.Seeking.INSTANCE, 1_000);
            check.placed(5, 1_000);
            check.placed(1, 1_020);
            check.tries(1_020);
        });
        late("past somebody who came before", j -> new ArrivalCheck(j).leads("b", PLACES, 0, Long.MIN_VALUE));
        late("without a place", j -> new ArrivalCheck(j).leads("c", PLACES, 1_000, 1_000));
        late("a wait for nobody", j -> new ArrivalCheck(j).nobodyLeads(51, 50));
        good("the first, or one of two that came together", j -> {
            ArrivalCheck check = new ArrivalCheck(j);
            check.leads("a", PLACES, 0, Long.MIN_VALUE);
            check.leads("b", PLACES, 100, Long.MIN_VALUE);
            check.leads("b", PLACES, 0, 200);
            check.nobodyLeads(50, 50);
        });
        bad("told nothing, and in a hurry", j -> {
            TurnCheck check = turns(j);
            check.says(Stance.Seeking.INSTANCE, 1_000);
            check.tries(1_079);
        });
        bad("before its place", j -> {
            TurnCheck check = turns(j);
            check.says(Stance.Seeking.INSTANCE, 1_000);
            check.placed(2, 1_010);
            check.placed(2, 1_005);
            check.tries(1_029);
        });
        bad("by the turn of an earlier vacancy", j -> {
            TurnCheck check = turns(j);
            check.says(Stance.Seeking.INSTANCE, 1_000);
            check.placed(0, 1_001);
            check.says(new Stance.Following(4), 1_002);
            check.says(Stance.Seeking.INSTANCE, 1_100);
            check.tries(1_101);
        });
        bad("unasked", j -> turns(j).tries(1_000));
        bad("leads and says nothing", j -> turns(j).is(7, 0, true));
        bad("says that it leads another term", j -> {
            TurnCheck check = turns(j);
            check.says(new Stance.Leading(7), 1_000);
            check.is(8, 0, true);
        });
        bad("says nothing of its win", j -> turns(j).is(0, 7, true));
        bad("wants to lead and does not stand", j -> {
            TurnCheck check = turns(j);
            check.says(Stance.Seeking.INSTANCE, 1_000);
            check.is(0, 0, false);
        });
        bad("says the same twice", j -> {
            TurnCheck check = turns(j);
            check.says(new Stance.Following(3), 1_000);
            check.says(new Stance.Following(3), 1_001);
        });
        good("each in its turn, the last one after a fault", j -> {
            TurnCheck check = turns(j);
            check.says(Stance.Seeking.INSTANCE, 1_000);
            check.placed(5, 1_010);
            check.placed(1, 1_020);
            check.tries(1_030);
            check.says(new Stance.Settling(4), 1_031);
            check.is(0, 4, true);
            check.says(new Stance.Leading(4), 1_040);
            check.is(4, 0, true);
            check.says(Stance.Absent.INSTANCE, 2_000);
            check.is(0, 0, false);
            check.says(Stance.Seeking.INSTANCE, 3_000);
            check.placed(-1, 3_001);
            check.placed(9, 3_050);
            check.says(Stance.Absent.INSTANCE, 3_060);
            check.tries(3_080);
        });
    }

    static List<HandmadeHistory> all() {
        return ALL;
    }
}
