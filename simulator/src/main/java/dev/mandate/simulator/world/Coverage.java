package dev.mandate.simulator.world;

import dev.mandate.engine.Role;
import java.util.Locale;

/** What a batch of schedules met: how often each fault fired, and each kind of event in each role. */
public final class Coverage {
    private static final String[] ROLES = {
        "Idle", "Following", "Acquiring", "Doubting", "Settling", "Leading", "Stopping"
    };

    private final long[] faults = new long[Fault.values().length];
    private final long[][] pairs = new long[ROLES.length][EventClass.values().length];

    void fired(Fault fault) {
        faults[fault.ordinal()]++;
    }

    void met(Role role, EventClass event) {
        pairs[index(role)][event.ordinal()]++;
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
        for (int r = 0; r < pairs.length; r++) {
            for (int e = 0; e < pairs[r].length; e++) {
                pairs[r][e] += other.pairs[r][e];
            }
        }
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
        return text.toString();
    }
}
