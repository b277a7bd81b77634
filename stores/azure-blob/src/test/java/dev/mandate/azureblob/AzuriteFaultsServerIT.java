package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.Eviction;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.StoreSetupException;
import dev.mandate.azureblob.HttpFaults.Effect;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.Crowd;
import dev.mandate.testkit.FaultStorm;
import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real candidates, while operators break, delete and overwrite, and while the service is busy, silent or frozen. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteFaultsServerIT {
    private static final String LEASE = "?lease=15s";

    /** The longest: a service on a busy machine has four seconds to answer, and whoever waits for a lease shows. */
    private static final String LONG_LEASE = "?lease=60s";

    /** The next renewal shows it; where nothing is answered, the term is over before the lease is. */
    private static final Duration A_LEASE = Duration.ofSeconds(15);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    private static int port() {
        return AZURITE.server().port("blob");
    }

    private static Crowd crowd(int port) {
        // The one server is busy with all the other tests: nobody waits for its first answer before standing.
        String url = Azurite.url(port) + LEASE + "&connectTimeout=0s";
        return new Crowd(url, url, url);
    }

    private static String lease(Client client, String election) {
        return Records.lease(client.readHeld(RecordKey.election(election)).record());
    }

    @Test
    void aLeaseBrokenByAnOperatorEndsTheTermAndTheNextOneIsLarger() {
        try (Crowd crowd = crowd(port()).allowOverlap();
                Operator operator = new Operator(port())) {
            Leadership first = crowd.awaitLeader();

            operator.breakLease(crowd.election());

            crowd.awaitLoss(first, A_LEASE);
            crowd.awaitNext(first);
        }
    }

    /** What the tools do by default: the lease stays for the rest of its time, but can't be renewed. */
    @Test
    void aLeaseBrokenWithoutAPeriodEndsTheTermWithoutOverlap() {
        // The watch does not help: it looks once a minute.
        String url = Azurite.url(port()) + LEASE + "&connectTimeout=0s&watch=1m";
        try (Crowd crowd = new Crowd(url, url);
                Client reader = new Client(Azurite.url(port()));
                Operator operator = new Operator(port())) {
            Leadership first = crowd.awaitLeader();
            RecordKey key = RecordKey.election(crowd.election());
            Id attempt = reader.readHeld(key).record().attempt();

            operator.breakLeaseWithoutAPeriod(crowd.election());

            Observation.Held seen = reader.readHeld(key);
            assertThat(seen.isAttempt(attempt)).as("held until it is over").isTrue();
            assertThat(seen.record().leave()).isTrue();
            crowd.awaitLoss(first, A_LEASE);
            assertThat(first.ended().toCompletableFuture().join()).isEqualTo(EndReason.EVICTED);
            crowd.awaitNext(first);
        }
    }

    @Test
    void aBlobDeletedByAnOperatorEndsTheTermAndTheNextOneIsLarger() {
        try (Crowd crowd = crowd(port()).allowOverlap();
                Client reader = new Client(Azurite.url(port()));
                Operator operator = new Operator(port())) {
            Leadership first = crowd.awaitLeader();

            // Broken first, somebody else might have taken it before it is deleted.
            operator.delete(crowd.election(), lease(reader, crowd.election()));

            crowd.awaitLoss(first, A_LEASE);
            crowd.awaitNext(first);
        }
    }

    /** What is there then is a stranger's, until the lease is over that nobody renews any more. */
    @Test
    void aBlobOverwrittenUnderItsLeaseEndsTheTermAndTheNextOneIsLarger() {
        try (Crowd crowd = crowd(port());
                Client reader = new Client(Azurite.url(port()));
                Operator operator = new Operator(port())) {
            Leadership first = crowd.awaitLeader();

            operator.overwrite(crowd.election(), lease(reader, crowd.election()));

            crowd.awaitLoss(first, A_LEASE);
            crowd.awaitNext(first);
        }
    }

    /**
     * Candidates that make the same blob at one time take each other for candidates, not for strangers to be waited
     * for.
     */
    @Test
    void nobodyWaitsForALeaseBeforeTheFirstTermOfAnElection() {
        String url = Azurite.url(port()) + LONG_LEASE + "&connectTimeout=0s";
        for (int i = 0; i < 8; i++) {
            try (Crowd crowd = new Crowd(url, url, url)) {
                long began = System.nanoTime();
                crowd.awaitLeader();
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(60));
            }
        }
    }

    @Test
    void aContainerDeletedByAnOperatorEndsTheTermAndTheNextOneIsLarger() {
        String container = Client.key("c").name();
        String url = Azurite.url(port(), container) + LEASE;
        try (Crowd crowd = new Crowd(url, url).allowOverlap();
                Operator operator = new Operator(port(), container)) {
            Leadership first = crowd.awaitLeader();

            operator.deleteContainer();

            crowd.awaitLoss(first, A_LEASE);
            crowd.awaitNext(first);
        }
    }

    /** An instance of another program leases a blob that has had a term of ours. */
    @Test
    void aStrangersLeaseAfterATermIsShownAsSuchAndSettledFor() throws Exception {
        String url = Azurite.url(port()) + LEASE + "&connectTimeout=0s&settleTime=20s";
        try (ElectionClient client = ElectionClient.connect(url);
                Operator stranger = new Operator(port())) {
            Election election = client.election(Client.key("strangers").name());
            election.campaign("before").close();
            String lease = stranger.lease(election.name(), 60);

            try (ElectionClient newcomer = ElectionClient.connect(url)) {
                LeaderView known = Await.value(
                        "an answer",
                        PATIENCE,
                        () -> Optional.of(newcomer.election(election.name()).view())
                                .filter(view -> !(view instanceof LeaderView.Unknown)));
                assertThat(isLedByAStranger(known)).isTrue();
            }
            try (Observing observing = election.observe(view -> {});
                    Candidacy candidacy = election.runWhileLeader("after", term -> {})) {
                Await.until("the stranger to be seen", PATIENCE, () -> isLedByAStranger(observing.view()));

                stranger.release(election.name(), lease);

                Await.until(
                        "it to settle", PATIENCE, () -> candidacy.status().state() == CandidacyStatus.State.SETTLING);
            }
        }
    }

    /** Its lease is over as soon as that of a leader that died; nobody waits for another one. */
    @Test
    void aCandidateThatDiedBeforeItWroteItsRecordIsNotSettledFor() throws Exception {
        try (ElectionClient client = ElectionClient.connect(Azurite.url(port()) + LEASE + "&connectTimeout=0s");
                Operator dead = new Operator(port())) {
            Election election = client.election(Client.key("died").name());
            election.campaign("before").close();
            dead.lease(election.name(), 15);

            try (Candidacy candidacy = election.runWhileLeader(
                    "after", term -> term.ended().toCompletableFuture().join())) {
                Await.until(
                        "a record of its own",
                        PATIENCE,
                        () -> Set.of(CandidacyStatus.State.SETTLING, CandidacyStatus.State.LEADING)
                                .contains(candidacy.status().state()));
                assertThat(candidacy.status().state()).isEqualTo(CandidacyStatus.State.LEADING);
            }
        }
    }

    private static boolean isLedByAStranger(LeaderView view) {
        return view.leader().filter(Leader::foreign).isPresent();
    }

    @Test
    void aStrangersLeaseIsBrokenByForce() throws Exception {
        String url = Azurite.url(port()) + LONG_LEASE + "&connectTimeout=0s";
        try (ElectionClient client = ElectionClient.connect(url);
                ElectionClient command = ElectionClient.connect(url);
                Operator stranger = new Operator(port())) {
            Election election = client.election(Client.key("strangers").name());
            election.campaign("before").close();
            stranger.lease(election.name(), 60);

            Eviction eviction = command.election(election.name()).evictByForce();

            assertThat(eviction.outcome()).isEqualTo(Eviction.Outcome.FREED);
            assertThat(eviction.leader().orElseThrow().foreign()).isTrue();
            election.campaign("after").close();
        }
    }

    @Test
    void aServiceThatIsBusyForAMomentCostsNoTerm() throws Exception {
        try (HttpFaults faults = HttpFaults.before(port());
                Crowd crowd = crowd(faults.port())) {
            Leadership first = crowd.awaitLeader();

            faults.refuse("", 503, Map.of("Retry-After", "1", "x-ms-error-code", "ServerBusy"));
            Await.passing(Duration.ofSeconds(3));
            faults.heal();
            Await.passing(A_LEASE);

            assertThat(first.isValid()).isTrue();
        }
    }

    /** What the account's policies do to a blob; the emulator has none, so this stands in front of it. */
    @ParameterizedTest
    @CsvSource({
        "BlobArchived, archive tier",
        "BlobImmutableDueToPolicy, immutability policy",
        "BlobImmutableDueToLegalHold, immutability policy"
    })
    void aPolicyThatForbidsToWriteIsNamedAndNobodyLeads(String code, String words) throws Exception {
        try (HttpFaults faults = HttpFaults.before(port());
                Client client = new Client(Azurite.url(faults.port()));
                Client reader = new Client(Azurite.url(port()))) {
            RecordKey key = RecordKey.election("policy-" + code);
            faults.refuse("PUT metadata", 409, Map.of("x-ms-error-code", code));

            assertThatThrownBy(() -> client.lead(key))
                    .isInstanceOf(StoreSetupException.class)
                    .hasMessageContaining(words)
                    .hasMessageContaining(code);

            // The lease that was taken for the record is given back, long before it ends by itself.
            Await.until("the next one to lead", A_LEASE.minusSeconds(5), () -> {
                Observation now = reader.read(key);
                LeaderRecord proposal = Client.proposal("next", A_LEASE);
                return reader.acquire(key, now, proposal, Client.ANSWER) instanceof WriteOutcome.Written;
            });
        }
    }

    @Test
    void aServiceThatIsBusyForLongEndsTheTermAndSomebodyLeadsAfterwards() throws Exception {
        try (HttpFaults faults = HttpFaults.before(port());
                Crowd crowd = crowd(faults.port())) {
            Leadership first = crowd.awaitLeader();

            faults.refuse("", 429, Map.of("Retry-After", "3"));
            crowd.awaitLoss(first, A_LEASE);
            assertThat(crowd.leader()).isEmpty();
            faults.heal();

            crowd.awaitNext(first);
        }
    }

    /**
     * The leader is cut off for longer than its lease, and then what it had under way arrives after all: its old lease
     * is renewed, and its record stands there as if nothing had happened. It must not lead by that; it leads again
     * under a lease with another id.
     */
    @Test
    void anExpiredLeaseRenewedByItsOldHolderMakesNobodyLead() throws Exception {
        try (HttpFaults faults = HttpFaults.before(port());
                Crowd crowd = new Crowd(Azurite.url(faults.port()) + LEASE);
                Client reader = new Client(Azurite.url(port()));
                Operator operator = new Operator(port())) {
            Leadership first = crowd.awaitLeader();
            RecordKey key = RecordKey.election(crowd.election());
            String lease = lease(reader, crowd.election());

            faults.befall("", Effect.LOSE_REQUEST, Integer.MAX_VALUE);
            crowd.awaitLoss(first, A_LEASE);
            Await.until("the lease to be over", PATIENCE, () -> reader.read(key) instanceof Observation.Vacant);
            operator.renew(crowd.election(), lease);
            assertThat(reader.readHeld(key).term())
                    .isEqualTo(first.fencingToken().value());
            faults.heal();

            Leadership next = crowd.awaitNext(first);
            assertThat(first.isValid()).isFalse();
            assertThat(next.fencingToken().value())
                    .isGreaterThan(first.fencingToken().value());
            assertThat(lease(reader, crowd.election())).isNotEqualTo(lease);
        }
    }

    @Test
    void aFrozenServerEndsATermAtItsDeadlineAndSomebodyLeadsAfterwards() {
        try (ServerProcess server = Azurite.settings(ServerProcess.of(ServerBinary.named(Azurite.NAME)))
                        .start();
                Crowd crowd = crowd(server.port("blob"))) {
            Leadership first = crowd.awaitLeader();

            server.freeze();
            crowd.awaitLoss(first, A_LEASE);
            Await.passing(A_LEASE);
            assertThat(crowd.leader()).isEmpty();
            server.thaw();

            crowd.awaitNext(first);
        }
    }

    @Test
    void twoNeverBelieveWhileNetworksFailAndOneLeadsAfterwards() throws Exception {
        FaultStorm.Outcome outcome = FaultStorm.around(
                        "127.0.0.1",
                        port(),
                        through ->
                                ElectionClient.connect(Azurite.url(through) + LEASE + "&coolDown=1s&connectTimeout=0s"))
                .resigningWithin(Duration.ofSeconds(8))
                .rage(Client.key("storm").name(), Duration.ofSeconds(60), Duration.ofMinutes(2));

        System.out.println("fault storm on Azurite: " + outcome);
        assertThat(outcome.terms()).as("terms; with one, nothing was tried").isGreaterThan(1);
    }
}
