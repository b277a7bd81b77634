package dev.mandate.simulator.world;

import dev.mandate.EndReason;
import dev.mandate.engine.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a batch of schedules met: how often each fault fired, and each kind of event in each role. */
public final class Coverage {
    private static final String[] ROLES = {
        "Idle", "Following", "Acquiring", "Doubting", "Settling", "Leading", "Stopping", "(session)"
    };
    private static final int SESSION = ROLES.length - 1;

    /** Pairs that some batches meet by chance, but not all. */
    private static final Set<String> SELDOM = Set.of(
            // A caller saw the latch before the machine did.
            "TERM_LATCHED in Idle",
            "TERM_LATCHED in Acquiring",
            "TERM_LATCHED in Doubting",
            "TERM_LATCHED in Settling",
            // The answer comes when all is given up.
            "FAULTED in Idle",
            // It is told to campaign again, or to stop, while it is being withdrawn.
            "CAMPAIGN in Acquiring",
            "WITHDRAW in Idle");

    /** Pairs that a client refuses or the engine's rules exclude. */
    private static final Set<String> IMPOSSIBLE = Set.of(
            // A leader, or one about to lead, already campaigns.
            "CAMPAIGN in Settling",
            "CAMPAIGN in Leading",
            // A listing misses no record that nobody holds.
            "UNLISTED in Idle",
            "NOT_SWEPT in Idle",
            // Only those that look for something are told of a gap.
            "GAP in Idle",
            // The earlier session is latched, and its terms have ended.
            "SESSION_UP in Settling",
            "SESSION_UP in Leading",
            // Nothing is acquired while work runs.
            "WORK_STOPPED in Acquiring",
            "WORK_STOPPED in Doubting",
            "WORK_STOPPED in Settling");

    private final long[] faults = new long[Fault.values().length];
    private final long[] hazards = new long[Hazard.values().length];
    private final long[] groupFaults = new long[GroupFault.values().length];
    private final long[][] pairs = new long[ROLES.length][EventClass.values().length];
    private final long[] losses = new long[EndReason.values().length];
    private long terms;
    private long takeOvers;
    private long recovered;
    private long listings;
    private long turns;

    void fired(Fault fault) {
        faults[fault.ordinal()]++;
    }

    /** A hazard happened. */
    public void fired(Hazard hazard) {
        hazards[hazard.ordinal()]++;
    }

    /** A fault of a group happened. */
    public void fired(GroupFault fault) {
        groupFaults[fault.ordinal()]++;
    }

    void met(Role role, EventClass event) {
        pairs[index(role)][event.ordinal()]++;
    }

    /** A session met the event. */
    void met(EventClass event) {
        pairs[SESSION][event.ordinal()]++;
    }

    /** A term began; {@code takenOver}: another candidate led before. */
    public void began(boolean takenOver) {
        terms++;
        takeOvers += takenOver ? 1 : 0;
    }

    /** A term ended. */
    public void ended(EndReason reason) {
        losses[reason.ordinal()]++;
    }

    /** Faults were healed, and all came right. */
    public void recovered() {
        recovered++;
    }

    /** After the healing, a follower listed a service that had instances, and was right. */
    public void listed() {
        listings++;
    }

    /** While all was calm, the leader of an election with a queue resigned, and a candidate followed. */
    public void followedInTurn() {
        turns++;
    }

    private static int index(Role role) {
        if (role instanceof Role.Following) {
            return 1;
        } else if (role instanceof Role.Leading) {
            return 5;
        } else if (role instanceof Role.Acquiring) {
            return 2;
        } else if (role instanceof Role.Doubting) {
            return 3;
        } else if (role instanceof Role.Settling) {
            return 4;
        }
        return role instanceof Role.Stopping ? 6 : 0;
    }

    /** Adds what another batch met. */
    public void add(Coverage other) {
        for (int i = 0; i < faults.length; i++) {
            faults[i] += other.faults[i];
        }
        for (int i = 0; i < hazards.length; i++) {
            hazards[i] += other.hazards[i];
        }
        for (int i = 0; i < groupFaults.length; i++) {
            groupFaults[i] += other.groupFaults[i];
        }
        for (int i = 0; i < losses.length; i++) {
            losses[i] += other.losses[i];
        }
        terms += other.terms;
        takeOvers += other.takeOvers;
        recovered += other.recovered;
        listings += other.listings;
        turns += other.turns;
        for (int r = 0; r < pairs.length; r++) {
            for (int e = 0; e < pairs[r].length; e++) {
                pairs[r][e] += other.pairs[r][e];
            }
        }
    }

