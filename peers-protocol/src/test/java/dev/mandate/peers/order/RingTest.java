package dev.mandate.peers.order;

import static dev.mandate.peers.order.Group.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.order.OrderAction.Placed;
import dev.mandate.peers.order.OrderAction.Send;
import dev.mandate.peers.order.OrderMessage.Token;
import dev.mandate.peers.order.OrderMessage.TokenArrived;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules of the ring, one by one. */
class RingTest {
    private static final OrderTiming TIMING = new OrderTiming(1_000);
    private static final Stance FREE = new Stance.Following(0);

    /** Member 1 of 0, 1, 2, 3. */
    private final Ring order = new Ring(1, 4, TIMING, new Seed(7));

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

    /** Starts a token. */
    private Token seek() {
        return token(stands(Stance.Seeking.INSTANCE));
    }

    private static Token token(List<OrderAction> actions) {
        return actions.stream()
                .filter(action -> action instanceof Send send && send.message() instanceof Token)
                .map(action -> (Token) ((Send) action).message())
                .findFirst()
                .orElseThrow();
    }

    private static Token collecting(int starter, long round, long campaigning) {
        return new Token(KEY, round, starter, false, campaigning);
    }

    private static Token announcing(int starter, long round, long campaigning) {
        return new Token(KEY, round, starter, true, campaigning);
    }

    private static Send confirmed(int to, Token token) {
        return new Send(to, arrived(token));
    }

    private static TokenArrived arrived(Token token) {
        return new TokenArrived(token.key(), token.round(), token.starter(), token.announcing());
    }

    private void confirm(int from, Token token) {
        receives(from, arrived(token));
    }

    // ---- two laps ----

    @Test
    void startsATokenWithItselfInIt() {
        List<OrderAction> actions = stands(Stance.Seeking.INSTANCE);

        Token token = token(actions);
        assertThat(actions).containsExactly(new Send(2, token));
        assertThat(token).isEqualTo(collecting(1, token.round(), 0b0010));
    }

    @Test
    void confirmsATokenAddsItselfAndSendsItOn() {
        stands(FREE);
        Token token = collecting(0, 5, 0b0001);

        assertThat(receives(0, token)).containsExactly(confirmed(0, token), new Send(2, collecting(0, 5, 0b0011)));
    }

    @Test
    void sendsATokenOnWithoutItselfWhereItDoesNotStand() {
        Token token = collecting(0, 5, 0b0001);

        assertThat(receives(0, token)).containsExactly(confirmed(0, token), new Send(2, token));
    }

    @Test
    void swallowsATokenOfOneNamedBeforeWhileItsOwnIsUnderWay() {
        seek();
        Token token = collecting(0, 5, 0b0001);

        assertThat(receives(0, token)).containsExactly(confirmed(0, token));
    }

    @Test
    void swallowsNoTokenOfOneNamedLater() {
        seek();
        Token token = collecting(3, 5, 0b1001);

        assertThat(receives(0, token)).containsExactly(confirmed(0, token), new Send(2, collecting(3, 5, 0b1011)));
    }

    @Test
    void startsNoneWhereATokenHasPassedAlready() {
        stands(FREE);
        receives(0, collecting(0, 5, 0b0001));

        assertThat(stands(Stance.Seeking.INSTANCE)).isEmpty();
    }

    @Test
    void announcesWhatItsTokenCollected() {
        Token mine = seek();
        confirm(2, mine);

        List<OrderAction> actions = receives(0, mine.with(0b1000));

        Token second = token(actions);
        assertThat(second).isEqualTo(announcing(1, second.round(), 0b1010));
        assertThat(actions).containsExactly(confirmed(0, mine.with(0b1000)), new Placed(KEY, 1), new Send(2, second));
    }

    @Test
    void announcesOnceThoughItsTokenComesBackTwice() {
        Token mine = seek();
        receives(0, mine.with(0b1000));

        assertThat(receives(0, mine.with(0b0100))).containsExactly(confirmed(0, mine));
    }

    @Test
    void aTokenOfItsOwnThatItDoesNotKnowIsOfAFormerLife() {
        Token mine = seek();
        Token former = collecting(1, mine.round() - 1, 0b1111);

        assertThat(receives(0, former)).containsExactly(confirmed(0, former));
    }

    @Test
    void itsPlaceIsTheNumberOfThoseNamedLaterInTheAnnouncement() {
        seek();
        Token token = announcing(3, 5, 0b1011);

        assertThat(receives(0, token)).containsExactly(confirmed(0, token), new Placed(KEY, 1), new Send(2, token));
    }

