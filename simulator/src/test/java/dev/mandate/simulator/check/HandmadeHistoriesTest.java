package dev.mandate.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.EndReason;
import dev.mandate.simulator.check.ReasonCheck.Truth;
import dev.mandate.spi.Basis;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A checker that lets everything pass would find no mistake: each is given histories that it has to reject, and one
 * that it must not.
 */
class HandmadeHistoriesTest {
    private static final Id A = new Id(1, 1);
    private static final Id B = new Id(2, 2);
    private static final long SECOND = 1_000_000_000;

    private static void beliefs(Judge judge, Claim... claims) {
        BeliefCheck check = new BeliefCheck(1, judge);
        for (Claim claim : claims) {
            check.begun(0, claim);
            check.afterEvent();
        }
    }

    private static CallbackCheck standing(Judge judge) {
        CallbackCheck check = new CallbackCheck("c", judge);
        check.campaigned();
        return check;
    }

    private static Truth nothing() {
        return new Truth(false, false, true, false, false, false);
    }

    private static final List<HandmadeHistory> ALL = new ArrayList<>(HandmadeRequests.all());

    static {
        ALL.addAll(HandmadeTurns.all());
        ALL.addAll(HandmadeInstances.all());
        ALL.addAll(HandmadeRegisters.all());
    }

