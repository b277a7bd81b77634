package dev.mandate.doctor;

import dev.mandate.Explanation;
import dev.mandate.console.Durations;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import java.time.Duration;
import java.util.Optional;

/**
 * An open store under examination.
 *
 * @param explanation of the URL's settings
 * @param questions asks it
 */
record Examined(ElectionStore store, Explanation explanation, Questions questions) {
    private static final Duration QUESTION_MIN = Duration.ofSeconds(1);
    private static final Duration QUESTION_MAX = Duration.ofSeconds(4);

    /** Awaits answers for longer than the library does, to tell a slow store from a dead one, but not for ever. */
    static Examined of(ElectionStore store, Explanation explanation) {
        Duration bearable = setting(explanation, "requestTimeout").multipliedBy(3);
        Duration most = bearable.compareTo(QUESTION_MIN) < 0
                ? QUESTION_MIN
                : bearable.compareTo(QUESTION_MAX) > 0 ? QUESTION_MAX : bearable;
        return new Examined(store, explanation, new Questions(most));
    }

    /** How long the library awaits an answer. */
    Duration answer() {
        return setting(explanation, "requestTimeout");
    }

    /** How often a follower polls. */
    Duration poll() {
        return setting(explanation, "pollInterval");
    }

    /** What the store knows about itself, if it says so. */
    Optional<Diagnosable> diagnosable() {
        return store instanceof Diagnosable diagnosable ? Optional.of(diagnosable) : Optional.empty();
    }

    /** Whether a scratch election may be created. */
    boolean admitsScratch() {
        return diagnosable().map(Diagnosable::admitsScratch).orElse(true);
    }

    /** The end of a sentence about a refused verb: the right that it takes, if known. */
    String rightFor(Verb verb, RecordKey key) {
        return diagnosable()
                .flatMap(store -> store.rightFor(verb, key))
                .map(right -> " (" + verb.words() + " requires: " + right + ")")
                .orElse("");
    }

    private static Duration setting(Explanation explanation, String name) {
        String text = explanation.settings().getOrDefault(name, "1s");
        return Durations.setting(text)
                .orElseThrow(
                        () -> new IllegalStateException("the setting " + name + " is '" + text + "', no duration"));
    }
}
