package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import java.util.List;

/** The two oldest recipes, unchanged. */
final class RecipeBugs {
    private static final String TRANSITIONS = "engine/Transitions.java";
    private static final String ANSWERS = "engine/Answers.java";
    private static final String WINDOW = "engine/LeaseWindow.java";

    private RecipeBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                unlimited(bug(
                                "polling-follower-unlimited-leader",
                                "The follower polls; nothing limits how long the leader believes."))
                        .of("a widespread recipe for etcd in C#: a timer that re-acquires, and a leader "
                                + "that never looks at a clock")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                unlimited(bug(
                                "expiry-learnt-from-the-watch",
                                "The leader learns that its lease is over only from its watch."))
                        .of("a widespread recipe for etcd in C++: a callback of the watch ends the lead, "
                                + "nothing else does")
                        .edit(
                                TRANSITIONS,
                                "if (state.role instanceof Role.Leading) { end(seen instanceof Observation.Vacant",
                                "if (state.role instanceof Role.Leading) { return; } if (state.role "
                                        + "instanceof Role.Leading) { end(seen instanceof Observation.Vacant")
                        .edit(
                                ANSWERS,
                                "if (!mine || ((Observation.Held) seen).record().leave()) { "
                                        + "pace.hinted(state.nanos()); }",
                                "if (!mine && state.role instanceof Role.Leading) { "
                                        + "transitions.end(EndReason.DISPLACED, null); }")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS));
    }

    private static PlantedBug.Draft unlimited(PlantedBug.Draft bug) {
        return bug.edit(WINDOW, "return elapsedNanos(now) >= stopNanos;", "return false;")
                .edit(WINDOW, "return elapsedNanos(now) >= endNanos;", "return false;")
                .edit(WINDOW, "return Math.max(0, stopNanos - elapsedNanos(now));", "return 1;")
                .edit(WINDOW, "return sentNanos() + stopNanos;", "return sentNanos() + 1_000_000_000_000_000L;");
    }
}
