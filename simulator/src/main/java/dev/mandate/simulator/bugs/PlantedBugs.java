package dev.mandate.simulator.bugs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All planted bugs. The ledger {@code docs/planted-bugs.md} describes them in words. */
public final class PlantedBugs {
    private PlantedBugs() {}

    /** All bugs. */
    public static List<PlantedBug> all() {
        List<PlantedBug> all = new ArrayList<>();
        all.addAll(DeadlineBugs.all());
        all.addAll(RecipeBugs.all());
        all.addAll(UnknownBugs.all());
        all.addAll(StoppingBugs.all());
        all.addAll(WaitingBugs.all());
        all.addAll(OrderBugs.all());
        all.addAll(ServiceBugs.all());
        all.addAll(StoreBugs.all());
        all.addAll(RuntimeBugs.all());
        all.addAll(RegisterBugs.all());
        all.addAll(ArrivalBugs.all());
        all.addAll(GroupOrderBugs.all());
        return List.copyOf(all);
    }

    /** The bug of that name, if there is one. */
    public static Optional<PlantedBug> named(String name) {
        return all().stream().filter(bug -> bug.name().equals(name)).findFirst();
    }
}
