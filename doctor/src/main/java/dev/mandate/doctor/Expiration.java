package dev.mandate.doctor;

import dev.mandate.console.Durations;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Intent;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets a lease run out, as if its holder had died, and measures on our clock when the store frees it. That must not be
 * before its holder stops believing, nor later than {@code explain()} computes. This compares the rate of the server's
 * clock with ours.
 */
final class Expiration {
    private static final String SUBJECT = "expiry";
    private static final Duration LOOK_MIN = Duration.ofMillis(10);
    private static final Duration MARGIN = Duration.ofSeconds(2);

    private final Examined examined;
    private final ElectionStore store;
    private final RecordKey key;

    Expiration(Examined examined, RecordKey key) {
        this.examined = examined;
        this.store = examined.store();
        this.key = key;
    }

    /**
     * Renews once more and waits for the end.
     *
     * @param held the record to let expire
     * @param session the session that keeps it; null if the record does
     */
    Finding await(Observation.Held held, @Nullable StoreSession session) throws Unanswered, InterruptedException {
        if (store.traits().expiry() == Expiry.OBSERVER_JUDGES) {
            return Finding.ok(
                    SUBJECT,
                    "each candidate decides by its own clock when a lease is over: the store frees nothing by itself");
        }
        // We count from the send, as a leader does; the grant began somewhat later.
        long sentNanos = System.nanoTime();
        Duration granted = renewed(held, session);
        double ratio = Double.parseDouble(examined.explanation().settings().getOrDefault("maxClockRatio", "1.1"));
        Duration believed = Duration.ofNanos((long) (granted.toNanos() / ratio));
        Duration latest = Duration.ofNanos(
                        (long) (granted.toNanos() * store.traits().expiryFactor()))
                .plus(store.traits().expirySlack());
        // The store's grant began at most this much after our count.
        Duration begun = examined.questions().took();
        Duration giveUp = latest.plus(latest.dividedBy(10)).plus(MARGIN);
        Duration look = max(LOOK_MIN, granted.dividedBy(200));
        Duration stood = Duration.ZERO;
        while (stood.compareTo(giveUp) < 0) {
            long lookNanos = System.nanoTime();
            Observation seen = examined.questions().ask("reading " + key, call -> store.read(key, call));
            if (!(seen instanceof Observation.Held)) {
                Duration freed = Duration.ofNanos(System.nanoTime() - sentNanos);
                return judged(freed, granted, believed, stood.minus(begun).compareTo(latest) > 0);
            }
            stood = Duration.ofNanos(lookNanos - sentNanos);
            LockSupport.parkNanos(look.toNanos());
        }
        return Finding.warning(
                SUBJECT,
                "a lease of " + Durations.words(granted) + " was not over after " + Durations.words(stood)
                        + ", longer than 'explain' assumes: crash failover will be slower than predicted");
    }

    /**
     * Judges such that a busy machine makes no store look bad.
     *
     * @param freed when the lease was seen to be over, which may be late but never early
     * @param isLate whether the lease was seen held when it should have been over
     */
    private static Finding judged(Duration freed, Duration granted, Duration believed, boolean isLate) {
        String figures = "a lease of " + Durations.words(granted) + " expired " + Durations.words(freed)
                + " after its last renewal was sent";
        if (freed.compareTo(believed) < 0) {
            return Finding.error(
                    SUBJECT,
                    figures + ", but its leader believes that it leads for up to " + Durations.words(believed)
                            + ": two may lead. Check the server's clock; if clocks run at different rates, raise maxClockRatio");
        }
        return isLate
                ? Finding.warning(
                        SUBJECT,
                        figures + ", later than 'explain' assumes: crash failover will be slower than predicted")
                : Finding.ok(
                        SUBJECT,
                        figures + "; its leader believes that it leads for up to " + Durations.words(believed));
    }

    private Duration renewed(Observation.Held held, @Nullable StoreSession session)
            throws Unanswered, InterruptedException {
        if (session != null) {
            SessionRenewal renewal = examined.questions().ask("renewing", session::renew);
            return renewal instanceof SessionRenewal.Renewed renewed ? renewed.granted() : session.granted();
        }
        WriteOutcome outcome = examined.questions()
                .ask(
                        "renewing " + key,
                        call -> store.update(key, held, held.record().withTerm(held.term()), Intent.RENEW, call));
        return outcome instanceof WriteOutcome.Written written
                ? written.granted().orElse(examined.explanation().lease())
                : examined.explanation().lease();
    }

    private static Duration max(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
