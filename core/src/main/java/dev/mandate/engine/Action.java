package dev.mandate.engine;

/** What a {@link CandidateMachine} or a {@link FollowingMachine} wants done. */
public sealed interface Action
        permits ElectionAction, SessionAction, SweepAction, SweepFault, FollowingAction, QueueAction {}
