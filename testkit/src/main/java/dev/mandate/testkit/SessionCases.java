package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One lease that many records share. */
abstract class SessionCases extends LeaseCases {
    private static final int ELECTIONS = 50;

    /** A session is new every time, and its lease is within the store's bounds. */
    @Test
    protected void everySessionIsNew() {
        onlyIfSessions();
        Contender a = contender();
        Contender b = a.again();

        assertThat(b.session().id()).isNotBlank().isNotEqualTo(a.session().id());
        assertThat(a.session().granted()).isBetween(traits().leaseMin(), traits().leaseMax());
        b.leave();
        assertThat(contender(shortestLease()).session().granted()).isBetween(traits().leaseMin(), traits().leaseMax());
    }

    /** A session that ends takes all its elections with it, and nothing held under it can be written any more. */
    @Test
    protected void theEndOfASessionEndsAllItsElections() {
        onlyIfSessions();
        Contender a = contender();
        Contender b = contender();
        List<Observation.Held> held = acquireMany(a);
        Observation.Held bystander = b.acquire(key("bystander"));

        a.endSession();

        for (Observation.Held was : held) {
            assertThat(b.read(was.key())).isInstanceOf(Observation.Vacant.class);
            assertThat(a.update(was, was.record().withTerm(was.term()), Intent.PROCLAIM))
                    .isInstanceOf(WriteOutcome.Refused.class);
            takeOver(b, was.key());
        }
        assertThat(b.readHeld(bystander.key()).basis()).isEqualTo(bystander.basis());
    }

    /** A session that is over stays over, however often it is ended. */
    @Test
    protected void anEndedSessionStaysEnded() {
        onlyIfSessions();
        Contender a = contender();
        RecordKey key = key("ended");
        Observation.Held held = a.acquire(key);
        a.release(held);
        Observation vacant = a.read(key);

        a.endSession();
        a.endSession();

        assertThat(a.renew(held)).isFalse();
        assertThat(a.acquire(key, vacant, a.proposal("dead"))).isInstanceOf(WriteOutcome.Refused.class);
        assertThat(a.renew(held)).isFalse();
        assertThat(contender().read(key)).isInstanceOf(Observation.Vacant.class);
    }

    /** A vanished holder loses all its elections at once: its session expires, or ends with the first take-over. */
    @Test
    protected void aVanishedSessionLosesAllItsElections() {
        onlyIfSessions();
        Contender b = contender();
        Contender a = contender(shortestLease());
        List<RecordKey> keys = keys();
        for (RecordKey key : keys) {
            assertThat(a.renew(a.acquire(key))).isTrue();
        }

        Observation.Held taken = takeOver(b, keys.get(0));

        assertThat(a.renew(taken)).as("renewal of the lost session").isFalse();
        for (RecordKey key : keys.subList(1, ELECTIONS)) {
            assertThat(b.read(key)).as("state of %s", key).isInstanceOf(Observation.Vacant.class);
        }
    }

    /** Renewing the session keeps all its elections and changes no basis: held records can be written all along. */
    @Test
    protected void aSessionRenewalMovesNoBasis() {
        onlyIfSessions();
        Contender a = contender();
        List<Observation.Held> held = acquireMany(a);

        for (int i = 0; i < 3; i++) {
            assertThat(a.renew(held.get(0))).isTrue();
        }

        for (Observation.Held was : held) {
            assertThat(a.readHeld(was.key()).basis()).isEqualTo(was.basis());
            assertThat(a.release(was)).isInstanceOf(WriteOutcome.Written.class);
        }
    }

    /** A store with a lease per record refuses to open a session, and says so. */
    @Test
    protected void aStoreWithoutSessionsOpensNone() {
        onlyIf(traits().leaseScope() == LeaseScope.RECORD, "this store has sessions");
        Contender a = contender();

        Contender.Outcome<?> outcome = a.outcome("openSession", () -> a.store().openSession(shortestLease(), a.call()));

        assertThat(outcome.failure()).isInstanceOf(UnsupportedOperationException.class);
    }

    private void onlyIfSessions() {
        onlyIf(traits().leaseScope() == LeaseScope.SESSION, "a lease per record, no sessions");
    }

    private List<RecordKey> keys() {
        String run = unique("many");
        return IntStream.range(0, ELECTIONS)
                .mapToObj(i -> RecordKey.election(run + "-" + i))
                .toList();
    }

    private List<Observation.Held> acquireMany(Contender holder) {
        return keys().stream().map(holder::acquire).toList();
    }
}
