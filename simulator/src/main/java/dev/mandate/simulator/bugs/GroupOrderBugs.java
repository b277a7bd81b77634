package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Mistakes in the order of a group, and in what a node makes of it. */
final class GroupOrderBugs {
    private GroupOrderBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug("first-place-taken-for-a-win", "A node that is told that it is the first asks no voter.")
                        .of("bully and ring as the textbooks have them: the announcement is the election")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit(
                                "peers/node/Node.java",
                                "out.add(new NodeAction.Placed(placed.key(), placed.place()));",
                                "out.add(new NodeAction.Placed(placed.key(), placed.place())); if "
                                        + "(placed.place() == 0) { first ="
                                        + " placed.key(); }")
                        .edit(
                                "peers/node/Node.java",
                                "take(calls.begin(e, isVoting, moment()));",
                                "if (e.call() instanceof Call.Acquire acquire && "
                                        + "acquire.key().equals(first)) { first = null;"
                                        + " dev.mandate.peers.register.Epoch epoch = new dev.mandate.peers.register.Epoch("
                                        + "Math.max(acquire.basis().counter() + 1, now.wallMillis()), acquire.record().attempt());"
                                        + " out.add(new NodeAction.Ended(e.id(), new CallResult.Ended(new"
                                        + " dev.mandate.peers.register.Outcome.Written(new dev.mandate.peers.register.Value(epoch, acquire.basis(), epoch,"
                                        + " acquire.record().withTerm(epoch.counter())), true)))); return; }"
                                        + " take(calls.begin(e, isVoting, moment()));")
                        .edit(
                                "peers/node/Node.java",
                                "private long disagreedNanos;",
                                "private long disagreedNanos; private dev.mandate.spi.@Nullable RecordKey first;")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS, Invariant.REGISTER, Invariant.TERMS),
                bug("a-place-is-never-given-up", "Whoever waits for a place that got lost waits for ever.")
                        .of("elections that wait for a COORDINATOR, or a token, which was lost")
                        .in(StoreKind.JUDGES_RECORD)
                        .in(Aim.GROUPS)
                        .edit(
                                "peers/order/DecidingOrder.java",
                                "decision.placeUntilNanos = nowNanos + timing.placeNanos();",
                                "decision.placeUntilNanos = Long.MAX_VALUE;")
                        .foundBy(Invariant.TURN));
    }
}
