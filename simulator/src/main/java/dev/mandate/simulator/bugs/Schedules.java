package dev.mandate.simulator.bugs;

import dev.mandate.simulator.Schedule;
import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.Transcript;
import java.util.Arrays;
import java.util.List;

/** Runs schedules where the edited classes are: {@link EditedEngine} calls it by name, with text only. */
final class Schedules {
    private Schedules() {}

    /** Takes aim, kind or "", first seed, number of seeds, invariants; returns seed, kind, invariant, words, or []. */
    static String[] search(String[] arguments) {
        Aim aim = Aim.parse(arguments[0]);
        long base = Long.parseLong(arguments[2]);
        long end = base + Long.parseLong(arguments[3]);
        List<Invariant> wanted =
                Arrays.stream(arguments[4].split(",")).map(Invariant::valueOf).toList();
        Coverage coverage = new Coverage();
        for (long seed = base; seed < end; seed++) {
            StoreKind kind = arguments[1].isEmpty() ? StoreKind.ofSeed(seed) : StoreKind.parse(arguments[1]);
            Outcome outcome = Schedule.of(seed, aim, kind, coverage, null).run();
            Invariant broken = outcome.broken();
            if (broken != null && wanted.contains(broken)) {
                return new String[] {Long.toString(seed), kind.text(), broken.name(), outcome.words()};
            }
        }
        return new String[0];
    }

    /** Takes aim, kind, seed and number of lines; returns the transcript. */
    static String[] tell(String[] arguments) {
        Transcript log = new Transcript(Integer.parseInt(arguments[3]));
        long seed = Long.parseLong(arguments[2]);
        Schedule world = Schedule.of(seed, Aim.parse(arguments[0]), StoreKind.parse(arguments[1]), new Coverage(), log);
        Outcome outcome = world.run();
        String verdict = outcome.broken() == null ? "nothing was broken" : outcome.broken() + ": " + outcome.words();
        return new String[] {world.knobs() + "\n" + log + "\n" + verdict};
    }
}
