package dev.mandate.simulator.check;

import dev.mandate.spi.Id;

/** One candidate's term, as the checkers see it: from its Begin on. */
public interface Claim {
    /** Which candidate. */
    int candidate();

    /** The fencing token. */
    long term();

    /** The attempt that won it. */
    Id attempt();

    /** Whether it would be believed if it were asked at this instant. */
    boolean isBelieved();

    /** Whether its End was announced. */
    boolean isEnded();

    /** Whether it may still believe because somebody forced it out moments ago. */
    boolean isExcused();

    /** Whether its work may still run for that reason: for its drain budget longer. */
    default boolean isWorkExcused() {
        return isExcused();
    }

    /** Whether its work runs. */
    boolean isWorking();

    /** Whether its work has outlived its budget, or its deadline has passed by its own clock: then an overlap of work is no surprise. */
    boolean isOverrun();
}
