package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.Lineup.Actor;
import dev.mandate.internal.memory.ModelOptions.Token;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Order of arrival: the candidate that has waited longest tries first, on every kind of store. */
class ArrivalTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(200);
    private static final Duration SOON = Duration.ofMillis(10);

    static Stream<Arguments> stores() {
        List<Arguments> all = new ArrayList<>();
        for (StoreKind kind : StoreKind.values()) {
            for (Token token : Token.values()) {
                all.add(Arguments.of(kind, token));
            }
        }
        return all.stream();
    }

    /** Candidates that came one after the other; the first one leads. */
    private static Lineup of(StoreKind kind, Token token, int candidates) {
        Lineup lineup = new Lineup(kind, token);
        for (int i = 0; i < candidates; i++) {
            lineup.queues().campaigns();
            lineup.pass(SECOND);
        }
        lineup.pass(SECOND.multipliedBy(5));
        return lineup;
    }

    private static Actor candidate(Lineup lineup, int index) {
        return lineup.actors.get(index - 1);
    }

    // ---- who leads ----

    @ParameterizedTest
    @MethodSource("stores")
    void theOldestThatWaitsLeadsNext(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 5);
        assertThat(lineup.queue()).containsExactly("c2", "c3", "c4", "c5");

        for (int next : new int[] {2, 3, 4, 5, 1, 2, 3}) {
            lineup.leader().resigns();
            assertThat(lineup.untilLed()).isLessThan(SOON);
            assertThat(lineup.leader().index).isEqualTo(next);
            lineup.pass(SECOND.multipliedBy(2));
        }
    }

    /** "Winning gives the place up; standing again takes the last." */
    @ParameterizedTest
    @MethodSource("stores")
    void winningGivesThePlaceUpAndStandingAgainTakesTheLast(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 3);
        Actor first = lineup.leader();
        assertThat(first.index).isOne();
        assertThat(lineup.isHeld(first.place())).isFalse();
        assertThat(first.follows()).isFalse();

        first.resigns();
        lineup.pass(SECOND);

        assertThat(lineup.leader().index).isEqualTo(2);
        assertThat(lineup.queue()).containsExactly("c3", "c1");
        assertThat(first.follows()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void whoeverDiesLeadsNoMore(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 4);
        candidate(lineup, 2).dies();
        lineup.pass(Lineup.L.multipliedBy(2));

        lineup.leader().resigns();

        // Nobody waits for the dead.
        assertThat(lineup.untilLed()).isLessThan(SOON);
        assertThat(lineup.leader().index).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void theOldestTakesOverFromALeaderThatDied(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 4);

        lineup.leader().dies();
        lineup.pass(SECOND);

        assertThat(lineup.untilLed()).isLessThan(Lineup.L.multipliedBy(2));
        assertThat(lineup.leader().index).isEqualTo(2);
    }

    /** Each step in front of it that comes to nothing costs one step, and no more. */
    @ParameterizedTest
    @MethodSource("stores")
    void whoeverDoesNotTryInItsTurnCostsAStep(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 5);
        candidate(lineup, 2).dies();
        candidate(lineup, 3).dies();

        lineup.leader().resigns();

        assertThat(lineup.untilLed())
                .isBetween(STEP.multipliedBy(2), STEP.multipliedBy(2).plus(SOON));
        assertThat(lineup.leader().index).isEqualTo(4);
    }

    // ---- losing a place ----

    /** "Re-registration after a lost session must not keep its place" */
    @ParameterizedTest
    @MethodSource("stores")
    void whoeverLosesItsPlaceTakesTheLast(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 4);

        lineup.endLease(candidate(lineup, 2).place());
        lineup.pass(Lineup.L);

        assertThat(lineup.queue()).containsExactly("c3", "c4", "c2");
        lineup.leader().resigns();
        lineup.pass(SECOND);
        assertThat(lineup.leader().index).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void aPlaceThatIsDeletedByHandIsTakenAgainAtTheEnd(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 4);

        lineup.delete(candidate(lineup, 2).place());
        lineup.pass(Lineup.L);

        assertThat(lineup.queue()).containsExactly("c3", "c4", "c2");
    }

    /** Hints may be lost, and a number too low would put it in front of those that came meanwhile. */
    @ParameterizedTest
    @MethodSource("stores")
    void whoeverLosesItsPlaceTakesTheLastThoughItHeardOfNobody(StoreKind kind, Token token) {
        Lineup lineup = new Lineup(kind, token);
        lineup.isDeaf = true;
        for (int i = 0; i < 4; i++) {
            lineup.queues().campaigns();
            lineup.pass(SECOND);
        }
        assertThat(lineup.queue()).containsExactly("c2", "c3", "c4");

        lineup.endLease(candidate(lineup, 2).place());
        lineup.pass(Lineup.L);

        assertThat(lineup.queue()).containsExactly("c3", "c4", "c2");
    }

    @ParameterizedTest
    @MethodSource("stores")
    void whoeverWithdrawsOrClosesLeavesNoPlace(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 4);

        candidate(lineup, 2).withdraws();
        candidate(lineup, 3).closes();
        lineup.pass(SECOND);

        assertThat(lineup.queue()).containsExactly("c4");
        assertThat(candidate(lineup, 2).follows()).isFalse();
        assertThat(candidate(lineup, 3).follows()).isFalse();
        assertThat(candidate(lineup, 3).machine.isClosed()).isTrue();
    }

    /** "release + erase": nothing is left of a place, where anything could be. */
    @ParameterizedTest
    @MethodSource("stores")
    void whatAPlaceLeavesIsErased(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 4);
        candidate(lineup, 3).withdraws();
        candidate(lineup, 4).closes();
        lineup.pass(SECOND);

        int kept = kind == StoreKind.REMOVES_SESSION ? 3 : 0;
        assertThat(lineup.placesLeft()).isEqualTo(1 + kept);
    }

    /** Found on Consul: an answer that took longer than its time-out left the key there for good. */
    @ParameterizedTest
    @MethodSource("stores")
    void whatAPlaceLeavesIsErasedThoughAnswersAreLost(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 4);
        lineup.answersToLose.put(ElectionAction.Release.class, 1);
        candidate(lineup, 3).withdraws();
        lineup.pass(SECOND.multipliedBy(3));
        lineup.answersToLose.put(ElectionAction.Release.class, 1);
        lineup.requestsToLose.put(ElectionAction.Erase.class, 2);
        candidate(lineup, 4).closes();
        lineup.pass(SECOND.multipliedBy(5));

        int kept = kind == StoreKind.REMOVES_SESSION ? 3 : 0;
        assertThat(lineup.placesLeft()).isEqualTo(1 + kept);
        assertThat(candidate(lineup, 4).machine.isClosed()).isTrue();
    }

    /** Whoever withdraws in an outage does not try for ever. */
    @ParameterizedTest
    @MethodSource("stores")
    void anEraseIsTriedThreeTimes(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 2);
        lineup.asked.clear();
        lineup.requestsToLose.put(ElectionAction.Erase.class, 100);
        candidate(lineup, 2).withdraws();
        lineup.pass(SECOND.multipliedBy(20));

        int tries = kind == StoreKind.REMOVES_SESSION ? 0 : 3;
        assertThat(lineup.asked.stream().filter("c2 Erase"::equals)).hasSize(tries);
    }

    // ---- an order that does not work ----

    /** "Unknown place = 8" */
    @ParameterizedTest
    @MethodSource("stores")
    void whoeverDoesNotKnowItsPlaceTriesLast(StoreKind kind, Token token) {
        Lineup lineup = new Lineup(kind, token);
        lineup.isForbidden = true;
        lineup.queues().campaigns();

        assertThat(lineup.untilLed())
                .isBetween(STEP.multipliedBy(8), STEP.multipliedBy(8).plus(SOON));
        lineup.queues().campaigns();
        lineup.queues().campaigns();
        lineup.pass(SECOND);
        lineup.leader().resigns();
        assertThat(lineup.untilLed())
                .isBetween(STEP.multipliedBy(8), STEP.multipliedBy(8).plus(SOON));
    }

    /** A queue in which much happens puts nobody's turn off. */
    @ParameterizedTest
    @MethodSource("stores")
    void whateverHappensInTheQueueTheWaitGoesOn(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 4);
        candidate(lineup, 2).dies();
        Actor leader = lineup.leader();
        leader.resigns();
        for (int i = 0; i < 19; i++) {
            lineup.pass(SOON);
            lineup.queues().campaigns();
        }

        assertThat(lineup.leaders()).isEmpty();
        assertThat(lineup.untilLed()).isLessThan(SOON.multipliedBy(2));
        assertThat(lineup.leader().index).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void aQueueThatNobodyHintsAtIsListed(StoreKind kind, Token token) {
        Lineup lineup = new Lineup(kind, token);
        lineup.isDeaf = true;
        for (int i = 0; i < 4; i++) {
            lineup.queues().campaigns();
            lineup.pass(SECOND);
        }
        // Hints that were relied on are found to be missing by a record check interval.
        lineup.pass(Duration.ofSeconds(70));

        lineup.leader().resigns();
        lineup.pass(SECOND.multipliedBy(4));

        assertThat(lineup.leader().index).isEqualTo(2);
    }

    /** Two candidates of one election with different orders. */
    @ParameterizedTest
    @MethodSource("stores")
    void whoeverRacesComesBeforeThoseThatQueue(StoreKind kind, Token token) {
        Lineup lineup = of(kind, token, 3);
        Actor racer = lineup.races().campaigns();
        lineup.pass(SECOND.multipliedBy(3));
        candidate(lineup, 2).dies();

        lineup.leader().resigns();
        lineup.pass(SECOND);

        assertThat(lineup.leader()).isSameAs(racer);
        assertThat(lineup.queue()).contains("c3", "c1");
    }

    // ---- what it costs ----

    /** "Only candidates that wait follow the queue; a leader or an observer does not." */
    @Test
    void onlyThoseThatWaitFollowTheQueue() {
        Lineup lineup = of(StoreKind.REMOVES_SESSION, Token.REVISION, 2);
        Actor observer = lineup.queues();
        observer.observes();
        lineup.pass(SECOND);

        assertThat(observer.follows()).isFalse();
        assertThat(lineup.leader().follows()).isFalse();
        assertThat(candidate(lineup, 2).follows()).isTrue();
    }

    /**
     * "200 candidates [...] hand-over [...] ≤ 6 requests": one that waits asks, nobody lists, and nobody else reads.
     */
    @Test
    void aHandOverAmongTwoHundredCostsSixRequests() {
        Lineup resigning = twoHundred();
        Lineup calm = twoHundred();
        List<Integer> leaders = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            resigning.leader().resigns();
            resigning.pass(SOON.multipliedBy(2));
            // Polls and renewals cost the same whoever leads.
            calm.pass(SOON.multipliedBy(2));
            leaders.add(resigning.leader().index);
        }

        assertThat(leaders).containsExactly(2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        assertThat(resigning.asked.size() - calm.asked.size()).isLessThanOrEqualTo(6 * leaders.size());
        // Whoever led lists as it comes back to the end of the queue; nobody else does.
        assertThat(resigning.asked)
                .filteredOn(each -> each.endsWith("ListPage"))
                .hasSizeLessThanOrEqualTo(10);
    }

    private static Lineup twoHundred() {
        Lineup lineup = new Lineup(StoreKind.REMOVES_SESSION, Token.REVISION);
        for (int i = 0; i < 200; i++) {
            lineup.queues().campaigns();
            lineup.pass(SOON);
        }
        lineup.pass(SECOND.multipliedBy(5));
        lineup.asked.clear();
        return lineup;
    }
}