    @Test
    void comesAfterAllWhereTheAnnouncementLeavesItOut() {
        seek();

        assertThat(receives(0, announcing(3, 5, 0b1001))).contains(new Placed(KEY, 2));
    }

    @Test
    void anAnnouncementEndsAtItsStarter() {
        Token mine = seek();
        Token second = token(receives(0, mine));

        assertThat(receives(0, second)).containsExactly(confirmed(0, second));
    }

    @Test
    void whatIsRepeatedGoesNoFurther() {
        stands(FREE);
        Token token = collecting(0, 5, 0b0001);
        Token second = announcing(0, 6, 0b0011);
        receives(0, token);
        receives(0, second);

        assertThat(receives(0, token)).containsExactly(confirmed(0, token));
        assertThat(receives(0, second)).containsExactly(confirmed(0, second));
    }

    @Test
    void anAnnouncementIsToldAsSoonAsItSeeksAPlace() {
        stands(FREE);
        receives(0, announcing(0, 6, 0b0011));

        assertThat(stands(Stance.Seeking.INSTANCE)).containsExactly(new Placed(KEY, 0));
    }

    @Test
    void startsATokenWhereTheAnnouncementLeftItOut() {
        receives(0, announcing(0, 6, 0b0001));

        assertThat(seek().starter()).isEqualTo(1);
    }

    // ---- what is lost ----

    @Test
    void skipsASuccessorThatDoesNotConfirm() {
        Token mine = seek();

        assertThat(order.wakeAtNanos()).isEqualTo(1_000);
        assertThat(tickAt(1_000)).containsExactly(new Send(3, mine));
        assertThat(tickAt(2_000)).containsExactly(new Send(0, mine));
    }

    @Test
    void skipsNobodyWhoConfirms() {
        Token mine = seek();
        confirm(2, mine);

        assertThat(order.wakeAtNanos()).isEqualTo(3_000);
        assertThat(tickAt(1_000)).isEmpty();
    }

    @Test
    void aConfirmationOfAnotherTokenOrOfAnotherMemberCountsForNothing() {
        Token mine = seek();
        confirm(3, mine);
        confirm(2, collecting(1, mine.round() + 1, 0));
        confirm(2, announcing(1, mine.round(), 0));

        assertThat(tickAt(1_000)).containsExactly(new Send(3, mine));
    }

    @Test
    void skipsSuccessorsWhoseLinkIsDown() {
        order.step(new OrderEvent.Link(2, false), now);

        assertThat(stands(Stance.Seeking.INSTANCE))
                .singleElement()
                .isInstanceOfSatisfying(
                        Send.class, send -> assertThat(send.to()).isEqualTo(3));
    }

    @Test
    void sendsATokenElsewhereWhenTheLinkGoesDownUnderIt() {
        Token mine = seek();

        assertThat(order.step(new OrderEvent.Link(2, false), now)).containsExactly(new Send(3, mine));
    }

    @Test
    void whoeverWouldSkipTheStarterAnnouncesInItsPlace() {
        stands(FREE);
        order.step(new OrderEvent.Link(2, false), now);
        Token token = collecting(2, 5, 0b1101);

        List<OrderAction> actions = receives(0, token);

        Token second = token(actions);
        assertThat(second).isEqualTo(announcing(1, second.round(), 0b1111));
        assertThat(actions).containsExactly(confirmed(0, token), new Send(3, second));
    }

    @Test
    void anAnnouncementThatWouldSkipItsStarterEnds() {
        order.step(new OrderEvent.Link(2, false), now);
        Token second = announcing(2, 5, 0b1101);

        assertThat(receives(0, second)).containsExactly(confirmed(0, second));
    }

    @Test
    void isFirstWhereNobodyElseLives() {
        IntStream.of(0, 2, 3).forEach(peer -> order.step(new OrderEvent.Link(peer, false), now));

        assertThat(stands(Stance.Seeking.INSTANCE)).containsExactly(new Placed(KEY, 0));
    }

