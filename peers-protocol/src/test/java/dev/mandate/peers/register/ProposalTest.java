package dev.mandate.peers.register;

import static dev.mandate.peers.register.Bench.KEY;
import static dev.mandate.peers.register.Bench.THREE;
import static dev.mandate.peers.register.Bench.held;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Id;
import dev.mandate.spi.Intent;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of a call, one by one, with voters that are played. */
class ProposalTest {
    private static final Id CALL = new Id(0, 77);
    private static final Epoch BASIS = new Epoch(5, new Id(0, 1));
    private static final Epoch OTHER = new Epoch(7, new Id(0, 2));
    private static final Moment NOW = new Moment(0, 20);
    private static final ProposalSettings SETTINGS =
            new ProposalSettings(THREE, CALL, List.of(0, 1, 2), 0, 0, 1000, 500, 100, 10, 3);
    private static final Moment LATER = new Moment(500, 20);
    private static final Epoch FIRST = new Epoch(20, CALL);

    private static Message.Promise promise(Epoch epoch, @Nullable Vote vote) {
        return promise(epoch, vote, 0);
    }

    private static Message.Promise promise(Epoch epoch, @Nullable Vote vote, long ageNanos) {
        return new Message.Promise(epoch, new Start(1, new Id(0, 9)), List.of(), vote, ageNanos);
    }

    private static Vote vote(Epoch write) {
        return new Vote(write, held(write, Epoch.NONE));
    }

    private static Message.Refusal refusal(Epoch epoch, long promised) {
        return new Message.Refusal(epoch, Message.Reason.PROMISED, promised);
    }

    private static Message.Shown shown(int round, @Nullable Vote vote) {
        return new Message.Shown(CALL, round, vote, 9);
    }

    private static Proposal begun(Proposal proposal) {
        proposal.begin(NOW);
        return proposal;
    }

    private static Proposal acquiring() {
        return begun(Proposal.acquire(SETTINGS, KEY, BASIS, Bench.record("a", 0)));
    }

    private static Value carried(ProposalStep step) {
        return accept(step).value();
    }

    private static Message.Accept accept(ProposalStep step) {
        return (Message.Accept) step.sends().get(0).message();
    }

    @Test
    void aWriteOnWhatStandsIsAcceptedByAMajorityAndWritten() {
        Proposal proposal = acquiring();
        assertThat(proposal.step(0, promise(FIRST, vote(BASIS)), NOW).sends()).isEmpty();
        ProposalStep step = proposal.step(1, promise(FIRST, vote(BASIS)), NOW);
        assertThat(step.sends()).hasSize(3);
        Value value = carried(step);
        assertThat(value.write()).isEqualTo(FIRST);
        assertThat(value.record())
                .isNotNull()
                .extracting(record -> record.term())
                .isEqualTo(20L);
        assertThat(proposal.step(0, new Message.Accepted(FIRST), NOW).ended()).isNull();
        assertThat(proposal.step(2, new Message.Accepted(FIRST), NOW).ended())
                .isEqualTo(new Outcome.Written(value, true));
    }

    @Test
    void aVoterCountsOnceHoweverOftenItAnswers() {
        Proposal proposal = acquiring();
        proposal.step(0, promise(FIRST, vote(BASIS)), NOW);
        assertThat(proposal.step(0, promise(FIRST, vote(BASIS)), NOW).sends()).isEmpty();
        proposal.step(1, promise(FIRST, vote(BASIS)), NOW);
        proposal.step(1, new Message.Accepted(FIRST), NOW);
        assertThat(proposal.step(1, new Message.Accepted(FIRST), NOW).ended()).isNull();
    }

    @Test
    void aWriteWhoseBasisDoesNotStandIsRefusedWithWhatStands() {
        Proposal proposal = acquiring();
        proposal.step(0, promise(FIRST, vote(OTHER)), NOW);
        assertThat(proposal.step(1, promise(FIRST, vote(OTHER)), NOW).ended())
                .isEqualTo(new Outcome.Refused(true, vote(OTHER).value()));
    }

    @Test
    void whatOnlyOneAcceptedIsNotShownByARefusal() {
        Proposal proposal = acquiring();
        proposal.step(0, promise(FIRST, vote(BASIS)), NOW);
        assertThat(proposal.step(1, promise(FIRST, vote(OTHER)), NOW).ended())
                .isEqualTo(new Outcome.Refused(false, null));
    }

    @Test
    void anotherRoundOfOneCallHasAnotherEpochAboveAllThatWasSeen() {
        Proposal proposal = acquiring();
        proposal.step(0, refusal(FIRST, 40), NOW);
        assertThat(proposal.step(1, refusal(FIRST, 50), NOW).sends()).isEmpty();
        ProposalStep next = proposal.tick(new Moment(proposal.wakeAtNanos(), 20));
        assertThat(next.sends())
                .hasSize(3)
                .first()
                .extracting(send -> ((Message.Prepare) send.message()).epoch())
                .isEqualTo(new Epoch(51, CALL));
    }