    /** The faults, pairs and endings that every batch must meet and this one has not. If empty, the batch counts. */
    public List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            if (faults[fault.ordinal()] == 0) {
                missing.add("fault " + fault);
            }
        }
        for (int r = 0; r < ROLES.length; r++) {
            for (EventClass event : EventClass.values()) {
                String pair = event + " in " + ROLES[r];
                boolean counts = event.isOfSession() == (r == SESSION);
                if (counts && pairs[r][event.ordinal()] == 0 && !SELDOM.contains(pair) && !IMPOSSIBLE.contains(pair)) {
                    missing.add(pair);
                }
            }
        }
        for (EndReason reason : EndReason.values()) {
            // The runtime's own watch over tasks ends these; the engine sees a resignation.
            boolean isOfTasks =
                    reason == EndReason.STALLED || reason == EndReason.UNHEALTHY || reason == EndReason.COMPLETED;
            if (losses[reason.ordinal()] == 0 && !isOfTasks) {
                missing.add("term that ends as '" + reason + "'");
            }
        }
        if (takeOvers == 0) {
            missing.add("take-over");
        }
        if (recovered == 0) {
            missing.add("recovery");
        }
        if (listings == 0) {
            missing.add("list of a service");
        }
        if (turns == 0) {
            missing.add("resignation where candidates queue");
        }
        return missing;
    }

    /** The hazards that every batch of the real runtime must meet and this one has not. If empty, the batch counts. */
    public List<String> missingHazards() {
        List<String> missing = new ArrayList<>();
        for (Hazard hazard : Hazard.values()) {
            if (hazards[hazard.ordinal()] == 0) {
                missing.add("hazard " + hazard);
            }
        }
        if (terms == 0) {
            missing.add("a term");
        }
        if (recovered == 0) {
            missing.add("recovery");
        }
        return missing;
    }

    /** The faults that every batch of groups must meet and this one has not. If empty, the batch counts. */
    public List<String> missingGroupFaults() {
        List<String> missing = new ArrayList<>();
        for (GroupFault fault : GroupFault.values()) {
            if (groupFaults[fault.ordinal()] == 0) {
                missing.add("fault of a group " + fault);
            }
        }
        if (takeOvers == 0) {
            missing.add("take-over");
        }
        if (recovered == 0) {
            missing.add("recovery");
        }
        return missing;
    }

    /** The pairs that the engine's rules exclude but this batch met. Empty if the table of exceptions is right. */
    public List<String> impossible() {
        List<String> met = new ArrayList<>();
        for (int r = 0; r < ROLES.length; r++) {
            for (EventClass event : EventClass.values()) {
                if (pairs[r][event.ordinal()] > 0 && IMPOSSIBLE.contains(event + " in " + ROLES[r])) {
                    met.add(event + " in " + ROLES[r]);
                }
            }
        }
        return met;
    }

    /** How often a term began whose candidate was not the previous leader. */
    public long takeOvers() {
        return takeOvers;
    }

    /** The whole table. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, "%-20s", "event \\ role"));
        for (String role : ROLES) {
            text.append(String.format(Locale.ROOT, "%13s", role));
        }
        text.append('\n');
        for (EventClass event : EventClass.values()) {
            text.append(String.format(Locale.ROOT, "%-20s", event));
            for (long[] row : pairs) {
                text.append(String.format(Locale.ROOT, "%,13d", row[event.ordinal()]));
            }
            text.append('\n');
        }
        text.append('\n');
        for (Fault fault : Fault.values()) {
            text.append(String.format(Locale.ROOT, "%-20s%,13d%n", fault, faults[fault.ordinal()]));
        }
        text.append('\n');
        for (Hazard hazard : Hazard.values()) {
            text.append(String.format(Locale.ROOT, "%-20s%,13d%n", hazard, hazards[hazard.ordinal()]));
        }
        text.append('\n');
        for (GroupFault fault : GroupFault.values()) {
            text.append(String.format(Locale.ROOT, "%-24s%,13d%n", fault, groupFaults[fault.ordinal()]));
        }
        text.append('\n');
        for (EndReason reason : EndReason.values()) {
            text.append(String.format(Locale.ROOT, "%-20s%,13d%n", reason.name(), losses[reason.ordinal()]));
        }
        text.append(String.format(
                Locale.ROOT,
                "%n%,d terms, %,d take-overs, %,d recoveries, %,d looks at a service, %,d resignations with a queue%n",
                terms,
                takeOvers,
                recovered,
                listings,
                turns));
        return text.toString();
    }
}
