package dev.mandate.internal;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Which terms callers found dead, and whether the store was asked since. A failed term and those before it no longer
 * count, unless an answer to a question asked after the failure shows one of them all the same. Hints and answers to
 * earlier questions may be older than the failure. Any thread; takes no lock.
 */
final class FailedTerms {
    /**
     * @param term the highest that failed; 0 if none did
     * @param number how many failures there were
     * @param answered the number of the newest failure after which a question was asked and answered
     * @param shown the term that this answer showed, if it counts again; else 0
     */
    private record State(long term, long number, long answered, long shown) {}

    private final AtomicReference<State> state = new AtomicReference<>(new State(0, 0, 0, 0));

    /**
     * The leader with {@code term} does not answer.
     *
     * @return whether that changes anything: not if a later term failed before
     */
    boolean failed(long term) {
        State before = state();
        while (term >= before.term) {
            State after = new State(term, before.number + 1, before.answered, 0);
            if (state.compareAndSet(before, after)) {
                return true;
            }
            before = state();
        }
        // Unless the store showed just this term: then it counted again, and failed again.
        return before.shown == term && failedAgain(before);
    }

    private boolean failedAgain(State before) {
        State after = new State(before.term, before.number + 1, before.answered, 0);
        return state.compareAndSet(before, after) || failed(before.shown);
    }

    private State state() {
        return Objects.requireNonNull(state.get());
    }

    /** Whether {@code term} no longer counts. */
    boolean bars(long term) {
        State now = state();
        return term <= now.term && term != now.shown;
    }

    /** Whether no answer has come since the last failure. */
    boolean isOpen() {
        State now = state();
        return now.answered < now.number;
    }

    /** A question is asked now; pass the result back with its answer. */
    long asks() {
        return state().number;
    }

    /** The answer to a question of {@link #asks} shows {@code term}; 0 if nobody leads. */
    void answered(long asked, long term) {
        state.updateAndGet(
                before -> asked < before.number ? before : new State(before.term, before.number, asked, term));
    }
}