    /** After its ACCEPT left, a second round begins. */
    private static Proposal again() {
        Proposal proposal = acquiring();
        proposal.step(0, promise(FIRST, vote(BASIS)), NOW);
        proposal.step(1, promise(FIRST, vote(BASIS)), NOW);
        proposal.step(0, refusal(FIRST, 30), NOW);
        proposal.step(1, refusal(FIRST, 30), NOW);
        proposal.tick(new Moment(proposal.wakeAtNanos(), 20));
        return proposal;
    }

    private static final Epoch SECOND = new Epoch(31, CALL);

    @Test
    void anOwnWriteThatSomebodyAcceptedIsCompletedAsItIs() {
        Proposal proposal = again();
        proposal.step(0, promise(SECOND, vote(BASIS)), NOW);
        Value own = new Value(FIRST, BASIS, FIRST, Bench.record("a", 20));
        ProposalStep step = proposal.step(2, promise(SECOND, new Vote(FIRST, own)), NOW);
        assertThat(carried(step)).isEqualTo(own);
        proposal.step(0, new Message.Accepted(SECOND), NOW);
        assertThat(proposal.step(2, new Message.Accepted(SECOND), NOW).ended())
                .isEqualTo(new Outcome.Written(own, true));
    }

    @Test
    void aWriteThatSomebodyElseReplacedIsWrittenOnceWhatReplacedItIsChosen() {
        Vote next = new Vote(new Epoch(30, new Id(0, 5)), held(new Epoch(30, new Id(0, 5)), FIRST));
        Proposal chosen = again();
        chosen.step(0, promise(SECOND, next), NOW);
        Outcome written = chosen.step(1, promise(SECOND, next), NOW).ended();
        assertThat(written).isInstanceOf(Outcome.Written.class);

        Proposal inProgress = again();
        inProgress.step(0, promise(SECOND, vote(BASIS)), NOW);
        ProposalStep step = inProgress.step(1, promise(SECOND, next), NOW);
        assertThat(step.ended()).as("nothing on its basis is chosen yet").isNull();
        assertThat(carried(step)).as("completed first").isEqualTo(next.value());
        inProgress.step(0, new Message.Accepted(SECOND), NOW);
        assertThat(inProgress.step(1, new Message.Accepted(SECOND), NOW).ended())
                .isEqualTo(written);
    }

    /** What was promised in the beginning may be forgotten by now, and voters may vote that know nothing of it. */
    @Test
    void anEpochThatGrowsOldIsFollowedByAnother() {
        Proposal proposal = acquiring();
        assertThat(proposal.untilNanos()).isEqualTo(500);
        proposal.step(0, promise(FIRST, vote(BASIS)), NOW);
        Moment late = new Moment(500, 20);
        ProposalStep step = proposal.step(1, promise(FIRST, vote(BASIS)), late);
        Epoch next = new Epoch(21, CALL);
        assertThat(step.sends())
                .hasSize(3)
                .extracting(ProposalStep.Send::message)
                .containsOnly(new Message.Prepare(KEY, next));
        assertThat(proposal.untilNanos()).as("the deadline comes first").isEqualTo(1_000);
        proposal.step(0, promise(next, vote(BASIS)), late);
        assertThat(carried(proposal.step(1, promise(next, vote(BASIS)), late)).write())
                .isEqualTo(next);
        assertThat(proposal.tick(new Moment(999, 20)).sends()).hasSize(3);
    }

