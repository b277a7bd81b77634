package dev.mandate.simulator.check;

import dev.mandate.spi.Id;

/** One candidate's term from its Begin on, as the checkers see it. */
public interface Claim {
    /** Which candidate. */
    int candidate();

    /** The fencing token. */
    long term();

    /** The attempt that won it. */
    Id attempt();

    /** Whether the candidate would believe in it if asked at this instant. */
    boolean isBelieved();

    /** Whether its End was announced. */
    boolean isEnded();

    /** Whether it may still be believed because it was forced out moments ago. */
    boolean isExcused();

    /** Whether its work may still run for that reason: one drain budget longer than belief. */
    default boolean isWorkExcused() {
        return isExcused();
    }

    /** Whether its work runs. */
    boolean isWorking();

    /** Whether its work outlived its budget, or its deadline passed by its own clock. Then work may overlap. */
    boolean isOverrun();
}
