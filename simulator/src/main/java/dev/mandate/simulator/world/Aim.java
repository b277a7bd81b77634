package dev.mandate.simulator.world;

import java.util.Locale;

/** What a world is meant to provoke. Random faults find most mistakes, but some take a deliberate search. */
public enum Aim {
    /** Default settings in some worlds, random settings in the others. */
    SWARM,
    /** The clocks of holder and challenger differ by exactly q; default settings, hardly any delay: must hold. */
    CLOCK_EDGE,
    /** Clocks that differ by q + 1 %, no guard, no drain, hardly any delay: must fail. */
    CLOCK_BEYOND,
    /**
     * Clocks that differ by exactly q, no guard, no drain, hardly any delay; leaders publish, and some stores grant
     * shorter sessions than requested: must hold, but for a missing drift margin.
     */
    CLOCK_BARE,
    /** Clocks as in {@link #CLOCK_BARE}, but any message may be slow: must hold. */
    CLOCK_SLOW,
    /**
     * Clocks as in {@link #CLOCK_BARE}; where each record has a lease, the clock that ends it is set by as much as the
     * store reserves: must hold.
     */
    CLOCK_STEPPED,
    /** Few candidates; acquires land late, or twice while users withdraw in haste. */
    HAUNTED,
    /** As {@link #HAUNTED}, with work that never ends, which must not keep others from leading. */
    STUCK,
    /** Leaders are frozen again and again and asked all the time; answers are slow. */
    PAUSED,
    /** Leaders cannot look while their records are taken away by force. */
    BLINDED,
    /** Leaders are cut off and suspended while their wall clocks are set, on machines without a boot clock. */
    SUSPENDED,
    /** Many elections on few clients, in listings of many pages; or many clients in one election. */
    CROWDED,
    /**
     * As {@link #SWARM}, with all candidates instances or followers of a service; with other aims, one world in four.
     */
    SERVICES,
    /** As {@link #SWARM}, with candidates that queue for their elections; with other aims, one world in four. */
    QUEUES,
    /** The real runtime: clients with loops, watchdogs, callbacks and tasks, descheduled at any step. */
    RUNTIME,
    /** As {@link #RUNTIME}: two clients without guard or drain, descheduled for long, and a leader that is cut off. */
    DESCHEDULED,
    /** Groups without a store: a voter and a candidate in each process; one world of four is as in {@link #PLOTS}. */
    GROUPS,
    /** Groups in which voters restart while a write that they promised is in flight. */
    PLOTS;

    /** The name on the command line: {@code clock-edge}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Reads {@link #text()}.
     *
     * @throws IllegalArgumentException that names all aims
     */
    public static Aim parse(String text) {
        for (Aim aim : values()) {
            if (aim.text().equals(text)) {
                return aim;
            }
        }
        throw new IllegalArgumentException(
                "aim '" + text
                        + "' is unknown; there are swarm, clock-edge, clock-beyond, clock-bare, clock-slow, clock-stepped, haunted, stuck, paused, blinded, suspended, crowded, services, queues, runtime, descheduled, groups and plots");
    }

    /** Whether its worlds run the real runtime. */
    public boolean isRuntime() {
        return this == RUNTIME || this == DESCHEDULED;
    }

    /** Whether its worlds are groups without a store. */
    public boolean isGroup() {
        return this == GROUPS || this == PLOTS;
    }

    boolean isClockPair() {
        return this == CLOCK_EDGE
                || this == CLOCK_BEYOND
                || this == CLOCK_BARE
                || this == CLOCK_SLOW
                || this == CLOCK_STEPPED;
    }
}
