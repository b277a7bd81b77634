package dev.mandate.engine;

/** What a {@link CandidateMachine} wants done. */
public sealed interface Action permits ElectionAction, SessionAction, SweepAction, SweepFault {}
