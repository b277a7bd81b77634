package dev.mandate.doctor;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Times releases, acquires, updates and renewals: a few of each in a row, after an untimed one of each has worked. */
final class WriteRounds {
    private static final int WRITES = 16;
    private static final Duration MOST = Duration.ofSeconds(3);

    private final Examined examined;
    private final ElectionStore store;
    private final RecordKey key;
    private final @Nullable StoreSession session;
    private final Attempts attempts;
    private final Timings timings = new Timings("writes", "write");

    WriteRounds(Examined examined, RecordKey key, @Nullable StoreSession session, Attempts attempts) {
        this.examined = examined;
        this.store = examined.store();
        this.key = key;
        this.session = session;
        this.attempts = attempts;
    }

    /**
     * Runs all rounds.
     *
     * @return the record at the end; empty if something was refused
     */
    Optional<Observation.Held> run(Observation.Held first) throws Unanswered, InterruptedException {
        long untilNanos = System.nanoTime() + MOST.toNanos();
        Observation.Held held = first;
        while (timings.count() < WRITES && System.nanoTime() - untilNanos < 0) {
            Observation.Held on = held;
            WriteOutcome freed = timed("releasing", call -> store.release(key, on, call));
            if (!(freed instanceof WriteOutcome.Written written)) {
                return Optional.empty();
            }
            Optional<Observation.Held> won =
                    held(timed("acquiring", call -> store.acquire(key, written.now(), attempts.next(), session, call)));
            Optional<Observation.Held> told = won.isEmpty() ? won : updated(won.get());
            if (told.isEmpty()) {
                return told;
            }
            held = told.get();
            StoreSession own = session;
            if (own != null) {
                SessionRenewal renewal = timed("renewing", own::renew);
                if (!(renewal instanceof SessionRenewal.Renewed)) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(held);
    }

    private Optional<Observation.Held> updated(Observation.Held won) throws Unanswered, InterruptedException {
        return held(timed(
                "updating",
                call -> store.update(
                        key, won, won.record().withTerm(won.term()).withValue("once more"), Intent.PROCLAIM, call)));
    }

    private <T> T timed(String what, Function<CallContext, CompletionStage<T>> write)
            throws Unanswered, InterruptedException {
        T answer = examined.questions().ask(what + " " + key, write);
        timings.add(examined.questions().took());
        return answer;
    }

    private static Optional<Observation.Held> held(WriteOutcome outcome) {
        return outcome instanceof WriteOutcome.Written written && written.now() instanceof Observation.Held held
                ? Optional.of(held)
                : Optional.empty();
    }

    Timings timings() {
        return timings;
    }
}
