package dev.mandate.doctor;

import dev.mandate.console.Durations;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the scratch election vacant, ends the session, and removes what is left. Tries all of it at most twice. */
final class CleanUp {
    private static final String SUBJECT = "clean-up";
    private static final int TRIES = 2;
    private static final Duration EACH_MAX = Duration.ofSeconds(2);

    private final ElectionStore store;
    private final Examined examined;
    private final Questions questions;
    private final Duration each;
    private final RecordKey key;
    private final Attempts attempts;
    private final @Nullable StoreSession session;

    /**
     * Prepares a clean-up, to be run once.
     *
     * @param attempts all attempts that were sent
     * @param session null if there is none
     */
    CleanUp(Examined examined, RecordKey key, Attempts attempts, @Nullable StoreSession session) {
        this.store = examined.store();
        this.examined = examined;
        this.questions = examined.questions();
        this.each = questions.most().compareTo(EACH_MAX) < 0 ? questions.most() : EACH_MAX;
        this.key = key;
        this.attempts = attempts;
        this.session = session;
    }

    /** Cleans up; returns a finding if something is left. */
    Optional<Finding> run() throws InterruptedException {
        String failure = "";
        for (int i = 0; i < TRIES; i++) {
            try {
                return once()
                        ? Optional.empty()
                        : Optional.of(Finding.ok(
                                SUBJECT,
                                "the vacant record of the election '" + key.name()
                                        + "' remains: this user may not delete; elections do not need that right"
                                        + examined.rightFor(Verb.ERASE, key)));
            } catch (Unanswered e) {
                failure = e.sentence();
                if (e.isSetup()) {
                    break;
                }
            }
        }
        return Optional.of(Finding.warning(
                SUBJECT,
                "the temporary election '" + key.name()
                        + "' may remain in the store until its lease of "
                        + Durations.words(examined.explanation().lease()) + " expires: " + failure));
    }

    /** Whether nothing is left. Ends the session even if the release failed: that mostly does the same. */
    private boolean once() throws Unanswered, InterruptedException {
        Optional<Unanswered> failure = attempts.count() == 0 ? Optional.empty() : release();
        StoreSession own = session;
        if (own != null) {
            questions.ask(
                    "ending session " + own.id(), each, call -> own.end(call).thenApply(nothing -> true));
        }
        if (attempts.count() == 0) {
            return true;
        }
        Observation left = read();
        if (left instanceof Observation.Held held && attempts.isOurs(held)) {
            throw failure.orElseGet(() -> new Unanswered("it is still there"));
        }
        return !(left instanceof Observation.Vacant vacant) || erased(vacant);
    }

    /**
     * False if this user lacks the right. Throws if refused, so that it is tried again: somebody else knows the name,
     * or the store needs a moment.
     */
    private boolean erased(Observation.Vacant left) throws Unanswered, InterruptedException {
        try {
            WriteOutcome outcome = questions.ask("removing " + key, each, call -> store.erase(left, call));
            if (outcome instanceof WriteOutcome.Refused) {
                throw new Unanswered("removing " + key + " was refused");
            }
            return true;
        } catch (Unanswered e) {
            if (e.isDenied()) {
                return false;
            }
            throw e;
        }
    }

    private Optional<Unanswered> release() throws InterruptedException {
        try {
            if (read() instanceof Observation.Held held && attempts.isOurs(held)) {
                questions.ask("releasing " + key, each, call -> store.release(key, held, call));
            }
            return Optional.empty();
        } catch (Unanswered e) {
            return Optional.of(e);
        }
    }

    private Observation read() throws Unanswered, InterruptedException {
        return questions.ask("reading " + key, each, call -> store.read(key, call));
    }
}
