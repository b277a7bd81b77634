package dev.mandate.simulator.check;

import dev.mandate.spi.Id;

/** A term as {@link HandmadeHistoriesTest} makes it up. */
record HandmadeClaim(
        int candidate, long term, boolean isBelieved, boolean isWorking, boolean isOverrun, boolean isExcused)
        implements Claim {
    static HandmadeClaim valid(int candidate, long term) {
        return new HandmadeClaim(candidate, term, true, true, false, false);
    }

    static HandmadeClaim draining(int candidate, long term) {
        return new HandmadeClaim(candidate, term, false, true, false, false);
    }

    @Override
    public Id attempt() {
        return new Id(candidate, term);
    }

    @Override
    public boolean isEnded() {
        return !isBelieved;
    }
}
