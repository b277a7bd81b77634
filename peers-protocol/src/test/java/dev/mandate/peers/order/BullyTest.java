package dev.mandate.peers.order;

import static dev.mandate.peers.order.Group.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.order.OrderAction.AskedToLeave;
import dev.mandate.peers.order.OrderAction.Placed;
import dev.mandate.peers.order.OrderAction.Send;
import dev.mandate.peers.order.OrderMessage.Alive;
import dev.mandate.peers.order.OrderMessage.Coordinator;
import dev.mandate.peers.order.OrderMessage.Election;
import dev.mandate.peers.order.OrderMessage.Pass;
import dev.mandate.peers.order.OrderMessage.Preempt;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The rules of bully, one by one. */
class BullyTest {
    private static final OrderTiming TIMING = new OrderTiming(1_000);
    private static final Stance FREE = new Stance.Following(0);

    /** Member 1 of 0, 1, 2, 3. */
    private final Bully order = new Bully(1, 4, TIMING, new Seed(7), true);

    private long now;

    private List<OrderAction> stands(Stance stance) {
        return order.step(new OrderEvent.StanceChanged(KEY, stance), now);
    }

    private List<OrderAction> receives(int from, OrderMessage message) {
        return order.step(new OrderEvent.Received(from, message), now);
    }

    private List<OrderAction> tickAt(long nanos) {
        now = nanos;
        return order.step(OrderEvent.Tick.INSTANCE, now);
    }

    private List<OrderAction> votes() {
        return order.step(new OrderEvent.Votes(true), now);
    }

    /** Seeks a place; the number of its round. */
    private long seek() {
        List<OrderAction> actions = stands(Stance.Seeking.INSTANCE);
        return ((Election) ((Send) actions.get(0)).message()).round();
    }

    // ---- rounds ----

    @Test
    void asksAllThatAreNamedLater() {
        List<OrderAction> actions = stands(Stance.Seeking.INSTANCE);

        long round = ((Election) ((Send) actions.get(0)).message()).round();
        assertThat(actions)
                .containsExactly(new Send(2, new Election(KEY, round)), new Send(3, new Election(KEY, round)));
    }

    @Test
    void announcesItselfAndIsFirstWhenNobodyAnswersInTime() {
        seek();

        assertThat(order.wakeAtNanos()).isEqualTo(2_000);
        assertThat(tickAt(1_999)).isEmpty();
        assertThat(tickAt(2_000)).containsExactly(new Send(0, new Coordinator(KEY)), new Placed(KEY, 0));
    }

    @Test
    void isFirstAtOnceWhenAllThatAreNamedLaterPass() {
        long round = seek();

        assertThat(receives(2, new Pass(KEY, round))).isEmpty();
        assertThat(receives(3, new Pass(KEY, round)))
                .containsExactly(new Send(0, new Coordinator(KEY)), new Placed(KEY, 0));
    }

    @Test
    void asksNobodyWhoseLinkIsDown() {
        order.step(new OrderEvent.Link(2, false), now);
        order.step(new OrderEvent.Link(3, false), now);

        assertThat(stands(Stance.Seeking.INSTANCE))
                .containsExactly(new Send(0, new Coordinator(KEY)), new Placed(KEY, 0));
    }

    @Test
    void itsPlaceIsTheNumberOfThoseThatStand() {
        long round = seek();

        assertThat(receives(2, new Alive(KEY, round))).isEmpty();
        assertThat(receives(3, new Alive(KEY, round))).containsExactly(new Placed(KEY, 2));
    }

    @Test
    void waitsForAnswersNoLongerThanTheTimeOutThoughSomebodyStands() {
        long round = seek();
        receives(3, new Alive(KEY, round));

        assertThat(tickAt(2_000)).containsExactly(new Placed(KEY, 1));
    }

    @Test
    void answersOfAnotherRoundCountForNothing() {
        long round = seek();

        receives(2, new Alive(KEY, round + 1));
        receives(2, new Pass(KEY, round - 1));

        assertThat(receives(3, new Pass(KEY, round))).isEmpty();
        assertThat(tickAt(2_000)).contains(new Placed(KEY, 0));
    }

    @Test
    void answersOfThoseNamedBeforeCountForNothing() {
        long round = seek();

        assertThat(receives(0, new Alive(KEY, round))).isEmpty();
        assertThat(receives(0, new Coordinator(KEY))).isEmpty();

        assertThat(tickAt(2_000)).contains(new Placed(KEY, 0));
    }

