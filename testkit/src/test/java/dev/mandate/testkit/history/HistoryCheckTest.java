package dev.mandate.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each check finds what it is for in histories that are wrong in that one way, and nothing in a good one. */
class HistoryCheckTest {
    /** A history in a few words, {@code TIME NODE#LIFE KIND [NUMBER [TEXT]]} each. */
    private static HistoryCheck history(String... lines) {
        List<Event> events = new ArrayList<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            String[] life = words[1].split("#");
            events.add(new Event(
                    Long.parseLong(words[0]),
                    life[0],
                    life.length > 1 ? Integer.parseInt(life[1]) : 0,
                    EventKind.valueOf(words[2]),
                    words.length > 3 ? Long.parseLong(words[3]) : 0,
                    words.length > 4 ? words[4] : ""));
        }
        return new HistoryCheck(events);
    }

    private static final String[] GOOD = {
        "0 a UP 50",
        "0 a FOLLOWS 40",
        "1 b UP 50",
        "2 a SEES_NOBODY",
        "3 a ENTERED 7",
        "4 a BEGAN 7",
        "5 a SEES_LEADER 7",
        "6 b SEES_LEADER 7",
        "9 a BELIEVED 7",
        "10 a FROZEN",
        "30 b SEES_NOBODY",
        "31 b ENTERED 9",
        "32 b BEGAN 9",
        "33 b SEES_LEADER 9",
        "40 a THAWED 30",
        "41 a LOST 7 LEASE_RAN_OUT",
        "42 a LEFT 7",
        "43 a SEES_LEADER 9",
        "50 b BELIEVED 9",
        "51 b LOST 9 RESIGNED",
        "52 b LEFT 9",
        "60 a KILLED",
        "70 trial HEALED",
        "75 a#1 UP 50",
        "80 a#1 SEES_NOBODY",
        "90 b ENTERED 11",
        "91 b BEGAN 11",
        "92 b SEES_LEADER 11",
        "93 a#1 SEES_LEADER 11",
        "100 trial SETTLED",
        "110 b BELIEVED 11",
        "111 b LOST 11 WITHDRAWN",
        "112 b LEFT 11",
        "113 b CLOSED"
    };

    @Test
    void aGoodHistoryHasNothingAgainstIt() {
        HistoryCheck good = history(GOOD);

        assertThat(good.all()).isEmpty();
        assertThat(good.terms()).isEqualTo(3);
    }

    @Test
    void anOverlapThatAnOperatorCausedIsAllowedForAsLongAsItMayLast() {
        String[] lines = {"1 a BEGAN 1", "5 op OVERRIDDEN 10", "8 b BEGAN 2", "14 a BELIEVED 1", "20 b BELIEVED 2"};
        assertThat(history(lines).beliefsExcludeEachOther()).isEmpty();
        lines[1] = "5 op OVERRIDDEN 8";
        assertThat(history(lines).beliefsExcludeEachOther()).hasSize(1);
    }

    /** Who saw the larger tokens of before still leads with larger ones only; newcomers may be given any. */
    @Test
    void tokensBeginAnewForWhoComesUpAfterTheDataIsLost() {
        String[] lines = {
            "0 a UP 5", "1 a BEGAN 7", "5 op EMPTIED 3", "6 b UP 5", "7 b BEGAN 2", "8 a BEGAN 9", "9 b BEGAN 10"
        };
        assertThat(history(lines).tokensRise()).isEmpty();
        lines[5] = "8 a BEGAN 6";
        assertThat(history(lines).tokensRise()).hasSize(1);
        lines[5] = "8 c BEGAN 1";
        assertThat(history(lines).tokensRise()).as("c was up before").hasSize(1);
        lines[2] = "5 op OVERRIDDEN 3";
        lines[5] = "8 a BEGAN 9";
        assertThat(history(lines).tokensRise()).hasSize(1);
    }

    @Test
    void lostDataExcusesAnOverlapForAsLongAsItMayLast() {
        String[] lines = {"1 a BEGAN 1", "5 op EMPTIED 10", "8 b BEGAN 2", "14 a BELIEVED 1", "20 b BELIEVED 2"};
        assertThat(history(lines).beliefsExcludeEachOther()).isEmpty();
        assertThat(history("1 a SEES_LEADER 9", "2 op EMPTIED 3", "3 a SEES_LEADER 9", "6 a SEES_LEADER 2")
                        .viewsNeverGoBack())
                .isEmpty();
        lines[1] = "5 op EMPTIED 8";
        assertThat(history(lines).beliefsExcludeEachOther()).hasSize(1);
    }

    @Test
    void whoSaysThatItKnowsNothingWithoutTheStoreIsRight() {
        assertThat(history("1 a SEES_LEADER 7", "2 a SEES_UNKNOWN", "3 op UNREACHABLE 5", "8 a SEES_LEADER 7")
                        .nothingIsClaimedWithoutTheStore())
                .isEmpty();
    }

    @Test
    void theRecoveryIsTheTimeFromHealingToTheNextBelief() {
        String[] lines = {"0 a UP 50", "1 a BEGAN 1", "5 a BELIEVED 1", "7 trial HEALED", "20 b BEGAN 2", "30 c BEGAN 3"
        };
        assertThat(history(lines).recovery()).contains(Duration.ofNanos(13));
        assertThat(history(lines).recoveryAtMost()).isEqualTo(Duration.ofNanos(50));
        lines[2] = "9 a BELIEVED 1";
        assertThat(history(lines).recovery()).contains(Duration.ZERO);
        assertThat(history("1 a BEGAN 1", "2 trial HEALED").recovery()).isEmpty();
        assertThat(history(GOOD).failoverAtMost()).isEqualTo(Duration.ofNanos(40));
    }

    private static Arguments bad(Function<HistoryCheck, List<String>> check, String... lines) {
        return Arguments.of(check, lines);
    }

    static Stream<Arguments> badHistories() {
        return Stream.of(
                bad(HistoryCheck::beliefsExcludeEachOther, "1 a BEGAN 1", "5 b BEGAN 2", "6 a BELIEVED 1"),
                bad(
                        HistoryCheck::beliefsExcludeEachOther,
                        "1 a BEGAN 1",
                        "2 b BEGAN 2",
                        "3 b BELIEVED 2",
                        "9 a BELIEVED 1"),
                bad(HistoryCheck::beliefsExcludeEachOther, "1 a BEGAN 1", "2 a#1 BEGAN 2", "3 a BELIEVED 1"),
                bad(
                        HistoryCheck::beliefsExcludeEachOther,
                        "1 a BEGAN 1",
                        "2 b BEGAN 2",
                        "3 op OVERRIDDEN 100",
                        "4 a BELIEVED 1"),
                bad(HistoryCheck::tokensRise, "1 a BEGAN 2", "5 b BEGAN 1"),
                bad(HistoryCheck::tokensRise, "1 a BEGAN 2", "5 b BEGAN 2"),
                bad(HistoryCheck::tokensRise, "1 a BEGAN 1", "2 b BEGAN 5", "3 a BEGAN 4"),
                bad(
                        HistoryCheck::leadersThatStoodStillAskFirst,
                        "1 a BEGAN 1",
                        "2 a FROZEN",
                        "9 a THAWED 7",
                        "10 a BELIEVED 1"),
                bad(
                        HistoryCheck::leadersThatStoodStillAskFirst,
                        "1 a BEGAN 1",
                        "2 a FROZEN",
                        "9 a THAWED 7",
                        "20 a LOST 1 LEASE_RAN_OUT",
                        "21 a BELIEVED 1"),
                bad(
                        HistoryCheck::leadersThatStoodStillAskFirst,
                        "1 a#2 BEGAN 1",
                        "2 a#2 FROZEN",
                        "9 a#2 THAWED 7",
                        "9 b BEGAN 2",
                        "10 a#2 BELIEVED 1"),
                bad(HistoryCheck::handOverIsInOrder, "1 a BEGAN 1", "2 a LOST 1 RESIGNED", "3 b BEGAN 2", "4 a LEFT 1"),
                bad(HistoryCheck::handOverIsInOrder, "1 a BEGAN 1", "2 a LOST 1 EVICTED", "3 b BEGAN 2"),
                bad(
                        HistoryCheck::handOverIsInOrder,
                        "1 a BEGAN 1",
                        "3 b BEGAN 2",
                        "4 a LEFT 1",
                        "5 a LOST 1 COMPLETED"),
                bad(HistoryCheck::tasksAlternate, "1 a ENTERED 1", "2 a ENTERED 2"),
                bad(HistoryCheck::tasksAlternate, "1 a ENTERED 1", "2 a LEFT 1", "3 a LEFT 1"),
                bad(HistoryCheck::tasksAlternate, "1 a ENTERED 1", "2 a LOST 1 RESIGNED", "3 a LOST 1 RESIGNED"),
                bad(HistoryCheck::tasksAlternate, "1 a ENTERED 1", "2 a LEFT 2"),
                bad(HistoryCheck::nothingAfterClose, "1 a CLOSED", "2 a SEES_NOBODY"),
                bad(HistoryCheck::nothingAfterClose, "1 a CLOSED", "2 a LOST 1 WITHDRAWN"),
                bad(HistoryCheck::nothingAfterClose, "1 a CLOSED", "2 a#1 UP 5", "3 a LEFT 1"),
                bad(HistoryCheck::viewsNeverGoBack, "1 a SEES_LEADER 2", "2 a SEES_LEADER 1"),
                bad(HistoryCheck::viewsNeverGoBack, "1 a SEES_LEADER 2", "2 a SEES_UNKNOWN", "3 a SEES_LEADER 1"),
                bad(
                        HistoryCheck::viewsNeverGoBack,
                        "1 a SEES_LEADER 2",
                        "2 b SEES_LEADER 9",
                        "3 b SEES_NOBODY",
                        "4 b SEES_LEADER 8"),
                bad(HistoryCheck::nothingIsClaimedWithoutTheStore, "1 a SEES_LEADER 7", "3 op UNREACHABLE 5"),
                bad(HistoryCheck::nothingIsClaimedWithoutTheStore, "1 a SEES_NOBODY", "3 op UNREACHABLE 5"),
                bad(
                        HistoryCheck::nothingIsClaimedWithoutTheStore,
                        "1 a SEES_UNKNOWN",
                        "3 op UNREACHABLE 5",
                        "5 a SEES_NOBODY"),
                bad(
                        HistoryCheck::nothingIsClaimedWithoutTheStore,
                        "1 a BEGAN 7",
                        "3 op UNREACHABLE 5",
                        "5 a BELIEVED 7"),
                bad(HistoryCheck::nothingIsClaimedWithoutTheStore, "3 op UNREACHABLE 5", "5 a BEGAN 7"),
                bad(
                        HistoryCheck::viewsNeverGoBack,
                        "1 a SEES_LEADER 9",
                        "2 op EMPTIED 3",
                        "3 a SEES_LEADER 9",
                        "6 a SEES_LEADER 2",
                        "7 a SEES_LEADER 1"),
                bad(HistoryCheck::somebodyLeadsOnceHealed, "0 a UP 5", "1 trial HEALED", "7 a BEGAN 1"),
                bad(HistoryCheck::somebodyLeadsOnceHealed, "0 a UP 5", "1 trial HEALED"),
                bad(
                        HistoryCheck::somebodyLeadsOnceHealed,
                        "0 a UP 5",
                        "1 a BEGAN 1",
                        "2 a BELIEVED 1",
                        "3 trial HEALED",
                        "9 b BEGAN 2"),
                bad(
                        HistoryCheck::everybodyAgreesOnceSettled,
                        "0 a UP 5",
                        "1 a BEGAN 1",
                        "2 a SEES_LEADER 1",
                        "2 b UP 5",
                        "3 trial SETTLED",
                        "4 a BELIEVED 1"),
                bad(
                        HistoryCheck::everybodyAgreesOnceSettled,
                        "1 a BEGAN 2",
                        "2 a SEES_LEADER 2",
                        "2 b SEES_LEADER 1",
                        "3 trial SETTLED",
                        "4 a BELIEVED 2"),
                bad(HistoryCheck::everybodyAgreesOnceSettled, "1 a BEGAN 1", "2 a SEES_LEADER 1", "3 trial SETTLED"),
                bad(
                        HistoryCheck::everybodyAgreesOnceSettled,
                        "1 a BEGAN 1",
                        "2 a SEES_LEADER 1",
                        "2 b SEES_LEADER 1",
                        "2 b SEES_UNKNOWN",
                        "3 trial SETTLED",
                        "4 a BELIEVED 1"));
    }

    @ParameterizedTest
    @MethodSource("badHistories")
    void aBadHistoryIsFound(Function<HistoryCheck, List<String>> check, String[] lines) {
        HistoryCheck bad = history(lines);

        assertThat(check.apply(bad)).isNotEmpty();
        assertThat(bad.all()).containsAll(check.apply(bad));
    }
}
