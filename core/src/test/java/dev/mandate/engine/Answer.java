package dev.mandate.engine;

import java.util.List;

/** What a store replied, on its way to the candidate. */
@FunctionalInterface
interface Answer {
    List<Action> deliver(CandidateMachine candidate, Now now);

    /** In few words. */
    default String says() {
        return "";
    }

    /** The same reply, that says so in words. */
    default Answer saying(String words) {
        return new Answer() {
            @Override
            public List<Action> deliver(CandidateMachine candidate, Now now) {
                return Answer.this.deliver(candidate, now);
            }

            @Override
            public String says() {
                return words;
            }
        };
    }
}