    @Test
    void anAnswerThatComesLateMovesItBack() {
        long round = seek();
        tickAt(2_000);

        assertThat(receives(3, new Alive(KEY, round))).containsExactly(new Placed(KEY, 1));
    }

    @Test
    void announcesItselfOnceHoweverLateSomebodyPasses() {
        long round = seek();
        tickAt(2_000);

        assertThat(receives(3, new Pass(KEY, round))).isEmpty();
    }

    @Test
    void startsAgainWhenThoseThatAnsweredDoNotAnnounceThemselves() {
        long round = seek();
        receives(2, new Alive(KEY, round));
        receives(3, new Pass(KEY, round));

        assertThat(order.wakeAtNanos()).isEqualTo(5_000);
        List<OrderAction> actions = tickAt(5_000);

        assertThat(actions).extracting(action -> ((Send) action).to()).containsExactly(2, 3);
        assertThat(((Election) ((Send) actions.get(0)).message()).round()).isNotEqualTo(round);
        assertThat(tickAt(7_000)).containsExactly(new Send(0, new Coordinator(KEY)), new Placed(KEY, 0));
    }

    @Test
    void startsNotAgainOnceSomebodyNamedLaterHasAnnouncedItself() {
        long round = seek();
        receives(2, new Alive(KEY, round));
        receives(3, new Pass(KEY, round));

        assertThat(receives(2, new Coordinator(KEY))).isEmpty();

        assertThat(order.wakeAtNanos()).isEqualTo(8_000);
        assertThat(tickAt(8_000)).isEmpty();
    }

    @Test
    void whoeverAnnouncesItselfStands() {
        long round = seek();
        receives(2, new Pass(KEY, round));

        assertThat(receives(3, new Coordinator(KEY))).containsExactly(new Placed(KEY, 1));
    }

    @Test
    void followsWhenThatOneGoesDown() {
        long round = seek();
        receives(2, new Pass(KEY, round));
        receives(3, new Alive(KEY, round));
        receives(3, new Coordinator(KEY));

        assertThat(order.step(new OrderEvent.Link(3, false), now))
                .containsExactly(new Send(0, new Coordinator(KEY)), new Placed(KEY, 0));
    }

    @Test
    void waitsNotForALinkThatGoesDown() {
        seek();
        order.step(new OrderEvent.Link(3, false), now);

        assertThat(order.step(new OrderEvent.Link(2, false), now))
                .containsExactly(new Send(0, new Coordinator(KEY)), new Placed(KEY, 0));
    }

