package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.mandate.CallOutcome;
import dev.mandate.CallStatistics;
import dev.mandate.ClientStatistics;
import dev.mandate.ElectionStatistics;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Hint;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a client counts, and what it does not. */
class StatisticsTest {
    private final World world = World.withSessions();
    private final Client client = world.client("a");

    private CallStatistics calls(Verb verb) {
        return client.statistics().calls().get(verb);
    }

    private static long ended(CallStatistics calls) {
        return Stream.of(CallOutcome.values()).mapToLong(calls::count).sum();
    }

    private static Map<EndReason, Long> occurred(ClientStatistics statistics) {
        Map<EndReason, Long> occurred = new HashMap<>(statistics.termsEnded());
        occurred.values().removeIf(count -> count == 0);
        return occurred;
    }

    private ElectionStatistics only() {
        assertThat(client.statistics().elections()).hasSize(1);
        return client.statistics().elections().get(0);
    }

    @Test
    void aNewClientHasCountedNothing() {
        ClientStatistics none = client.statistics();

        assertThat(none.calls().keySet()).doesNotContain(Verb.WATCH).hasSize(Verb.values().length - 1);
        assertThat(none.calls().values()).allSatisfy(calls -> {
            assertThat(calls.sent()).isZero();
            assertThat(ended(calls)).isZero();
        });
        assertThat(none.termsEnded().keySet()).containsExactly(EndReason.values());
        assertThat(occurred(none)).isEmpty();
        assertThat(none.elections()).isEmpty();
        assertThat(none.oldestRenewalAge()).isEmpty();
    }

    @Test
    void everyCallThatReachesTheStoreIsCountedByItsVerb() {
        Leadership won = world.win(client.election("e"));
        client.election("watched").observe(view -> {});
        client.leaders("", 10);
        world.pass(Duration.ofMinutes(5));
        won.close();
        world.pass(Duration.ofSeconds(1));

        Map<String, Integer> reached = world.store.requests;
        Map<Verb, CallStatistics> calls = client.statistics().calls();

        assertThat(calls.get(Verb.READ).sent()).isEqualTo((long) reached.get("read"));
        assertThat(calls.get(Verb.LIST).sent()).isEqualTo((long) reached.get("list"));
        assertThat(calls.get(Verb.ACQUIRE).sent()).isEqualTo((long) reached.get("acquire"));
        assertThat(calls.get(Verb.RELEASE).sent()).isEqualTo((long) reached.get("release"));
        assertThat(calls.get(Verb.SESSION).sent()).isEqualTo((long) reached.get("open") + reached.get("renew"));
        assertThat(calls.values()).allSatisfy(each -> assertThat(each.sent()).isEqualTo(ended(each)));
        assertThat(calls.get(Verb.ACQUIRE).count(CallOutcome.WRITTEN)).isEqualTo(1);
        assertThat(calls.get(Verb.READ).count(CallOutcome.ANSWERED))
                .isEqualTo(calls.get(Verb.READ).sent())
                .isGreaterThan(2);
    }

    @Test
    void theTimeOfACallCountsFromItsSendToItsAnswer() {
        world.store.latency = Duration.ofMillis(7);
        world.win(client.election("e"));
        world.pass(Duration.ofMinutes(1));

        CallStatistics session = calls(Verb.SESSION);

        assertThat(session.count(CallOutcome.ANSWERED)).isGreaterThan(15);
        assertThat(session.time(CallOutcome.ANSWERED))
                .isEqualTo(Duration.ofMillis(7).multipliedBy(session.count(CallOutcome.ANSWERED)));
        assertThat(session.time(CallOutcome.UNKNOWN)).isZero();
    }

    @Test
    void aCallThatFailsIsUnknownUnlessTheStoreSaysThatItNeverWorks() {
        world.win(world.client("b", world.store.another()).election("e"));
        client.election("e").campaignAsync("v");
        world.pass(Duration.ofSeconds(5));
        assertThat(calls(Verb.READ).count(CallOutcome.ANSWERED))
                .isEqualTo(calls(Verb.READ).sent());

        world.store.failure = new IllegalStateException("the connection was reset");
        world.pass(Duration.ofSeconds(5));
        long unknown = calls(Verb.READ).count(CallOutcome.UNKNOWN);
        assertThat(unknown).isPositive();
        assertThat(calls(Verb.READ).count(CallOutcome.FAULTED)).isZero();

        world.store.failure = new StoreSetupException("grant SELECT on the table");
        world.pass(Duration.ofSeconds(30));
        assertThat(calls(Verb.READ).count(CallOutcome.FAULTED)).isPositive();
        assertThat(calls(Verb.READ).count(CallOutcome.UNKNOWN)).isEqualTo(unknown);
    }

