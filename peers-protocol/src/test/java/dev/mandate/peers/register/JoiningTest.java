package dev.mandate.peers.register;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.register.Message.Ceiling;
import dev.mandate.spi.Id;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JoiningTest {
    private static final Group GROUP = new Group(3);
    private static final long QUARANTINE = 1_000;
    private static final Start OWN = new Start(1, new Id(9, 9));
    private static final DurableState NEW = DurableState.none(GROUP);

    private final Joining joining = new Joining(new VoterSettings(GROUP, 0, QUARANTINE, 1_000, 100), OWN);

    private static Start start(int number, long id) {
        return new Start(number, new Id(5, id));
    }

    private static Message.Welcome welcome(int voter, Start own, Ceiling ceiling, List<Start> starts) {
        return new Message.Welcome(voter, OWN, own, OWN, ceiling, 77, List.of(), starts);
    }

    private void hasNoCeiling(int voter, long nowNanos) {
        Start own = start(1, voter);
        joining.welcomed(welcome(voter, own, Ceiling.NONE, NEW.known()), nowNanos);
    }

    /**
     * Each of the others may have been without one after the other, and have learnt since: no majority was, at any
     * time.
     */
    @Test
    void nobodyFoundsOnWhatWasTrueOneAfterTheOther() {
        hasNoCeiling(1, 0);
        joining.forgetWithout(QUARANTINE / 2);
        hasNoCeiling(2, QUARANTINE / 2);
        assertThat(joining.entry(NEW)).isEmpty();

        hasNoCeiling(1, QUARANTINE / 2 + 1);
        joining.forgetWithout(QUARANTINE / 2 + 2);
        assertThat(joining.entry(NEW)).isPresent();
    }

    @Test
    void aCeilingIsALowerBoundHoweverOldItIs() {
        joining.welcomed(welcome(1, start(1, 1), Ceiling.CONFIRMED, NEW.known()), 0);
        joining.forgetWithout(100 * QUARANTINE);
        joining.welcomed(welcome(2, start(1, 2), Ceiling.CONFIRMED, NEW.known()), 100 * QUARANTINE);

        assertThat(joining.entry(NEW)).map(DurableState::ceiling).contains(77L);
    }

    /**
     * Another start of the same number may have been seen, which never voted: the one that votes is the one to name.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoVotesKnowsItsOwnStartBest(int first) {
        Start voting = start(2, 1);
        List<Start> rumour = List.of(Start.NONE, start(2, 8), start(1, 2));
        Stream.of(first, 3 - first)
                .map(voter -> voter == 1
                        ? welcome(1, voting, Ceiling.CONFIRMED, NEW.known())
                        : welcome(2, start(1, 2), Ceiling.CONFIRMED, rumour))
                .forEach(answer -> joining.welcomed(answer, 0));

        assertThat(joining.entry(NEW)).map(DurableState::known).contains(List.of(OWN, voting, start(1, 2)));
    }
}
