package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How long a record lasts, and what prolongs it. */
abstract class LeaseCases extends EraseCases {

    /** Every write that renews comes with a grant, and no other write does. */
    @Test
    protected void aGrantComesWithWhatRenews() {
        Contender a = contender();
        RecordKey key = key("grant");
        boolean perRecord = traits().leaseScope() == LeaseScope.RECORD;
        WriteOutcome acquired = a.acquire(key, a.read(key), a.proposal("value"));
        Observation.Held held = Contender.written(acquired, "acquire");

        assertThat(granted(acquired).isPresent()).as("acquire carries a grant").isEqualTo(perRecord);
        if (perRecord) {
            LeaderRecord record = held.record().withTerm(held.term());
            WriteOutcome renewed = a.update(held, record, Intent.RENEW);
            assertThat(granted(renewed)).as("a renewal carries a grant").isPresent();
            assertThat(granted(renewed).orElseThrow()).isPositive();
            held = Contender.written(renewed, "renew");
        }
        if (traits().expiry() == Expiry.OBSERVER_JUDGES) {
            // The holder counts on the renewal, so challengers must see it in the liveness.
            for (Intent intent : intents()) {
                WriteOutcome outcome = a.update(held, held.record().withTerm(held.term()), intent);
                Observation.Held now = Contender.written(outcome, intent.toString());
                assertThat(now.liveness().equals(held.liveness()))
                        .as("the liveness stays, where %s grants nothing", intent)
                        .isEqualTo(granted(outcome).isEmpty());
                held = now;
            }
        }
    }

    /** A record that is renewed in time lasts for many leases, and its liveness changes with every renewal. */
    @Test
    protected void renewalsKeepARecordAlive() {
        Contender observer = contender();
        Contender a = contender(shortestLease());
        RecordKey key = key("renewed");
        Observation.Held held = a.acquire(key);
        Observation.Held last = observer.readHeld(key);
        for (int i = 0; i < 12; i++) {
            Await.passing(a.lease().dividedBy(4));
            assertThat(a.renew(held)).as("renewal %d in time", i).isTrue();
            Observation.Held seen = observer.readHeld(key);
            assertThat(seen.isAttempt(held.record().attempt())).isTrue();
            if (traits().expiry() == Expiry.OBSERVER_JUDGES) {
                assertThat(seen.liveness()).as("liveness after renewal %d", i).isNotEqualTo(last.liveness());
            }
            last = seen;
        }
    }

    /** Where the store expires leases: never before the lease is over, always within the bound of its traits. */
    @Test
    protected void anUnrenewedLeaseIsRemovedInTime() {
        onlyIf(traits().expiry() == Expiry.STORE_REMOVES, "observers judge");
        Contender observer = contender();
        Contender a = contender(shortestLease());
        RecordKey key = key("removed");
        Observation.Held held = a.acquire(key);

        long sent = System.nanoTime();
        assertThat(a.renew(held)).isTrue();
        Lapse lapse = new Lapse(sent, System.nanoTime(), a.lease());
        Await.until("the key to be vacant", lapse.bound().plusSeconds(60), () -> {
            long asked = System.nanoTime();
            boolean isVacant = observer.read(key) instanceof Observation.Vacant;
            lapse.require(isVacant, asked, System.nanoTime());
            return isVacant;
        });

        takeOver(observer, key);
    }

    /** Where observers judge: the store removes nothing by itself, and shows the last holder until it is replaced. */
    @Test
    protected void anUnrenewedRecordStaysUntilReplaced() {
        onlyIf(traits().expiry() == Expiry.OBSERVER_JUDGES, "the store removes what is not renewed");
        Contender observer = contender();
        Contender a = contender(shortestLease());
        RecordKey key = key("stays");
        Observation.Held held = a.acquire(key);

        Await.passing(a.lease().multipliedBy(2));

        Observation.Held seen = observer.readHeld(key);
        assertThat(seen.basis()).isEqualTo(held.basis());
        assertThat(seen.liveness()).isEqualTo(held.liveness());
    }

