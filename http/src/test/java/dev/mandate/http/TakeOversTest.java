package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionChange;
import dev.mandate.FencingToken;
import dev.mandate.Leader;
import dev.mandate.Order;
import dev.mandate.TermEnd;
import dev.mandate.internal.SeenLeader;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TakeOversTest {
    private final TakeOvers takeOvers = new TakeOvers();

    static Leader leader(String candidate, long token) {
        return new SeenLeader(
                "e",
                candidate,
                "v",
                new FencingToken("e", token),
                Instant.EPOCH,
                Duration.ofSeconds(3),
                false,
                false,
                Order.RACE,
                true);
    }

    private static ElectionChange change(Leader before, Leader after, TermEnd end) {
        return new ElectionChange("e", before, after, end);
    }

    private static TermEnd end(Leader former, TermEnd.Cause cause, long vacantMillis) {
        return new TermEnd(former, cause, Duration.ofMillis(vacantMillis));
    }

    @Test
    void whoLedWhenTheLookBeganTookNothingOver() {
        assertThat(takeOvers.told(List.of(change(null, leader("a", 1), null)), 1_000))
                .isEmpty();
        assertThat(takeOvers.all()).isEmpty();
    }

    @Test
    void aTakeOverAfterAVacancySaysWhoLedForHowLongNobodyDidAndWhy() {
        Leader a = leader("a", 1);
        Leader b = leader("b", 2);
        takeOvers.told(List.of(change(null, a, null)), 1_000);

        assertThat(takeOvers.told(List.of(change(a, null, end(a, TermEnd.Cause.EXPIRED, 0))), 5_000))
                .isEmpty();
        List<TakeOver> seen = takeOvers.told(List.of(change(null, b, end(a, TermEnd.Cause.EXPIRED, 700))), 5_700);

        assertThat(seen).hasSize(1).isEqualTo(takeOvers.all());
        assertThat(JsonTree.object(new String(Json.object(seen.get(0)::write))))
                .containsEntry("election", "e")
                .containsEntry("at", 5_700L)
                .containsEntry("from", Map.of("candidate", "a", "token", 1L))
                .containsEntry("to", Map.of("candidate", "b", "token", 2L))
                .containsEntry("vacantFrom", 5_000L)
                .containsEntry("gapMillis", 700L)
                .containsEntry("reason", "expired");
    }

    @Test
    void aTakeOverWithoutAVacancyHasNoGap() {
        Leader a = leader("a", 1);
        takeOvers.told(List.of(), 0);

        TakeOver seen = takeOvers
                .told(List.of(change(a, leader("b", 2), end(a, TermEnd.Cause.ASKED, 0))), 9)
                .get(0);

        assertThat(JsonTree.object(new String(Json.object(seen::write))))
                .containsEntry("vacantFrom", null)
                .containsEntry("gapMillis", 0L)
                .containsEntry("reason", "asked");
    }

    @Test
    void theFirstLeaderOfAnElectionFollowsNobody() {
        takeOvers.told(List.of(), 0);

        TakeOver seen =
                takeOvers.told(List.of(change(null, leader("a", 1), null)), 9).get(0);

        assertThat(JsonTree.object(new String(Json.object(seen::write))))
                .containsEntry("from", null)
                .containsEntry("reason", "unknown");
    }

    @Test
    void theSameTermIsNoTakeOverHoweverItChanges() {
        takeOvers.told(List.of(), 0);

        assertThat(takeOvers.told(List.of(change(leader("a", 1), leader("a", 1), null)), 9))
                .isEmpty();
        assertThat(takeOvers.told(List.of(change(leader("a", 1), leader("a", 2), null)), 9))
                .hasSize(1);
    }

    @Test
    void theLastHundredAreRemembered() {
        takeOvers.told(List.of(), 0);
        for (int i = 1; i <= 250; i++) {
            takeOvers.told(List.of(change(leader("a", i), leader("b", i + 1), null)), i);
        }

        assertThat(takeOvers.all()).hasSize(100);
        assertThat(takeOvers.all().get(0).number()).isEqualTo(151);
        assertThat(takeOvers.all().get(99).atMillis()).isEqualTo(250);
    }
}
