package dev.mandate.simulator.world;

import java.util.Locale;

/** What a world is drawn for. Random faults find most mistakes; some are only found where somebody looks. */
public enum Aim {
    /** Default settings in some worlds, everything drawn at random in the others. */
    SWARM,
    /** Clocks of holder and challenger exactly q apart, default settings, hardly any delay: must hold. */
    CLOCK_EDGE,
    /** Clocks q + 1 % apart, no guard, no drain, hardly any delay: must fail. */
    CLOCK_BEYOND,
    /**
     * Clocks exactly q apart, no guard, no drain, hardly any delay; leaders publish, and some stores grant sessions
     * less than they ask for: must hold, but for a missing drift margin.
     */
    CLOCK_BARE,
    /** Clocks as in {@link #CLOCK_BARE}, but every message may take its time: must hold, too. */
    CLOCK_SLOW,
    /**
     * Clocks as in {@link #CLOCK_BARE}, and where each record has a lease, the clock that ends it is set by as much as
     * the store reserves: must hold.
     */
    CLOCK_STEPPED,
    /** Few candidates; acquires that land late, or twice while users withdraw in haste. */
    HAUNTED,
    /** As {@link #HAUNTED}, and work that never ends: that must not keep anybody else from leading. */
    STUCK,
    /** Leaders that are frozen again and again while they are asked all the time, and answers that take long. */
    PAUSED,
    /** Leaders that cannot look while their records are taken away by force. */
    BLINDED,
    /** Leaders that are cut off and suspended while their wall clocks are set, on machines without a clock that counts from boot. */
    SUSPENDED,
    /** Many elections on few clients, in listings of many pages; or many clients in one. */
    CROWDED,
    /**
     * As {@link #SWARM}, and all candidates are instances of a service, or follow it; elsewhere that is so in one world
     * of four.
     */
    SERVICES,
    /** As {@link #SWARM}, and candidates queue for their elections; elsewhere that is so in one world of four. */
    QUEUES,
    /** Worlds of the real runtime: clients with their loops, watchdogs, callbacks and tasks, any of which may be descheduled between two steps. */
    RUNTIME,
    /** As {@link #RUNTIME}, two clients without guard or drain, descheduled for long, and a leader that is cut off. */
    DESCHEDULED,
    /** Groups without a store: a voter and a candidate in each process; in one world of four, as in {@link #PLOTS}. */
    GROUPS,
    /** Groups in which voters restart while a write that they promised is under way. */
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
