package dev.mandate.engine;

import dev.mandate.spi.Cursor;

/**
 * List one page of all records of this client's store, and hand it to {@link CandidateMachine#onSweep}; or tell {@link
 * CandidateMachine#onSweepFailed} that it will not come. From a {@link FollowingMachine}: list one page of the records
 * below its prefix, for {@link FollowingMachine#listed} or {@link FollowingMachine#notListed}.
 *
 * @param request unique within one machine
 * @param timeoutNanos how long the answer is awaited
 * @param from where the page starts
 */
public record SweepAction(long request, long timeoutNanos, Cursor from) implements Action {}