    @Test
    void aRefusalIsCountedAsOne() {
        Counters counters = new Counters();
        counters.sent(Verb.ACQUIRE);
        counters.answered(Verb.ACQUIRE, WriteOutcome.refused(), 5);
        counters.sent(Verb.SESSION);
        counters.answered(Verb.SESSION, SessionRenewal.gone(), 3);

        Map<Verb, CallStatistics> calls = counters.snapshot(0, 0, List.of()).calls();

        assertThat(calls.get(Verb.ACQUIRE).count(CallOutcome.REFUSED)).isEqualTo(1);
        assertThat(calls.get(Verb.ACQUIRE).time(CallOutcome.REFUSED)).isEqualTo(Duration.ofNanos(5));
        assertThat(calls.get(Verb.SESSION).count(CallOutcome.REFUSED)).isEqualTo(1);
    }

    @Test
    void aCallThatIsNeverAnsweredIsOnlySent() {
        world.store.hangs = true;
        client.election("e").observe(view -> {});
        world.pass(Duration.ofSeconds(5));

        assertThat(calls(Verb.READ).sent()).isPositive();
        assertThat(ended(calls(Verb.READ))).isZero();
    }

    @Test
    void aTermBeginsOnceAndEndsOnceForOneReason() {
        Leadership first = world.win(client.election("e"));
        assertThat(client.statistics().termsBegun()).isEqualTo(1);
        assertThat(occurred(client.statistics())).isEmpty();

        first.resign();
        world.pass(Duration.ofSeconds(1));
        first.close();
        assertThat(occurred(client.statistics())).containsExactly(Map.entry(EndReason.RESIGNED, 1L));

        world.pass(Duration.ofSeconds(10));
        Leadership second = world.win(client.election("e"));
        world.store.delete("e");
        world.passUntil(() -> !second.isValid());
        second.close();

        assertThat(client.statistics().termsBegun()).isEqualTo(2);
        assertThat(occurred(client.statistics()))
                .containsExactlyInAnyOrderEntriesOf(Map.of(EndReason.RESIGNED, 1L, EndReason.VANISHED, 1L));
    }

    @Test
    void aRegistrationIsNoTerm() {
        client.registry().register("pay", ServiceInstance.at("10.0.0.7:8080"));
        world.pass(Duration.ofSeconds(5));

        assertThat(calls(Verb.ACQUIRE).count(CallOutcome.WRITTEN)).isEqualTo(1);
        assertThat(client.statistics().termsBegun()).isZero();
        assertThat(client.statistics().elections()).isEmpty();
    }

    @Test
    void anOverrunIsCountedOncePerTerm() {
        Leadership left = world.win(client.election("e"));
        world.store.delete("e");
        world.passUntil(() -> !left.isValid());
        world.pass(Duration.ofMillis(1_600));
        assertThat(client.statistics().overruns()).isZero();
        world.pass(Duration.ofMinutes(2));

        assertThat(client.statistics().overruns()).isEqualTo(1);
    }

    @Test
    void aSessionThatRunsOutIsLostAndTheNextOneIsOpened() {
        Leadership won = world.win(client.election("e"));
        assertThat(client.statistics().sessionsOpened()).isEqualTo(1);
        assertThat(client.statistics().sessionsLost()).isZero();

        world.store.hangs = true;
        world.pass(Duration.ofSeconds(30));
        assertThat(client.statistics().sessionsLost()).isEqualTo(1);
        assertThat(occurred(client.statistics())).containsExactly(Map.entry(EndReason.LEASE_RAN_OUT, 1L));
        won.close();

        world.store.hangs = false;
        world.win(client.election("e"));
        assertThat(client.statistics().sessionsOpened()).isEqualTo(2);
        assertThat(client.statistics().sessionsLost()).isEqualTo(1);
    }

    @Test
    void aSessionThatTheStoreEndsIsLost() {
        world.win(client.election("e"));
        world.store.endLease("e");
        world.pass(Duration.ofSeconds(5));

        assertThat(client.statistics().sessionsLost()).isEqualTo(1);
        assertThat(calls(Verb.SESSION).count(CallOutcome.REFUSED)).isEqualTo(1);
        assertThat(occurred(client.statistics())).containsExactly(Map.entry(EndReason.SESSION_ENDED, 1L));
    }

