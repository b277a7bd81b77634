package dev.mandate.engine;

import java.util.List;

/** What a store replied, on its way to the candidate. */
@FunctionalInterface
interface Answer {
    List<Action> deliver(CandidateMachine candidate, Now now);
}
