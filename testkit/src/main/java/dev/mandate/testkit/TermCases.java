package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The fencing token: strictly larger for every later term, and constant within a term. */
abstract class TermCases extends RaceCases {
    private static final int ACROSS_KEYS = 30;

    /** A thousand terms of two candidates, each numbered higher than the one before. */
    @Test
    protected void termsRiseOverAThousandReleases() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("terms");
        long last = 0;
        for (int i = 0; i < terms(); i++) {
            Contender next = i % 3 == 0 ? a : b;
            Observation.Held held = next.acquire(key);
            assertThat(held.term()).as("term %d", i).isGreaterThan(last);
            last = held.term();
            if (i % 5 == 0) {
                // Every write changes the revision, but never the term, and the next term must still be larger.
                held = next.proclaim(held, "value " + i);
                assertThat(held.term()).isEqualTo(last);
            }
            next.release(held);
        }
    }

    /** The term is what a read shows; no update, renewal or flag changes it. */
    @Test
    protected void aTermStaysThroughAllItsUpdates() {
        Contender a = contender();
        RecordKey key = key("stays");
        Observation.Held held = a.acquire(key);
        long term = held.term();

        assertThat(a.readHeld(key).term()).isEqualTo(term);
        for (Intent intent : intents()) {
            Observation.Held now = a.readHeld(key);
            LeaderRecord record = now.record().withTerm(now.term()).withValue(intent.name());
            Contender.written(a.update(now, record, intent), intent.name());
            assertThat(a.readHeld(key).term()).as("term after %s", intent).isEqualTo(term);
        }
        assertThat(a.renew(a.readHeld(key))).isTrue();
        assertThat(a.readHeld(key).term()).isEqualTo(term);
    }

    /** A term that nobody released is followed by a larger one, too. */
    @Test
    protected void termsRiseWhenAHolderVanishes() {
        Contender b = contender();
        RecordKey key = key("vanish");
        long last = 0;
        for (int i = 0; i < 3; i++) {
            Contender a = contender(shortestLease());
            Observation.Held vanished = a.acquire(key);
            assertThat(vanished.term()).isGreaterThan(last);

            Observation.Held next = takeOver(b, key);

            assertThat(next.term()).isGreaterThan(vanished.term());
            last = next.term();
            b.release(next);
        }
    }

    /** The data outlives its connections, and so does the order of terms. */
    @Test
    protected void termsRiseAcrossReopening() {
        RecordKey key = key("reopen");
        Contender a = contender();
        Observation.Held held = a.acquire(key);
        a.release(a.proclaim(held, "value"));
        a.leave();
        a.store().close();

        Contender b = contender();

        assertThat(b.acquire(key).term()).isGreaterThan(held.term());
    }

    /** Where the traits say so, a later acquire gets the larger term, whatever its key: queues rely on that. */
    @Test
    protected void termsRiseAcrossKeysWhereTheStoreOrdersThem() {
        onlyIf(traits().ordersTerms(), "its terms compare within a key only");
        Contender a = contender();
        Contender b = contender();
        String queue = key("queue").name();
        long last = 0;
        for (int i = 0; i < ACROSS_KEYS; i++) {
            Contender next = i % 2 == 0 ? a : b;
            RecordKey key = new RecordKey(RecordKey.QUEUES, List.of(queue, "place " + i % 3));
            Observation.Held held = next.acquire(key);
            assertThat(held.term()).as("term %d", i).isGreaterThan(last);
            last = next.proclaim(held, "value " + i).term();
            assertThat(last).isEqualTo(held.term());
            next.release(next.readHeld(key));
        }
    }

    /** Takes a key whose holder is silent: waits until it expires, or judges it dead. */
    final Observation.Held takeOver(Contender next, RecordKey key) {
        Duration lockDelay = traits().lockDelay();
        Duration bound = shortestLease()
                .multipliedBy((long) Math.ceil(traits().expiryFactor()) + 1)
                .plus(traits().expirySlack())
                .plus(lockDelay)
                .plus(Duration.ofSeconds(30));
        return Await.value("take-over of " + key, bound, () -> {
            next.stayAlive();
            Observation seen = next.read(key);
            if (seen instanceof Observation.Held && traits().expiry() == Expiry.STORE_REMOVES) {
                return Optional.empty();
            }
            WriteOutcome outcome = next.acquire(key, seen, next.proposal("value"));
            return outcome instanceof WriteOutcome.Written
                    ? Optional.of(Contender.written(outcome, "acquire"))
                    : Optional.empty();
        });
    }
}