    @Test
    void aLostTokenIsStartedAgainButNotForEver() {
        Token first = seek();
        confirm(2, first);
        Token second = token(tickAt(3_000));
        confirm(2, second);
        Token third = token(tickAt(6_000));
        confirm(2, third);

        assertThat(second.round()).isNotEqualTo(first.round());
        assertThat(order.wakeAtNanos()).isEqualTo(8_000);
        assertThat(tickAt(8_000)).containsExactly(new Placed(KEY, Placed.UNKNOWN));
        assertThat(order.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aSlowTokenIsAsGoodAsTheOneStartedInItsStead() {
        Token first = seek();
        confirm(2, first);
        Token second = token(tickAt(3_000));

        assertThat(receives(0, first)).contains(new Placed(KEY, 0));
        assertThat(receives(0, second)).containsExactly(confirmed(0, second));
    }

    @Test
    void whatTheSameMemberWasSentBeforeCountsTowardsItsTime() {
        Token mine = seek();
        now = 400;
        receives(0, collecting(3, 5, 0b1000));

        assertThat(tickAt(1_000)).containsExactly(new Send(3, mine), new Send(3, collecting(3, 5, 0b1010)));
    }

    @Test
    void swallowsNothingOnceTheAnnouncementWasMade() {
        receives(0, seek());
        Token late = collecting(0, 5, 0b0001);

        assertThat(receives(0, late)).containsExactly(confirmed(0, late), new Send(2, collecting(0, 5, 0b0011)));
    }

    @Test
    void startsATokenWhereTheOneThatPassedIsNeverAnnounced() {
        stands(FREE);
        confirm(2, token(receives(0, collecting(0, 5, 0b0001))));
        stands(Stance.Seeking.INSTANCE);

        assertThat(token(tickAt(3_000)).starter()).isEqualTo(1);
    }

    // ---- vacancies ----

    @Test
    void beginsNothingMoreOnceAnotherHolderIsSeen() {
        confirm(2, seek());
        stands(FREE);

        assertThat(tickAt(3_000)).isEmpty();
        Token late = collecting(0, 5, 0b0001);
        assertThat(receives(0, late)).hasSize(2);
    }

    @Test
    void aVacancyThatFollowsALeaderIsDecidedAnew() {
        receives(0, seek());
        stands(FREE);

        assertThat(stands(Stance.Seeking.INSTANCE)).hasSize(1);
    }

    @Test
    void remembersWhatItPassesOnForEightSteps() {
        Token token = collecting(0, 5, 0b0001);
        confirm(2, token(receives(0, token)));

        assertThat(order.remembered()).isEqualTo(1);
        assertThat(order.wakeAtNanos()).isEqualTo(8_000);
        tickAt(8_000);
        assertThat(order.remembered()).isZero();
    }

    @Test
    void remembersItLongerWhenAnotherTokenPasses() {
        confirm(2, token(receives(0, collecting(0, 5, 0b0001))));
        now = 5_000;
        confirm(2, token(receives(0, collecting(0, 6, 0b0001))));

        assertThat(order.wakeAtNanos()).isEqualTo(13_000);
    }

    @Test
    void passesOnForABoundedNumberOfElectionsAndConfirmsNoOthers() {
        for (int i = 0; i < DecidingOrder.RELAYED_MAX; i++) {
            receives(0, new Token(RecordKey.election("e" + i), 5, 0, false, 1));
        }

        assertThat(receives(0, collecting(0, 5, 1))).isEmpty();
        assertThat(order.remembered()).isEqualTo(DecidingOrder.RELAYED_MAX);
        // Its own are none of those.
        assertThat(stands(Stance.Seeking.INSTANCE)).isNotEmpty();
    }

    @Test
    void aFloodOfTokensOfOneElectionLeavesOneOfEachStarterAndLap() {
        for (long round = 0; round < 10_000; round++) {
            receives(0, collecting(0, round, 1));
            receives(0, announcing(3, round, 1));
        }

        assertThat(tickAt(1_000)).hasSizeBetween(1, 2);
    }

    @Test
    void senselessTokensAreDropped() {
        assertThat(receives(0, collecting(4, 5, 1))).isEmpty();
        assertThat(receives(0, collecting(0, 5, 0b10001))).isEmpty();
        assertThat(receives(0, collecting(0, 5, 0b1000))).isEmpty();
        assertThat(receives(0, announcing(0, 5, 0))).isEmpty();
        assertThat(order.remembered()).isZero();
    }

    @Test
    void everybodyHasItsPlaceWhoeverStarts() {
        for (int starter = 0; starter < 5; starter++) {
            Group group = new Group(5, self -> new Ring(self, 5, TIMING, new Seed(self)));
            group.allStand();
            group.seeks(starter);
            group.runUntil(100);
            IntStream.range(0, 5).forEach(group::seeks);
            group.run();

            assertThat(group.places()).isEqualTo(Map.of(0, 4, 1, 3, 2, 2, 3, 1, 4, 0));
            assertThat(group.sent).isEqualTo(10);
        }
    }

    @Test
    void theLargestGroupHasItsPlaces() {
        Group group = new Group(64, self -> new Ring(self, 64, TIMING, new Seed(self)));
        group.allStand();
        IntStream.range(0, 64).forEach(group::seeks);
        group.run();

        IntStream.range(0, 64).forEach(member -> assertThat(group.places()).containsEntry(member, 63 - member));
    }
}