    private static void bad(Invariant broken, String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(broken, words, events));
    }

    private static void good(String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(null, words, events));
    }

    static {
        bad(Invariant.BELIEF, "two at once", j -> beliefs(j, HandmadeClaim.valid(0, 1), HandmadeClaim.valid(1, 2)));
        bad(
                Invariant.BELIEF,
                "the older begins last",
                j -> beliefs(j, HandmadeClaim.valid(1, 2), HandmadeClaim.valid(0, 1)));
        bad(
                Invariant.BELIEF,
                "a third comes",
                j -> beliefs(j, HandmadeClaim.draining(0, 1), HandmadeClaim.valid(0, 2), HandmadeClaim.valid(2, 3)));
        bad(Invariant.EFFECTS, "work drains", j -> beliefs(j, HandmadeClaim.draining(0, 1), HandmadeClaim.valid(1, 2)));
        bad(
                Invariant.EFFECTS,
                "of the one before",
                j -> beliefs(j, HandmadeClaim.draining(0, 1), HandmadeClaim.valid(0, 2), HandmadeClaim.draining(2, 3)));
        bad(
                Invariant.EFFECTS,
                "of two",
                j -> beliefs(j, HandmadeClaim.draining(0, 1), HandmadeClaim.draining(0, 2), HandmadeClaim.valid(3, 3)));
        good(
                "one after the other; overruns and those forced out overlap",
                j -> beliefs(
                        j,
                        new HandmadeClaim(0, 1, false, false, false, false),
                        new HandmadeClaim(1, 2, false, true, true, false),
                        new HandmadeClaim(2, 3, true, true, false, true),
                        HandmadeClaim.valid(3, 4)));

        good("nothing counts once the schedule is over", j -> {
            j.close();
            beliefs(j, HandmadeClaim.valid(0, 1), HandmadeClaim.valid(1, 2));
        });
        bad(Invariant.BELIEF, "what was broken before stays broken", j -> {
            beliefs(j, HandmadeClaim.valid(0, 1), HandmadeClaim.valid(1, 2));
            j.close();
        });

        bad(Invariant.REVIVAL, "valid again", j -> new DeadlineCheck(j).askedAgain("t", true));
        bad(Invariant.REVIVAL, "after a no", j -> {
            new DeadlineCheck(j).askedAgain("t", false);
            new DeadlineCheck(j).askedAgain("t", true);
        });
        bad(Invariant.REVIVAL, "and told in time", j -> {
            new DeadlineCheck(j).open("t", true, -1, 0);
            new DeadlineCheck(j).askedAgain("t", true);
        });
        bad(
                Invariant.REPLIES,
                "a late win makes a leader",
                j -> new WorkCheck(j).hearsLate("c", List.of("doubting"), List.of("leading", "until 5")));
        bad(
                Invariant.REPLIES,
                "a late renewal prolongs a term",
                j -> new WorkCheck(j).hearsLate("c", List.of("leading", "until 5"), List.of("leading", "until 9")));
        bad(
                Invariant.REPLIES,
                "a late read takes the basis back",
                j -> new WorkCheck(j).hearsLate("c", List.of("following", "basis 4"), List.of("following", "basis 3")));
        good(
                "a late answer changes nothing",
                j -> new WorkCheck(j).hearsLate("c", List.of("leading", "until 5"), List.of("leading", "until 5")));
        bad(Invariant.DEADLINE, "late", j -> new DeadlineCheck(j).open("t", true, 11, 10));
        bad(Invariant.DEADLINE, "without any grace", j -> new DeadlineCheck(j).open("t", true, 1, 0));
        bad(Invariant.DEADLINE, "told and deaf", j -> new DeadlineCheck(j).toldLost("t", false));
        bad(Invariant.OVERRUN, "unreported", j -> new DeadlineCheck(j).works("t", true, 11, 10));
        bad(Invariant.OVERRUN, "without any grace", j -> new DeadlineCheck(j).works("t", true, 1, 0));
        bad(Invariant.OVERRUN, "in the end", j -> {
            new DeadlineCheck(j).works("t", false, 99, 10);
            new DeadlineCheck(j).works("t", true, 99, 10);
        });
        good("ended in time, or frozen", j -> {
            new DeadlineCheck(j).works("t", true, 10, 10);
            new DeadlineCheck(j).works("t", false, 99, 10);
            new DeadlineCheck(j).open("t", true, 10, 10);
            new DeadlineCheck(j).open("t", false, 99, 10);
            new DeadlineCheck(j).toldLost("t", true);
            new DeadlineCheck(j).askedAgain("t", false);
        });

        bad(Invariant.TERMS, "smaller", j -> terms(j, 5, 4));
        bad(Invariant.TERMS, "the same", j -> terms(j, 5, 5));
        bad(Invariant.TERMS, "changed under one attempt", j -> {
            TermCheck check = new TermCheck(1, j);
            check.stands(0, A, 7, false);
            check.stands(0, A, 8, false);
        });
        bad(Invariant.RECORD, "flag dropped", j -> flags(j, true, false));
        bad(Invariant.RECORD, "flag dropped later", j -> flags(j, false, true, true, false));
        bad(Invariant.RECORD, "flag carried over", j -> {
            TermCheck check = new TermCheck(1, j);
            check.stands(0, A, 1, false);
            check.stands(0, A, 1, true);
            check.stands(0, B, 2, true);
        });
        bad(Invariant.RECORD, "flag of another term of the attempt", j -> {
            TermCheck check = new TermCheck(1, j);
            check.stands(0, A, 1, false);
            check.vacated(0);
            check.stands(0, A, 2, true);
        });
        good("terms rise, flags stay, also when what had expired is renewed", j -> {
            terms(j, 1, 2, 9);
            flags(j, false, true, true);
            TermCheck check = new TermCheck(1, j);
            check.stands(0, A, 1, false);
            check.stands(0, A, 1, true);
            check.vacated(0);
            check.stands(0, A, 1, true);
            check.vacated(0);
            check.stands(0, A, 2, false);
        });

        bad(Invariant.FENCE, "an older one admitted", j -> new FenceCheck(1, j).decided(0, decided(j, 5), true));
        bad(Invariant.FENCE, "the valid one refused", j -> {
            FenceCheck check = new FenceCheck(1, j);
            check.write(0, 9, true);
            check.write(0, 8, true);
        });
        bad(Invariant.FENCE, "after two", j -> {
            FenceCheck check = new FenceCheck(2, j);
            check.write(1, 3, true);
            check.write(1, 6, true);
            check.decided(1, 5, true);
        });
        good("the deposed is refused", j -> {
            FenceCheck check = new FenceCheck(1, j);
            check.write(0, 1, true);
            check.write(0, 2, true);
            check.write(0, 1, false);
        });

        bad(Invariant.RELEASE, "work runs", j -> new WorkCheck(j).letsGo("c", "it", true, false));
        bad(Invariant.RELEASE, "work runs, by its session", j -> new WorkCheck(j).letsGo("c", "s1", true, false));
        bad(Invariant.RELEASE, "for no reason", j -> new WorkCheck(j).givesUp("c", false));
        bad(Invariant.ATTEMPT, "work runs", j -> new WorkCheck(j).acquires("c", true, true, 0));
        bad(Invariant.ATTEMPT, "does not stand", j -> new WorkCheck(j).acquires("c", false, false, 0));
        bad(Invariant.ATTEMPT, "too soon", j -> new WorkCheck(j).acquires("c", false, true, 1));
        bad(Invariant.ATTEMPT, "an older attempt leads", j -> new WorkCheck(j).begins("c", false, 0));
        bad(Invariant.ATTEMPT, "unsettled", j -> new WorkCheck(j).begins("c", true, 1));
        bad(Invariant.SESSION, "two kept", j -> new WorkCheck(j).keeps("c", 2));
        bad(Invariant.SESSION, "many kept", j -> new WorkCheck(j).keeps("c", 9));
        bad(Invariant.SESSION, "two openings", j -> new WorkCheck(j).opens("c", true));
        good("acquires, leads, stops, lets go", j -> {
            WorkCheck check = new WorkCheck(j);
            check.opens("c", false);
            check.acquires("c", false, true, 0);
            check.begins("c", true, 0);
            check.letsGo("c", "it", false, false);
            check.letsGo("c", "it", true, true);
            check.givesUp("c", true);
            check.keeps("c", 1);
        });

        bad(Invariant.SILENCE, "begins", j -> new CallbackCheck("c", j).begun(1));
        bad(Invariant.SILENCE, "writes", j -> new CallbackCheck("c", j).wrote("the lead"));
        bad(Invariant.SILENCE, "after the withdrawal", j -> {
            CallbackCheck check = standing(j);
            check.withdrawn(false);
            check.wrote("an update");
        });
        bad(Invariant.CALLBACKS, "two begins", j -> {
            CallbackCheck check = standing(j);
            check.begun(1);
            check.begun(2);
        });
        bad(Invariant.CALLBACKS, "an end too many", j -> standing(j).ended(1));
        bad(Invariant.CALLBACKS, "withdrawn while work runs", j -> standing(j).withdrawn(true));
        bad(Invariant.CALLBACKS, "answered twice", j -> {
            CallbackCheck check = standing(j);
            check.proclaims(1);
            check.proclaimed(1);
            check.proclaimed(1);
        });
        good("begins, proclaims, ends, is withdrawn", j -> {
            CallbackCheck check = standing(j);
            check.wrote("the lead");
            check.begun(1);
            check.proclaims(1);
            check.proclaimed(1);
            check.ended(1);
            check.withdrawn(false);
        });

        bad(Invariant.REASON, "nobody evicted it", j -> new ReasonCheck(j).ended("t", EndReason.EVICTED, nothing()));
        bad(Invariant.REASON, "it stands", j -> new ReasonCheck(j).ended("t", EndReason.DISPLACED, nothing()));
        bad(
                Invariant.REASON,
                "the lease lives",
                j -> new ReasonCheck(j).ended("t", EndReason.LEASE_RAN_OUT, nothing()));
        bad(Invariant.REASON, "nobody resigned", j -> new ReasonCheck(j).ended("t", EndReason.RESIGNED, nothing()));
        bad(Invariant.REASON, "two tries", j -> new ReasonCheck(j).ranOut("t", 2));
        good("true reasons", j -> {
            ReasonCheck check = new ReasonCheck(j);
            check.ranOut("t", 3);
            check.ended("t", EndReason.RESIGNED, new Truth(true, false, true, false, false, false));
            check.ended("t", EndReason.LEASE_RAN_OUT, new Truth(false, true, true, false, false, false));
            check.ended("t", EndReason.VANISHED, new Truth(false, false, false, false, false, false));
        });

        bad(
                Invariant.VIEW,
                "back to an older term",
                j -> view(j, record(A, 4, "a"), record(B, 5, "b")).told(1, 0));
        bad(
                Invariant.VIEW,
                "long after",
                j -> view(j, record(A, 1, "a"), record(B, 2, "b"), record(A, 1, "a"))
                        .told(0, 1, 0));
        bad(
                Invariant.VIEW,
                "an older value",
                j -> view(j, record(A, 1, "a"), record(A, 1, "b")).told(0, 1, 0));
        bad(Invariant.VIEW, "what never stood", j -> view(j, record(A, 1, "a")).tell(record(A, 1, "b")));
        bad(Invariant.VIEW, "a vacancy from before", j -> {
            Views views = view(j, record(A, 1, "a"));
            views.told(0);
            views.check.vacant();
        });
        bad(
                Invariant.VIEW,
                "a holder that is silent, not for its lease",
                j -> signs(j, 20).silent(99, 1.0, 29 * SECOND));
        bad(
                Invariant.VIEW,
                "a silence before the holder they were told of",
                j -> signs(j, 20, 40).silent(99, 1.0, 49 * SECOND));
        bad(Invariant.VIEW, "the lease of whoever looks", j -> signs(j, 20).silent(SECOND, 1.0, 25 * SECOND));
        good("silent for its lease, at once and on a fast clock", j -> {
            signs(j, 20).silent(99, 1.0, 30 * SECOND);
            signs(j, 20).silent(99, 1.1, 29_100_000_000L);
            signs(j).silent(99, 1.0, SECOND);
        });
        bad(Invariant.VIEW, "wrong in the end", j -> view(j).check.inTheEnd("vacant", "led by c1"));
        good("rises, skips, and is right", j -> {
            Views views = view(j, record(A, 1, "a"), record(A, 1, "b"), null, record(B, 2, "c"));
            views.check.vacant();
            views.told(0, 0, 1);
            views.check.vacant();
            views.told(3);
            views.check.inTheEnd("vacant", "vacant");
        });

        bad(Invariant.VALUE, "another term", j -> values(j).begun(2, A, record(A, 1, "a")));
        bad(Invariant.VALUE, "another attempt", j -> values(j).begun(1, B, record(A, 1, "a")));
        bad(Invariant.VALUE, "another value", j -> values(j).begun(1, A, record(A, 1, "b")));
        bad(Invariant.VALUE, "another term later", j -> values(j).shown(2, record(A, 1, "a")));
        bad(Invariant.VALUE, "nothing was published", j -> {
            ValueCheck check = values(j);
            check.proclaims(A, "b");
            check.proclaimed(1);
        });
        bad(Invariant.VALUE, "only an older one was", j -> {
            ValueCheck check = values(j);
            check.proclaims(A, "a");
            check.proclaims(A, "b");
            check.proclaimed(2);
        });
        bad(Invariant.VALUE, "of nobody", j -> {
            ValueCheck check = values(j);
            check.proclaims(null, "a");
            check.proclaimed(1);
        });
        good("announced as it stands; a later value answers for an older one", j -> {
            ValueCheck check = values(j);
            check.begun(1, A, record(A, 1, "a"));
            check.shown(1, record(A, 1, "z"));
            check.proclaims(A, "0");
            check.proclaims(A, "a");
            check.proclaimed(1);
            check.proclaimed(2);
        });

        bad(Invariant.LEADER, "nobody in time", j -> healed(j).nobodyLeads(0, true, 101));
        bad(Invariant.LEADER, "nobody yet, quiet or not", j -> healed(j).nobodyLeads(0, false, 101));
        bad(Invariant.LEADER, "nobody for long", j -> {
            RecoveryCheck check = healed(j);
            check.nobodyLeads(0, true, 50);
            check.nobodyLeads(0, true, 500);
        });
        bad(Invariant.CALM, "another leads", j -> {
            RecoveryCheck check = healed(j);
            check.leads(0, 1, true, 50);
            check.leads(0, 2, true, 101);
        });
        bad(Invariant.CALM, "nobody leads any more", j -> {
            RecoveryCheck check = healed(j);
            check.leads(0, 1, true, 50);
            check.nobodyLeads(0, true, 101);
        });
        bad(Invariant.CALM, "and back", j -> {
            RecoveryCheck check = healed(j);
            check.leads(0, 2, true, 101);
            check.leads(0, 1, true, 102);
        });
        for (Invariant late : List.of(Invariant.LEFTOVERS, Invariant.ENDING)) {
            bad(late, "too late", j -> healed(j).unclean(0, late, "", 201));
            bad(late, "much too late", j -> healed(j).unclean(0, late, "", 2_001));
            bad(late, "still", j -> {
                RecoveryCheck check = healed(j);
                check.unclean(0, late, "", 150);
                check.unclean(0, late, "", 250);
            });
        }
        good("a leader in time, and no other", j -> {
            RecoveryCheck check = healed(j);
            check.nobodyLeads(0, true, 100);
            check.leads(0, 1, true, 100);
            check.leads(0, 1, true, 300);
            check.unclean(0, Invariant.LEFTOVERS, "", 200);
        });
    }

    private static void terms(Judge judge, long... terms) {
        TermCheck check = new TermCheck(1, judge);
        for (long term : terms) {
            check.begun(0, term, false);
        }
    }

    private static void flags(Judge judge, boolean... leave) {
        TermCheck check = new TermCheck(1, judge);
        check.stands(0, A, 1, false);
        for (boolean flag : leave) {
            check.stands(0, A, 1, flag);
        }
    }

    private static long decided(Judge judge, long token) {
        FenceCheck check = new FenceCheck(1, judge);
        check.decided(0, token, true);
        check.decided(0, token - 1, true);
        return token;
    }

    private static final RecordKey KEY = RecordKey.election("e0");

    private record At(long number) implements Basis, Liveness {}

    private static Observation.Held record(Id attempt, long term, String value) {
        LeaderRecord record = LeaderRecord.proposal("c", A, attempt, value, Duration.ofSeconds(10), 0);
        return Observation.held(KEY, new At(term), new At(term), term, record);
    }

    /** Observers of an election at whose key {@code stood} stood, one after the other; null for a vacancy. */
    private record Views(ViewCheck check, Observation.Held... stood) {
        void told(int... which) {
            for (int i : which) {
                tell(stood[i]);
            }
        }

        void tell(Observation.Held held) {
            check.led(held);
        }
    }

    private static Views view(Judge judge, Observation.Held... stood) {
        return new Views(new ViewCheck("c", 0, chronicle(stood), new Silences(1), judge), stood);
    }

    /**
     * Of observers who were told of the last of these holders, each with a lease of 10 s and one sign of life, in
     * seconds.
     */
    private static ViewCheck signs(Judge judge, int... seconds) {
        Chronicle chronicle = new Chronicle(1);
        Silences silences = new Silences(1);
        ViewCheck check = new ViewCheck("c", 0, chronicle, silences, judge);
        for (int at : seconds) {
            Observation.Held held = record(A, at, "a");
            chronicle.stands(0, held, at * SECOND);
            silences.stands(0, held, at * SECOND);
            check.led(held);
        }
        return check;
    }

    private static ValueCheck values(Judge judge) {
        return new ValueCheck("c", 0, chronicle(record(A, 1, "a")), judge);
    }

    private static Chronicle chronicle(Observation.Held... stood) {
        Chronicle chronicle = new Chronicle(1);
        for (Observation.Held held : stood) {
            chronicle.stands(0, held == null ? Observation.vacant(KEY, new At(0)) : held, 0);
        }
        return chronicle;
    }

    private static RecoveryCheck healed(Judge judge) {
        RecoveryCheck check = new RecoveryCheck(1, judge);
        check.healed(0, 100, 200);
        return check;
    }

    static Stream<HandmadeHistory> all() {
        return ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("all")
    void isJudgedRightly(HandmadeHistory history) {
        Judge judge = new Judge();

        history.events().accept(judge);

        assertThat(judge.broken()).as(judge.words()).isEqualTo(history.broken());
    }

    /**
     * Worlds judge two of them themselves: totality, when an event throws; and isolation, where the real runtime runs.
     */
    @Test
    void everyInvariantIsBrokenInThreeWays() {
        Set<Invariant> judgedByWorlds = EnumSet.of(Invariant.TOTALITY, Invariant.ISOLATION);
        Map<Invariant, Integer> ways = new EnumMap<>(Invariant.class);
        ALL.stream().filter(h -> h.broken() != null).forEach(h -> ways.merge(h.broken(), 1, Integer::sum));

        for (Invariant invariant : Invariant.values()) {
            if (!judgedByWorlds.contains(invariant)) {
                assertThat(ways.getOrDefault(invariant, 0)).as("%s", invariant).isGreaterThanOrEqualTo(3);
            }
        }
    }
}