    /**
     * The holder and others proclaim and set leave flags every 100 ms while renewals are cut off: the lease ends on
     * time, and a challenger's wait is not restarted.
     */
    @Test
    protected void proclaimsDoNotProlongATerm() {
        Contender other = contender();
        Contender a = contender(shortestLease());
        RecordKey key = key("proclaims");
        Observation.Held held = a.acquire(key);
        long sent = System.nanoTime();
        assertThat(a.renew(held)).isTrue();
        Lapse lapse = new Lapse(sent, System.nanoTime(), a.lease());
        Observation.Held basis = a.readHeld(key);
        Duration watched = traits().expiry() == Expiry.STORE_REMOVES
                ? lapse.bound().plusSeconds(60)
                : a.lease().multipliedBy(2);

        long start = System.nanoTime();
        for (int i = 0; System.nanoTime() - start < watched.toNanos(); i++) {
            Intent intent = i % 4 == 3 ? Intent.ASK_TO_LEAVE : Intent.PROCLAIM;
            LeaderRecord record = basis.record().withTerm(basis.term()).withValue("value " + i);
            long asked = System.nanoTime();
            WriteOutcome outcome = (i % 4 == 3 ? other : a)
                    .update(basis, intent == Intent.PROCLAIM ? record : record.askedToLeave(), intent);
            onlyIf(granted(outcome).isEmpty(), "this store cannot write without renewing, and says so in its answer");
            if (traits().expiry() == Expiry.STORE_REMOVES) {
                lapse.require(outcome instanceof WriteOutcome.Refused, asked, System.nanoTime());
            }
            if (outcome instanceof WriteOutcome.Refused) {
                break;
            }
            Observation.Held now = Contender.written(outcome, intent.name());
            assertThat(now.liveness()).as("liveness after %s", intent).isEqualTo(basis.liveness());
            basis = now;
            Await.passing(Duration.ofMillis(100));
        }

        if (traits().expiry() == Expiry.STORE_REMOVES) {
            assertThat(other.read(key)).isInstanceOf(Observation.Vacant.class);
        }
        takeOver(other, key);
    }

    /** Where observers judge: a take-over succeeds only if the holder has not renewed since it was seen. */
    @Test
    protected void aTakeOverNeedsTheLivenessItSaw() {
        onlyIf(traits().expiry() == Expiry.OBSERVER_JUDGES, "held keys can't be acquired");
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("liveness");
        Observation.Held held = a.acquire(key);
        Observation.Held seen = b.readHeld(key);
        assertThat(a.renew(held)).isTrue();

        assertThat(b.acquire(key, seen, b.proposal("too late"))).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.renew(held)).as("the holder lives on").isTrue();
        assertThat(b.readHeld(key).isAttempt(held.record().attempt())).isTrue();
    }

    /** Where observers judge: a replaced holder finds out at its next renewal, and can change nothing any more. */
    @Test
    protected void aDeposedHolderCannotRenew() {
        onlyIf(traits().expiry() == Expiry.OBSERVER_JUDGES, "held keys can't be acquired");
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("deposed");
        Observation.Held held = a.acquire(key);

        Observation.Held next = Contender.written(b.acquire(key, b.readHeld(key), b.proposal("next")), "take-over");

        assertThat(a.renew(held)).as("renewal by the deposed holder").isFalse();
        for (Intent intent : intents()) {
            assertThat(a.update(held, held.record().withTerm(held.term()), intent))
                    .isInstanceOf(WriteOutcome.Refused.class);
        }
        assertThat(a.release(held)).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(b.readHeld(key).record()).isEqualTo(next.record());
        assertThat(next.term()).isGreaterThan(held.term());
    }

    static Optional<Duration> granted(WriteOutcome outcome) {
        return outcome instanceof WriteOutcome.Written written ? written.granted() : Optional.empty();
    }

    /** When a lease that was renewed between two instants may be over, and when it must be. */
    final class Lapse {
        private final long sentNanos;
        private final long answeredNanos;
        private final Duration lease;

        Lapse(long sentNanos, long answeredNanos, Duration lease) {
            this.sentNanos = sentNanos;
            this.answeredNanos = answeredNanos;
            this.lease = lease;
        }

        /** The longest it may live on. */
        Duration bound() {
            long stretched = (long) Math.ceil(lease.toNanos() * traits().expiryFactor());
            return Duration.ofNanos(stretched).plus(traits().expirySlack());
        }

        /** Checks one look: {@code isOver} was found by a request that was sent and answered at these instants. */
        void require(boolean isOver, long askedNanos, long toldNanos) {
            if (isOver) {
                assertThat(toldNanos - sentNanos)
                        .as("nanoseconds after the send of its last renewal that a lease of %s was over", lease)
                        .isGreaterThanOrEqualTo(lease.toNanos());
            } else {
                assertThat(askedNanos - answeredNanos)
                        .as("nanoseconds after its last renewal that a lease of %s was not yet over", lease)
                        .isLessThanOrEqualTo(bound().toNanos());
            }
        }
    }
}
