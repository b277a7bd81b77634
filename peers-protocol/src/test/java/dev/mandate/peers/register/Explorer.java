package dev.mandate.peers.register;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Visits every state of three voters and some proposers. What was sent may be delivered at any time, in any order, any
 * number of times, or never: so the network is the set of all that was sent, and loss needs no step of its own.
 *
 * <p>Time is left out: a deadline may come at any time, and the end of a quarantine comes whenever it likes, but ends
 * the leases of all calls that began before the crash. States are told apart by a 64-bit hash. Where no voter restarts,
 * voters differ in nothing but their places, so a state counts once for all exchanges of places: all that a state says
 * of a place is hashed by itself, and the hashes are sorted.
 */
final class Explorer {
    private final Plan plan;
    private final LongSet seen = new LongSet();
    private boolean isAll;
    private long represented = 1;
    private long transitions;
    private int chosenMax;

    Explorer(Plan plan) {
        this.plan = plan;
    }

    /** Explores, and prints what there was. */
    static Explorer explore(String name, Plan plan, long statesMax) {
        Explorer explorer = new Explorer(plan);
        long states = explorer.explore(statesMax);
        System.out.println("explored " + name + ": " + (explorer.isAll ? "all " : "a part, ") + states + " states, "
                + explorer.represented + " with places told apart, " + explorer.transitions + " steps, at most "
                + explorer.chosenMax + " chosen");
        return explorer;
    }

    /**
     * Goes through all of it, or through {@code statesMax} states drawn here and there; throws a {@link Violation}.
     *
     * @return how many states there were
     */
    long explore(long statesMax) {
        Random random = new Random(statesMax);
        List<World> open = new ArrayList<>();
        World first = new World(plan, new Envelopes(plan.isSymmetric()));
        seen.add(first.hash());
        open.add(first);
        List<World> next = new ArrayList<>();
        while (!open.isEmpty() && seen.size() < statesMax) {
            int last = open.size() - 1;
            // One in eight from anywhere, so that a part of the states is not one corner of them.
            int at = random.nextInt(8) == 0 ? random.nextInt(open.size()) : last;
            World world = open.set(at, open.get(last));
            open.remove(last);
            next.clear();
            world.successors(next);
            for (World each : next) {
                transitions++;
                if (seen.add(each.hash())) {
                    open.add(each);
                    represented += each.exchanges();
                    chosenMax = Math.max(chosenMax, each.chosen());
                }
            }
        }
        isAll = open.isEmpty();
        return seen.size();
    }

    /** Whether nothing was left out. */
    boolean isAll() {
        return isAll;
    }

    /** How many states there are when exchanged places are told apart. */
    long represented() {
        return represented;
    }

    /** The most writes that were chosen in one state: were it one, nothing would have met. */
    int chosenMax() {
        return chosenMax;
    }
}