    @Test
    void aSessionThatItsClientEndsIsNotLost() {
        world.win(client.election("e"));
        client.close();
        world.pass(Duration.ofSeconds(5));

        assertThat(client.statistics().sessionsOpened()).isEqualTo(1);
        assertThat(client.statistics().sessionsLost()).isZero();
        assertThat(occurred(client.statistics())).containsExactly(Map.entry(EndReason.WITHDRAWN, 1L));
        assertThat(client.statistics().elections()).isEmpty();
    }

    @Test
    void gapsAndReopeningsOfAnyWatchAreCounted() {
        client.election("e").observe(view -> {});
        client.watchElections();
        world.pass(Duration.ofSeconds(1));
        assertThat(client.statistics().watchGaps()).isZero();

        world.store.hint(Hint.Gap.INSTANCE);
        world.pass(Duration.ofSeconds(1));
        assertThat(client.statistics().watchGaps()).isEqualTo(2);
        assertThat(client.statistics().watchReopenings()).isZero();

        world.store.hasNoWatch = true;
        world.store.hint(new Hint.Closed("the connection was reset"));
        world.pass(Duration.ofSeconds(10));
        assertThat(client.statistics().watchReopenings()).isZero();
        world.store.hasNoWatch = false;
        world.pass(Duration.ofSeconds(60));

        assertThat(client.statistics().watchReopenings()).isEqualTo(2);
        assertThat(client.statistics().watchGaps()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void whatThisClientCampaignsInIsListedByNameWithItsTerm() {
        Client rival = world.client("b", world.store.another());
        world.win(rival.election("b"));
        client.election("b").campaignAsync("v");
        client.election("observed").observe(view -> {});
        Leadership won = world.win(client.election("a"));

        assertThat(client.statistics().elections())
                .extracting(ElectionStatistics::election, ElectionStatistics::isLeader)
                .containsExactly(tuple("a", true), tuple("b", false));
        ElectionStatistics led = client.statistics().elections().get(0);
        ElectionStatistics followed = client.statistics().elections().get(1);
        assertThat(led.fencingToken()).contains(won.fencingToken());
        assertThat(led.renewalAge()).isPresent();
        assertThat(followed.fencingToken()).isEmpty();
        assertThat(followed.renewalAge()).isEmpty();
        assertThatThrownBy(() -> client.statistics().elections().clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @EnumSource(LeaseScope.class)
    void theAgeOfARenewalCountsFromItsSend(LeaseScope scope) {
        World own = new World(VirtualStore.traits(Expiry.STORE_REMOVES, scope));
        Client one = own.client("a");
        own.win(one.election("e"));
        own.pass(Duration.ofMinutes(1));
        assertThat(one.statistics().oldestRenewalAge().orElseThrow()).isLessThan(Duration.ofSeconds(4));

        own.store.hangs = true;
        Duration before = one.statistics().oldestRenewalAge().orElseThrow();
        own.pass(Duration.ofSeconds(4));
        Duration after = one.statistics().oldestRenewalAge().orElseThrow();

        // A renewal may have been confirmed on its way.
        assertThat(after).isBetween(Duration.ofSeconds(4).minusMillis(10), before.plusSeconds(4));
        own.pass(Duration.ofSeconds(10));
        assertThat(one.statistics().oldestRenewalAge()).isEmpty();
        assertThat(one.statistics().elections().get(0).isLeader()).isFalse();
    }

    @Test
    void theOldestRenewalIsTheOneWithTheGreatestAge() {
        World own = World.withRecords();
        Client one = own.client("a");
        own.win(one.election("early"));
        own.pass(Duration.ofMillis(1_500));
        own.win(one.election("late"));

        ClientStatistics now = one.statistics();

        assertThat(now.oldestRenewalAge()).isEqualTo(now.elections().get(0).renewalAge());
        assertThat(now.elections().get(1).renewalAge().orElseThrow())
                .isLessThan(now.elections().get(0).renewalAge().orElseThrow());
    }

    /** The loop may stand still: whether it leads is asked of the clock. */
    @Test
    void whetherItLeadsIsAskedOfTheClock() {
        world.win(client.election("e"));
        world.host.stall("mandate-loop");
        world.host.stall("mandate-watchdog");
        world.pass(Duration.ofSeconds(30));

        assertThat(only().isLeader()).isFalse();
    }

    @Test
    void aSnapshotDoesNotChange() {
        Leadership won = world.win(client.election("e"));
        ClientStatistics before = client.statistics();
        CallStatistics calls = before.calls().get(Verb.SESSION);
        long sent = calls.sent();

        world.pass(Duration.ofMinutes(1));
        won.close();

        assertThat(calls.sent()).isEqualTo(sent);
        assertThat(before.elections().get(0).isLeader()).isTrue();
        assertThat(occurred(before)).isEmpty();
    }
}