    @Test
    void triesOneRoundAfterTheOtherButNotForEver() {
        long round = seek();
        receives(2, new Alive(KEY, round));
        receives(3, new Pass(KEY, round));
        long second = ((Election) ((Send) tickAt(5_000).get(0)).message()).round();
        receives(2, new Alive(KEY, second));
        receives(3, new Pass(KEY, second));

        assertThat(order.wakeAtNanos()).isEqualTo(8_000);
        assertThat(tickAt(8_000)).isEmpty();
        assertThat(order.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    // ---- the other side ----

    @Test
    void answersThatItStandsAndStartsARoundOfItsOwn() {
        stands(FREE);

        List<OrderAction> actions = receives(0, new Election(KEY, 99));

        assertThat(actions.get(0)).isEqualTo(new Send(0, new Alive(KEY, 99)));
        assertThat(actions.subList(1, actions.size()))
                .allMatch(action -> ((Send) action).message() instanceof Election)
                .hasSize(2);
    }

    @Test
    void startsNotAgainForOthersAlone() {
        stands(FREE);
        long round = ((Election) ((Send) receives(0, new Election(KEY, 99)).get(1)).message()).round();
        receives(2, new Alive(KEY, round));
        receives(3, new Pass(KEY, round));

        assertThat(tickAt(5_000)).isEmpty();
        assertThat(order.wakeAtNanos()).isEqualTo(8_000);
    }

    @Test
    void answersSecondQuestionsWithoutAnotherRound() {
        stands(FREE);
        receives(0, new Election(KEY, 99));

        assertThat(receives(0, new Election(KEY, 100))).containsExactly(new Send(0, new Alive(KEY, 100)));
    }

    @Test
    void passesAndRemembersNothingWhereItDoesNotStand() {
        assertThat(receives(0, new Election(KEY, 99))).containsExactly(new Send(0, new Pass(KEY, 99)));
        assertThat(order.remembered()).isZero();
        assertThat(order.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatWasFoundOutForAnotherIsToldAsSoonAsItSeeksAPlace() {
        stands(FREE);
        receives(0, new Election(KEY, 99));

        assertThat(tickAt(2_000)).containsExactly(new Send(0, new Coordinator(KEY)));
        assertThat(stands(Stance.Seeking.INSTANCE)).containsExactly(new Placed(KEY, 0));
    }

    @Test
    void tellsALateQuestionerThatItHasAnnouncedItself() {
        seek();
        tickAt(2_000);

        assertThat(receives(0, new Election(KEY, 99)))
                .containsExactly(new Send(0, new Alive(KEY, 99)), new Send(0, new Coordinator(KEY)));
    }

    @Test
    void wasCoordinatorOnlyForTheVacancyThatIsOver() {
        seek();
        tickAt(2_000);
        stands(FREE);

        assertThat(receives(0, new Election(KEY, 99))).containsExactly(new Send(0, new Alive(KEY, 99)));
    }

    @Test
    void tellsAQuestionerThatItLeads() {
        stands(new Stance.Leading(5));

        assertThat(receives(0, new Election(KEY, 99)))
                .containsExactly(new Send(0, new Alive(KEY, 99)), new Send(0, new Coordinator(KEY)));
    }

    @Test
    void questionsOfThoseNamedLaterAreDropped() {
        stands(FREE);

        assertThat(receives(2, new Election(KEY, 99))).isEmpty();
    }

    // ---- vacancies ----

    @Test
    void theSameVacancyIsDecidedOnce() {
        seek();
        assertThat(stands(Stance.Seeking.INSTANCE))
                .as("before the place is known")
                .isEmpty();
        tickAt(2_000);

        assertThat(stands(Stance.Seeking.INSTANCE))
                .as("no message, and the place once more")
                .containsExactly(new OrderAction.Placed(KEY, 0));
    }

    @Test
    void aVacancyThatFollowsALeaderIsDecidedAnew() {
        seek();
        tickAt(2_000);
        stands(new Stance.Following(0));

        assertThat(stands(Stance.Seeking.INSTANCE)).hasSize(2);
    }

    @Test
    void aVacancyAfterItsOwnTermIsDecidedAnew() {
        stands(FREE);
        receives(0, new Election(KEY, 99));
        stands(new Stance.Leading(5));
        stands(FREE);

        assertThat(stands(Stance.Seeking.INSTANCE)).hasSize(2);
    }

    @Test
    void sendsNothingOverALinkThatIsDown() {
        order.step(new OrderEvent.Link(0, false), now);
        seek();

        assertThat(tickAt(2_000)).containsExactly(new Placed(KEY, 0));
    }

    @Test
    void beginsNothingMoreOnceAnotherHolderIsSeen() {
        long round = seek();
        receives(2, new Alive(KEY, round));
        stands(FREE);

        assertThat(tickAt(2_000)).isEmpty();
        assertThat(tickAt(5_000)).isEmpty();
        assertThat(receives(0, new Election(KEY, 99))).containsExactly(new Send(0, new Alive(KEY, 99)));
    }

    @Test
    void remembersAnElectionOnlyForAsLongAsItIsDecided() {
        seek();
        stands(Stance.Absent.INSTANCE);

        assertThat(order.remembered()).isZero();
        assertThat(order.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void forgetsADecisionAfterEightSteps() {
        seek();
        tickAt(2_000);

        assertThat(order.wakeAtNanos()).isEqualTo(8_000);
        tickAt(8_000);
        assertThat(order.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void afterASuspensionOfAnyLengthThePlaceIsUnknown() {
        seek();

        assertThat(tickAt(100_000)).containsExactly(new Placed(KEY, Placed.UNKNOWN));
        assertThat(order.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void electionsAreDecidedApart() {
        RecordKey other = RecordKey.election("other");
        seek();
        order.step(new OrderEvent.StanceChanged(other, Stance.Seeking.INSTANCE), 500);

        assertThat(tickAt(2_000)).containsExactly(new Send(0, new Coordinator(KEY)), new Placed(KEY, 0));
        assertThat(tickAt(2_500)).containsExactly(new Send(0, new Coordinator(other)), new Placed(other, 0));
    }

    @Test
    void aGroupOfOneIsFirst() {
        Bully alone = new Bully(0, 1, TIMING, new Seed(1), true);

        assertThat(alone.step(new OrderEvent.StanceChanged(KEY, Stance.Seeking.INSTANCE), 0))
                .containsExactly(new Placed(KEY, 0));
    }

    @Test
    void everybodyHasItsPlaceWhenTheHighestCoolsDown() {
        Group group = new Group(5, self -> new Bully(self, 5, TIMING, new Seed(self), false));
        for (int member = 0; member < 4; member++) {
            group.stands(member, FREE);
        }
        for (int member = 0; member < 4; member++) {
            group.seeks(member);
        }
        group.runUntil(4);

        assertThat(group.places()).isEqualTo(Map.of(0, 3, 1, 2, 2, 1, 3, 0));
    }

    // ---- preemption ----

    @Test
    void asksTheLeadersNamedBeforeToLeaveOnceATerm() {
        votes();
        assertThat(stands(new Stance.Following(5))).containsExactly(new Send(0, new Preempt(KEY, 5)));
        assertThat(stands(new Stance.Following(5))).isEmpty();
        stands(Stance.Seeking.INSTANCE);
        assertThat(stands(new Stance.Following(5))).isEmpty();
        assertThat(stands(new Stance.Following(6))).containsExactly(new Send(0, new Preempt(KEY, 6)));
    }

    @Test
    void asksAgainWhenALinkComesUpForTheWordMayHaveBeenLost() {
        votes();
        stands(new Stance.Following(5));

        assertThat(order.step(new OrderEvent.Link(0, true), now)).containsExactly(new Send(0, new Preempt(KEY, 5)));
        assertThat(order.step(new OrderEvent.Link(0, true), now)).isEmpty();
        assertThat(order.step(new OrderEvent.Link(2, true), now)).isEmpty();
    }

    /** Who asked earlier could not take the lead, and the next one named would: one leader more is asked to leave. */
    @Test
    void asksNobodyToLeaveBeforeItVotes() {
        assertThat(stands(new Stance.Following(5))).isEmpty();
        assertThat(order.step(new OrderEvent.Link(0, true), now)).isEmpty();

        assertThat(votes()).containsExactly(new Send(0, new Preempt(KEY, 5)));
        assertThat(votes()).isEmpty();
    }

    @Test
    void asksNobodyToLeaveUnlessToldTo() {
        Bully modest = new Bully(1, 4, TIMING, new Seed(7), false);
        modest.step(new OrderEvent.Votes(true), 0);

        assertThat(modest.step(new OrderEvent.StanceChanged(KEY, new Stance.Following(5)), 0))
                .isEmpty();
        assertThat(modest.step(new OrderEvent.Link(0, true), 0)).isEmpty();
    }

    @Test
    void saysOnceATermThatItIsAskedToLeave() {
        stands(new Stance.Leading(5));

        assertThat(receives(2, new Preempt(KEY, 5))).containsExactly(new AskedToLeave(KEY, 5));
        assertThat(receives(3, new Preempt(KEY, 5))).isEmpty();
        stands(new Stance.Leading(6));
        assertThat(receives(3, new Preempt(KEY, 6))).containsExactly(new AskedToLeave(KEY, 6));
    }

    @Test
    void aRequestWhileItSettlesIsKeptUntilItLeads() {
        stands(new Stance.Settling(5));

        assertThat(receives(2, new Preempt(KEY, 5))).isEmpty();
        assertThat(stands(new Stance.Leading(5))).containsExactly(new AskedToLeave(KEY, 5));
        assertThat(stands(new Stance.Leading(5))).isEmpty();
    }

    @Test
    void aRequestThatComesBeforeItKnowsOfItsWinIsKeptToo() {
        stands(Stance.Seeking.INSTANCE);
        receives(2, new Preempt(KEY, 5));

        stands(new Stance.Settling(5));
        assertThat(stands(new Stance.Leading(5))).containsExactly(new AskedToLeave(KEY, 5));
    }

    @Test
    void aRequestForAnotherTermChangesNothing() {
        stands(new Stance.Leading(5));

        assertThat(receives(2, new Preempt(KEY, 4))).isEmpty();
        assertThat(receives(2, new Preempt(KEY, Long.MAX_VALUE))).isEmpty();
        assertThat(receives(2, new Preempt(KEY, 5))).containsExactly(new AskedToLeave(KEY, 5));
    }

    @Test
    void nobodyNamedBeforeCanAskItToLeave() {
        stands(new Stance.Leading(5));

        assertThat(receives(0, new Preempt(KEY, 5))).isEmpty();
    }
}
