package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import java.util.List;

/** Mistakes in queues of candidates, first come, first served. */
final class ArrivalBugs {
    private static final String STEP = "engine/Step.java";
    private static final String TRANSITIONS = "engine/Transitions.java";
    private static final String ARRIVALS = "engine/Arrivals.java";
    private static final String QUEUE = "engine/Queue.java";

    private ArrivalBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug("first-in-line-leads", "Whoever is the first of the queue leads, while its write is under way.")
                        .of("the recipe of a service registry: \"am I the first in the list?\"")
                        .in(Aim.QUEUES)
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
                bug("unknown-place-is-first", "Whoever does not know its place tries at once.")
                        .in(Aim.QUEUES)
                        .edit(
                                ARRIVALS,
                                "String next = in.queue().nextValue();",
                                "if (machine.state().turn.isSought() && machine.state().turn.place() > 0 && !(place.role() "
                                        + "instanceof Role.Leading)) { machines.deliver(machine, new"
                                        + " ElectionEvent.Placed(0), now, out); } String next = in.queue().nextValue();")
                        .foundBy(Invariant.ARRIVAL),
                bug("place-never-expires", "Whoever once had a place in the queue is waited for when it is gone.")
                        .of("queues that are kept in a table, or in entries that no session keeps")
                        .in(Aim.QUEUES)
                        .edit(
                                "engine/Waiting.java",
                                "changed.changes().forEach(each -> queue.put(each.key(), (Queue.@Nullable "
                                        + "Place) each.after()));",
                                "changed.changes().forEach(each -> { if (each.after() != null) { "
                                        + "queue.put(each.key(), (Queue.Place)"
                                        + " each.after()); } });")
                        .foundBy(Invariant.ARRIVAL),
                bug(
                                "wait-begins-again",
                                "Whatever changes in the queue while a candidate waits for its turn begins "
                                        + "the wait again.")
                        .in(Aim.QUEUES)
                        .edit(
                                ARRIVALS,
                                "after(in, hasChanged || in.isUpToDate() != wasUpToDate); if (event "
                                        + "instanceof QueueEvent.Hinted hint",
                                "after(in, hasChanged || in.isUpToDate() != wasUpToDate); if (hasChanged && "
                                        + "machines.known(in.election()) != null) {"
                                        + " machines.known(in.election()).state().turn.end(); } if (event instanceof QueueEvent.Hinted hint")
                        .foundBy(Invariant.ARRIVAL),
                bug("ordered-by-clocks", "Who came first is told by the candidates' own clocks.")
                        .of("recipes that sort by the time at which an instance says it registered")
                        .in(Aim.QUEUES)
                        .edit(
                                QUEUE,
                                "order == QueueOrder.BY_TERM ? held.term() : number(held.record().value());",
                                "held.record().sinceMillis();")
                        .foundBy(Invariant.ARRIVAL),
                bug("place-outlives-its-record", "Whoever registers again after it lost its record has its old place.")
                        .of("queues ordered by an id that an instance keeps, or by a number that it drew once")
                        .in(Aim.QUEUES)
                        .edit(TRANSITIONS, "if (settings.once()) {", "if (false) {")
                        .edit(
                                ARRIVALS,
                                "if (place.state().isWaiting() && !next.equals(place.state().wanted.value())) {",
                                "if (false) {")
                        .foundBy(Invariant.ARRIVAL));
    }
}
