package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import java.util.List;

/** Mistakes of candidates that an order tells when to try. */
final class OrderBugs {
    private static final String STEP = "engine/Step.java";
    private static final String DUTIES = "engine/Duties.java";
    private static final String TURN = "engine/Turn.java";

    private OrderBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug(
                                "order-taken-for-a-win",
                                "Whoever is told that it is the first leads, while its write is under way.")
                        .of("bully and ring as the textbooks have them: the announcement is the election")
                        .edit(
                                STEP,
                                "state.turn.placed(e.place(), state.nanos());",
                                "state.turn.placed(e.place(), state.nanos()); Observation before = "
                                        + "state.sightings.takeable(state.nanos()); if (e.place() == 0 && "
                                        + "state.turn.isSought() && state.role == Role.Following.INSTANCE && before != "
                                        + "null && duties.mayTry() && state.outbox.isFree()) { duties.acquire(before); "
                                        + "transitions.won(state.attempt, Observation.held(state.key, before.basis(), "
                                        + "(dev.mandate.spi.Liveness) before.basis(), state.sightings.highestTerm() + "
                                        + "1, dev.mandate.spi.LeaderRecord.proposal(state.settings.candidate(), "
                                        + "state.settings.incarnation(), state.attempt.id(), state.wanted.value(), "
                                        + "java.time.Duration.ofNanos(state.settings.timing().leaseNanos()), 0)), "
                                        + "state.nanos()); }")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS, Invariant.VALUE, Invariant.TERMS),
                bug("a-turn-never-ends", "Whoever is not told its place waits for it for ever.")
                        .of("elections that wait for a COORDINATOR, or a token, which was lost")
                        .edit(
                                TURN,
                                "lastNanos = nowNanos + Ordered.STEPS_MAX * stepNanos; atNanos = lastNanos;",
                                "lastNanos = nowNanos + Ordered.STEPS_MAX * stepNanos; atNanos = Long.MAX_VALUE;")
                        .foundBy(Invariant.LEADER),
                bug("turn-not-waited-for", "Whoever sees a vacancy tries at once, whatever the order says.")
                        .edit(DUTIES, "(!settings.ordered() || turn.isDue(state.nanos()))", "true")
                        .foundBy(Invariant.TURN),
                bug("a-turn-outlives-its-vacancy", "The wait for a turn goes on although another candidate leads.")
                        .edit(TURN, "void end() { sought = false;", "void end() {")
                        .foundBy(Invariant.TURN));
    }
}