    @Test
    void onceAnAcceptLeftAWriteIsRefusedOnlyWhenAnotherOnItsBasisWasChosen() {
        Vote rival = new Vote(new Epoch(30, new Id(0, 5)), held(new Epoch(30, new Id(0, 5)), BASIS));
        Proposal chosen = again();
        chosen.step(0, promise(SECOND, rival), NOW);
        assertThat(chosen.step(1, promise(SECOND, rival), NOW).ended())
                .isEqualTo(new Outcome.Refused(true, rival.value()));

        Proposal other = again();
        other.step(0, promise(SECOND, vote(OTHER)), NOW);
        assertThat(other.step(1, promise(SECOND, vote(OTHER)), NOW).ended()).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    void aCallWithoutAMajorityEndsUnknownAndSaysWhoWasSilent() {
        Proposal proposal = acquiring();
        proposal.step(1, promise(FIRST, vote(BASIS)), NOW);
        assertThat(proposal.tick(new Moment(1000, 0)).ended()).isEqualTo(new Outcome.Unknown(List.of(0, 2)));
        assertThat(proposal.step(2, promise(FIRST, vote(BASIS)), NOW).sends()).isEmpty();
    }

    @Test
    void aReadAsksAMajorityAndShowsWhatItAccepted() {
        Proposal proposal = Proposal.read(SETTINGS, KEY);
        assertThat(proposal.begin(NOW).sends()).hasSize(2);
        proposal.step(0, shown(0, vote(BASIS)), NOW);
        assertThat(proposal.step(1, shown(0, vote(BASIS)), NOW).ended())
                .isEqualTo(new Outcome.Read(vote(BASIS).value()));
    }

    @Test
    void aReadThatMeetsAWriteInProgressLooksAgainOnceBeforeItCompletesIt() {
        Proposal proposal = begun(Proposal.read(SETTINGS, KEY));
        proposal.step(0, shown(0, vote(BASIS)), NOW);
        ProposalStep again = proposal.step(1, shown(0, vote(OTHER)), NOW);
        assertThat(again.sends()).hasSize(3).allMatch(send -> send.message() instanceof Message.Look);
        proposal.step(0, shown(1, vote(BASIS)), NOW);
        proposal.step(1, shown(1, vote(OTHER)), NOW);
        ProposalStep prepare = proposal.step(2, shown(1, null), NOW);
        assertThat(prepare.sends()).hasSize(3).allMatch(send -> send.message() instanceof Message.Prepare);
        proposal.step(0, promise(FIRST, vote(BASIS)), NOW);
        assertThat(carried(proposal.step(1, promise(FIRST, vote(OTHER)), NOW)))
                .isEqualTo(vote(OTHER).value());
        proposal.step(0, new Message.Accepted(FIRST), NOW);
        assertThat(proposal.step(1, new Message.Accepted(FIRST), NOW).ended())
                .isEqualTo(new Outcome.Read(vote(OTHER).value()));
    }

    private static Vote released(Epoch write, Epoch basis) {
        return new Vote(write, new Value(write, basis, write, null));
    }

    /** What it says does not depend on its own clock, which may leap. */
    @Test
    void whoeverCompletesAValueSaysHowOldItIsSaidToBe() {
        Vote vacant = released(OTHER, BASIS);
        Proposal proposal = begun(Proposal.read(SETTINGS, KEY));
        proposal.step(0, shown(0, null), NOW);
        proposal.step(1, shown(0, vacant), NOW);
        Stream.of(0, 1, 2).forEach(voter -> proposal.step(voter, shown(1, voter == 1 ? vacant : null), NOW));
        proposal.step(0, promise(FIRST, null), NOW);
        assertThat(accept(proposal.step(1, promise(FIRST, vacant, 30), NOW)).ageNanos())
                .isEqualTo(30);
        assertThat(accept(proposal.reached(2, new Moment(4, 20))).ageNanos()).isEqualTo(30);
        assertThat(accept(proposal.tick(new Moment(150, 20))).ageNanos()).isEqualTo(30);
    }

    @Test
    void theSmallestAgeOfThatValueIsPassedOn() {
        Vote vacant = released(OTHER, BASIS);
        Vote completed = new Vote(new Epoch(9, new Id(0, 3)), vacant.value());
        Proposal proposal = preparing();
        proposal.step(0, promise(FIRST, vacant, 40), NOW);
        Message.Accept accept = accept(proposal.step(1, promise(FIRST, completed, 20), NOW));
        assertThat(accept.value()).isEqualTo(vacant.value());
        assertThat(accept.ageNanos()).isEqualTo(20);

        Proposal beside = preparing();
        beside.step(0, promise(FIRST, released(BASIS, Epoch.NONE), 10), NOW);
        assertThat(accept(beside.step(1, promise(FIRST, vacant, 40), NOW)).ageNanos())
                .as("the other one's age is no matter")
                .isEqualTo(40);
    }

    /** A read that found voters to differ. */
    private static Proposal preparing() {
        Proposal proposal = begun(Proposal.read(SETTINGS, KEY));
        proposal.step(0, shown(0, null), NOW);
        proposal.step(1, shown(0, vote(OTHER)), NOW);
        Stream.of(0, 1, 2).forEach(voter -> proposal.step(voter, shown(1, voter == 1 ? vote(OTHER) : null), NOW));
        return proposal;
    }

    /** A voter that others cannot reach may hold this one when the other one is forgotten. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onceAnAcceptLeftAWriteIsRefusedOnlyForOneThatAMajorityHoldsAsYounger(boolean isVacant) {
        Epoch at = new Epoch(30, new Id(0, 5));
        Vote rival = isVacant ? released(at, BASIS) : new Vote(at, held(at, BASIS));
        Outcome refused = new Outcome.Refused(true, rival.value());

        assertThat(met(rival, 501, rival, 501).ended()).isInstanceOf(Outcome.Unknown.class);
        assertThat(met(vote(BASIS), 0, rival, 501).ended()).isInstanceOf(Outcome.Unknown.class);
        assertThat(met(rival, 1, rival, 0).ended()).isEqualTo(refused);
        assertThat(met(rival, 100, rival, 0).ended())
                .as("promised who knows when")
                .isNull();

        for (Vote first : List.of(rival, vote(BASIS))) {
            Proposal proposal = again();
            proposal.step(0, promise(SECOND, first, 501), NOW);
            Message.Accept accept = accept(proposal.step(1, promise(SECOND, rival, 500), LATER));
            assertThat(accept.value()).as("completed first").isEqualTo(rival.value());
            assertThat(accept.ageNanos()).isEqualTo(500);
            proposal.step(0, new Message.Accepted(SECOND), LATER);
            assertThat(proposal.step(1, new Message.Accepted(SECOND), LATER).ended())
                    .isEqualTo(refused);
        }
    }

    private static ProposalStep met(Vote first, long firstNanos, Vote second, long secondNanos) {
        Proposal proposal = again();
        proposal.step(0, promise(SECOND, first, firstNanos), NOW);
        return proposal.step(1, promise(SECOND, second, secondNanos), LATER);
    }

    /** The clock that counts suspensions shows hundredths of a second; what is older is told by the other one. */
    @ParameterizedTest
    @CsvSource({
        "0, 5000000, 4999999, 5000000, REFUSED",
        "0, 5000000, 5000000, 5000001, COMPLETES",
        "0, 5000000, 5000001, 5000001, UNKNOWN",
        "10000000, 5000000, 4999999, 5000000, REFUSED",
        "10000000, 5000000, 5000000, 5000001, COMPLETES",
        "10000000, 5000000, 5000001, 5000001, UNKNOWN",
        "30000000, 5000000, 20000000, 20000000, REFUSED",
        "30000000, 5000000, 20000000, 20000001, COMPLETES",
        "30000000, 5000000, 20000001, 20000001, UNKNOWN"
    })
    void whatIsOlderThanACallIsTheSameThoughOneOfItsClocksIsCoarse(
            long boot, long monotonic, long youngest, long oldest, End end) {
        ProposalSettings settings =
                new ProposalSettings(THREE, CALL, List.of(0, 1, 2), 0, 0, 1_000_000_000, 100_000_000, 10_000_000, 1, 3);
        Proposal proposal = Proposal.acquire(settings, KEY, BASIS, Bench.record("a", 0));
        Moment begin = new Moment(7_000_000, 3_000_000, 20);
        Moment later = new Moment(7_000_000 + boot, 3_000_000 + monotonic, 20);
        proposal.begin(begin);
        proposal.step(0, promise(FIRST, vote(BASIS)), begin);
        proposal.step(1, promise(FIRST, vote(BASIS)), begin);
        proposal.step(0, refusal(FIRST, 30), begin);
        proposal.step(1, refusal(FIRST, 30), begin);
        proposal.tick(later);
        Vote rival = released(new Epoch(30, new Id(0, 5)), BASIS);

        proposal.step(0, promise(SECOND, rival, youngest), later);
        Outcome outcome =
                proposal.step(1, promise(SECOND, rival, oldest), later).ended();

        assertThat(outcome)
                .isEqualTo(
                        switch (end) {
                            case REFUSED -> new Outcome.Refused(true, rival.value());
                            case COMPLETES -> null;
                            case UNKNOWN -> new Outcome.Unknown(List.of(2));
                        });
    }

    private enum End {
        REFUSED,
        COMPLETES,
        UNKNOWN
    }

    @Test
    void aNewWriteHasNoAge() {
        Proposal proposal = acquiring();
        proposal.step(0, promise(FIRST, vote(BASIS), 30), NOW);
        assertThat(accept(proposal.step(1, promise(FIRST, vote(BASIS), 30), NOW))
                        .ageNanos())
                .isZero();
    }

    @Test
    void onlyARenewalChangesTheLiveness() {
        for (Intent intent : Intent.values()) {
            Proposal proposal = begun(Proposal.update(SETTINGS, KEY, BASIS, Bench.record("a", 5), intent));
            proposal.step(0, promise(FIRST, vote(BASIS)), NOW);
            Value value = carried(proposal.step(1, promise(FIRST, vote(BASIS)), NOW));
            assertThat(value.liveness()).as("%s", intent).isEqualTo(intent == Intent.RENEW ? FIRST : BASIS);
        }
    }

    @Test
    void aLateAnswerToAnEarlierRoundIsIgnored() {
        Proposal proposal = again();
        assertThat(proposal.step(0, new Message.Accepted(FIRST), NOW).ended()).isNull();
        assertThat(proposal.step(1, new Message.Accepted(FIRST), NOW).ended()).isNull();
    }
}
