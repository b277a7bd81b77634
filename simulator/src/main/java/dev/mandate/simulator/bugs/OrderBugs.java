package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import java.util.List;

/** Mistakes of candidates that an order tells when to try. */
final class OrderBugs {
    private static final String TURN = "engine/Turn.java";

    private OrderBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug(
                                "order-taken-for-a-win",
                                "Whoever is told that it is the first leads, while its write is under way.")
                        .of("bully and ring as the textbooks have them: the announcement is the election")
                        .edit(
                                "engine/ElectionMachine.java",
                                "turn.placed(e.place(), nanos());",
                                "turn.placed(e.place(), nanos()); Observation before = sightings.takeable(nanos()); if (e.place() == 0 &&"
                                        + " turn.isSought() && role == Role.Following.INSTANCE && before != null && mayTry() &&"
                                        + " outbox.isFree()) { acquire(before); won(Observation.held(key, before.basis(),"
                                        + " (dev.mandate.spi.Liveness) before.basis(), sightings.highestTerm() + 1,"
                                        + " dev.mandate.spi.LeaderRecord.proposal(settings.candidate(), settings.incarnation(), live, value,"
                                        + " java.time.Duration.ofNanos(settings.timing().leaseNanos()), 0)), nanos()); }")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS, Invariant.VALUE, Invariant.TERMS),
                bug("a-turn-never-ends", "Whoever is not told its place waits for it for ever.")
                        .of("elections that wait for a COORDINATOR, or a token, which was lost")
                        .edit(
                                TURN,
                                "lastNanos = nowNanos + Ordered.STEPS_MAX * stepNanos; atNanos = lastNanos;",
                                "lastNanos = nowNanos + Ordered.STEPS_MAX * stepNanos; atNanos = Long.MAX_VALUE;")
                        .foundBy(Invariant.LEADER),
                bug("turn-not-waited-for", "Whoever sees a vacancy tries at once, whatever the order says.")
                        .edit("engine/ElectionDuties.java", "(!settings.ordered() || turn.isDue(nanos()))", "true")
                        .foundBy(Invariant.TURN),
                bug("a-turn-outlives-its-vacancy", "The wait for a turn goes on although another candidate leads.")
                        .edit(TURN, "void end() { sought = false;", "void end() {")
                        .foundBy(Invariant.TURN));
    }
}
