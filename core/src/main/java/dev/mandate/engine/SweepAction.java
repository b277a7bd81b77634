package dev.mandate.engine;

/**
 * List all records of this client's store, page by page, and hand each page to {@link CandidateMachine#onSweep} with the time it was asked;
 * then {@link CandidateMachine#onSweepDone}.
 *
 * @param request unique within one client
 * @param timeoutNanos how long the answer to each page is awaited
 */
public record SweepAction(long request, long timeoutNanos) implements Action {}
