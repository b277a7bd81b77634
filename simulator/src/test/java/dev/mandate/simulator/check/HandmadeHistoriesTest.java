package dev.mandate.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.LossReason;
import dev.mandate.simulator.check.ElectionRequests.Kind;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A checker that lets everything pass would find no mistake: each is given histories that it has to reject, and one that it must not. */
class HandmadeHistoriesTest {
    private static final Id A = new Id(1, 1);
    private static final Id B = new Id(2, 2);

    /** What happened; {@code broken} is null if all of it is right. */
    private record History(Invariant broken, String words, Consumer<Judge> events) {
        @Override
        public String toString() {
            return (broken == null ? "fine" : broken) + ": " + words;
        }
    }

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

    private static LoadCheck load(Judge judge) {
        return new LoadCheck("c", 1_000, 5, 2, 5, judge);
    }

    /** Retries 10 apart, polls 50, renewals 100, listings 200, after a fault 60; a store may ask for 500. */
    private static final Spacing SPACING = new Spacing(10, 50, 100, 200, 60, 500);

    private static ElectionRequests requests(Judge judge) {
        return new ElectionRequests("c", SPACING, judge);
    }

    /** Something is asked for at 0 and failed at 5, again 10 after that and failed 5 later, and so on; and then asked for at {@code last}. */
    private static void fails(Judge judge, Kind kind, int failures, long last) {
        ElectionRequests requests = requests(judge);
        long at = 0;
        for (int i = 0; i < failures; i++) {
            requests.asks(kind, A, at, at + 30);
            requests.failed(at + 5);
            at += 5 + SPACING.poll();
        }
        requests.asks(kind, A, at - SPACING.poll() + last, Long.MAX_VALUE);
    }

    /** Asks for the lead at 0 and is refused at 5, as often as said, and asks again {@code last} later. */
    private static void refused(Judge judge, boolean byHolder, int refusals, long retryAfter, long last) {
        ElectionRequests requests = requests(judge);
        long at = 0;
        for (int i = 0; i < refusals; i++) {
            requests.asks(Kind.ACQUIRE, null, at, at + 30);
            requests.refused(at + 5, byHolder, retryAfter);
            at += 5 + SPACING.poll();
        }
        requests.asks(Kind.ACQUIRE, null, at - SPACING.poll() + last, Long.MAX_VALUE);
    }

    /** Refused at 5, looks at 16, is refused again at 18 and asks again 10 after that. */
    private static void looksBetween(Judge judge, boolean isHeld) {
        ElectionRequests requests = requests(judge);
        requests.asks(Kind.ACQUIRE, null, 0, 30);
        requests.refused(5, false, 0);
        requests.asks(Kind.READ, null, 15, 45);
        requests.answered(16, isHeld, false);
        requests.asks(Kind.ACQUIRE, null, 17, 47);
        requests.refused(18, false, 0);
        requests.asks(Kind.ACQUIRE, null, 28, 58);
    }

    private static SessionRequests session(Judge judge) {
        return new SessionRequests("c", SPACING, SPACING, judge);
    }

    private static ListingRequests listing(Judge judge) {
        return new ListingRequests("c", SPACING, judge);
    }

    private static Truth nothing() {
        return new Truth(false, false, true, false, false, false);
    }

    private static final List<History> ALL = new ArrayList<>();

    private static void bad(Invariant broken, String words, Consumer<Judge> events) {
        ALL.add(new History(broken, words, events));
    }

    private static void good(String words, Consumer<Judge> events) {
        ALL.add(new History(null, words, events));
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

        bad(Invariant.LOAD, "too many requests", j -> {
            LoadCheck check = load(j);
            for (int i = 0; i < 6; i++) {
                check.asked(i);
            }
        });
        bad(Invariant.LOAD, "too many requests for an older session", j -> {
            LoadCheck check = load(j);
            check.covers("s1", 0);
            check.covers("s1", 0);
            IntStream.range(0, 8).forEach(i -> check.asked(i));
        });
        good("a session that came too late is ended", j -> {
            LoadCheck check = load(j);
            check.ends("s2", 0);
            IntStream.range(0, 9).forEach(i -> check.asked(i));
        });
        good("an older session is renewed, too", j -> {
            LoadCheck check = load(j);
            check.covers("s1", 0);
            IntStream.range(0, 7).forEach(i -> check.asked(i));
        });
        bad(Invariant.LOAD, "too many wake-ups", j -> {
            LoadCheck check = load(j);
            for (int i = 0; i < 6; i++) {
                check.woke(i);
            }
        });
        good("as many as there may be", j -> {
            LoadCheck check = load(j);
            IntStream.range(0, 5).forEach(i -> check.asked(i));
            IntStream.range(0, 5).forEach(i -> check.woke(i));
            IntStream.range(0, 5).forEach(i -> check.asked(1_000 + i));
        });

        bad(Invariant.IN_FLIGHT, "a write beside a write", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.RENEW, null, 0, 100);
            check.asks(Kind.LET_GO, A, 99, 199);
        });
        bad(Invariant.IN_FLIGHT, "a look beside a write", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.ACQUIRE, null, 0, 100);
            check.asks(Kind.READ, null, 1, 101);
        });
        bad(Invariant.IN_FLIGHT, "a look beside a look", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.wantsLook(50);
            check.asks(Kind.READ, null, 60, 160);
        });
        bad(Invariant.IN_FLIGHT, "a write beside a write that gave up a look", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.asks(Kind.ACQUIRE, null, 10, 110);
            check.asks(Kind.LET_GO, A, 100, 200);
        });
        bad(Invariant.IN_FLIGHT, "a session's end beside its renewal", j -> {
            SessionRequests check = session(j);
            check.asks(true, 0, 100);
            check.asks(false, 99, 199);
        });
        bad(Invariant.IN_FLIGHT, "two pages", j -> {
            ListingRequests check = listing(j);
            check.asks(true, 0, 100);
            check.asks(false, 99, 199);
        });
        good("one request after the other, and looks that are given up", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.asks(Kind.ACQUIRE, null, 5, 105);
            check.answered(20, false, false);
            check.asks(Kind.READ, null, 20, 120);
            check.changed(30, false);
            check.asks(Kind.READ, null, 30, 130);
            check.asks(Kind.LET_GO, A, 35, 135);
            check.asks(Kind.LET_GO, A, 145, 245);
            SessionRequests other = session(j);
            other.asks(true, 35, 135);
            other.answered(40);
            other.asks(false, 40, 140);
            ListingRequests list = listing(j);
            list.asks(true, 35, 135);
            list.answered(false);
            list.asks(false, 35, 135);
        });

        bad(Invariant.PACE, "a look after a look", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.answered(1, false, false);
            check.asks(Kind.READ, null, 40, 140);
        });
        bad(Invariant.PACE, "a look too close even though a hint came", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.wantsLook(1);
            check.answered(2, false, false);
            check.asks(Kind.READ, null, 9, 109);
        });
        bad(Invariant.PACE, "a look given up and repeated", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.changed(5, false);
            check.asks(Kind.READ, null, 9, 109);
        });
        bad(Invariant.PACE, "a hint before the failure asks for nothing after it", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.wantsLook(50);
            check.asks(Kind.READ, null, 109, 209);
        });
        bad(Invariant.PACE, "a look in spite of a fault", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.faulted(5);
            check.asks(Kind.READ, null, 52, 152);
        });
        bad(Invariant.PACE, "the lead asked for in spite of a fault", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.faulted(5);
            check.asks(Kind.ACQUIRE, null, 52, 152);
        });
        good("looks at their pace, or because something asks for them", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.READ, null, 0, 100);
            check.answered(1, false, false);
            check.asks(Kind.READ, null, 41, 141);
            check.wantsLook(42);
            check.answered(43, true, false);
            check.asks(Kind.READ, null, 51, 151);
            check.faulted(52);
            check.asks(Kind.READ, null, 100, 200);
            check.answered(101, true, true);
            check.changed(101, true);
            check.asks(Kind.READ, null, 102, 202);
            // Nobody hears of it any more: it does not fail.
            check.changed(103, false);
            check.wantsLook(202);
            check.asks(Kind.READ, null, 202, 302);
        });
        for (Kind kind : Kind.values()) {
            long third = kind == Kind.RENEW ? 20 : 32;
            bad(Invariant.PACE, kind + " again at once", j -> fails(j, kind, 1, 9));
            bad(Invariant.PACE, kind + " without growing pauses", j -> fails(j, kind, 3, third - 1));
            good(kind + " at its pace", j -> {
                fails(j, kind, 1, 10);
                fails(j, kind, 3, third);
                fails(j, kind, 9, 50);
            });
        }
        bad(Invariant.PACE, "no answer counts as a failure", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.LET_GO, A, 0, 100);
            check.asks(Kind.LET_GO, A, 109, 209);
        });
        bad(Invariant.PACE, "refused by a vacancy", j -> refused(j, false, 1, 0, 9));
        bad(Invariant.PACE, "refused by a vacancy again and again", j -> refused(j, false, 2, 0, 19));
        bad(Invariant.PACE, "a third race lost", j -> refused(j, true, 3, 0, 24));
        bad(Invariant.PACE, "the store names a pause", j -> refused(j, true, 1, 400, 399));
        bad(Invariant.PACE, "refused by a vacancy again, though a look showed it in between", j -> looksBetween(j, false));
        good("refused by a vacancy again after a look that showed a holder", j -> looksBetween(j, true));
        good("refused, and again at its pace", j -> {
            refused(j, false, 1, 0, 10);
            refused(j, false, 2, 0, 20);
            refused(j, true, 2, 0, 0);
            refused(j, true, 3, 0, 25);
            refused(j, true, 1, 1_000_000, 500);
        });
        good("another thing need not wait: another session, another record, a value wanted anew, another role", j -> {
            ElectionRequests check = requests(j);
            check.asks(Kind.ACQUIRE, "s1", 0, 100);
            check.failed(5);
            check.asks(Kind.ACQUIRE, "s2", 6, 106);
            check.failed(7);
            check.changed(8, true);
            check.asks(Kind.LET_GO, A, 9, 109);
            check.failed(10);
            check.asks(Kind.LET_GO, B, 11, 111);
            check.failed(12);
            check.changed(13, false);
            check.asks(Kind.LET_GO, B, 14, 114);
            check.answered(15, false, false);
            check.asks(Kind.PROCLAIM, null, 16, 116);
            check.failed(17);
            check.wantsProclaim(18);
            check.asks(Kind.PROCLAIM, null, 19, 119);
        });
        for (boolean renewal : List.of(true, false)) {
            bad(Invariant.PACE, "a session again at once", j -> {
                SessionRequests check = session(j);
                check.asks(renewal, 0, 100);
                check.asks(renewal, 109, 209);
            });
            good("a session at its pace", j -> {
                SessionRequests check = session(j);
                check.asks(renewal, 0, 100);
                check.asks(renewal, 110, 210);
                check.failed(111, false);
                check.asks(renewal, renewal ? 121 : 127, 250);
                check.answered(130);
            });
        }
        bad(Invariant.PACE, "a page again at once", j -> {
            ListingRequests check = listing(j);
            check.asks(true, 0, 100);
            check.failed(5, false);
            check.asks(false, 14, 114);
        });
        bad(Invariant.PACE, "a page although listing is refused", j -> {
            ListingRequests check = listing(j);
            check.asks(true, 0, 100);
            check.failed(5, true);
            check.asks(true, 164, 264);
        });
        bad(Invariant.PACE, "one listing after the other", j -> {
            ListingRequests check = listing(j);
            check.asks(true, 0, 100);
            check.answered(true);
            check.asks(true, 9, 109);
        });
        good("pages at their pace", j -> {
            ListingRequests check = listing(j);
            check.asks(true, 0, 100);
            check.answered(false);
            check.asks(false, 1, 101);
            check.failed(5, false);
            check.asks(false, 15, 115);
            check.answered(true);
            check.asks(true, 16, 116);
            check.failed(20, true);
            check.asks(true, 180, 280);
        });
        bad(Invariant.PACE, "opened again at once", j -> opens(j, false, 9));
        bad(Invariant.PACE, "opened although it is refused", j -> opens(j, true, 47));
        good("opened again at its pace", j -> {
            opens(j, false, 10);
            opens(j, true, 48);
        });

        bad(Invariant.REASON, "nobody evicted it", j -> new ReasonCheck(j).ended("t", LossReason.EVICTED, nothing()));
        bad(Invariant.REASON, "it stands", j -> new ReasonCheck(j).ended("t", LossReason.DISPLACED, nothing()));
        bad(
                Invariant.REASON,
                "the lease lives",
                j -> new ReasonCheck(j).ended("t", LossReason.LEASE_RAN_OUT, nothing()));
        bad(Invariant.REASON, "nobody resigned", j -> new ReasonCheck(j).ended("t", LossReason.RESIGNED, nothing()));
        bad(Invariant.REASON, "two tries", j -> new ReasonCheck(j).ranOut("t", 2));
        good("true reasons", j -> {
            ReasonCheck check = new ReasonCheck(j);
            check.ranOut("t", 3);
            check.ended("t", LossReason.RESIGNED, new Truth(true, false, true, false, false, false));
            check.ended("t", LossReason.LEASE_RAN_OUT, new Truth(false, true, true, false, false, false));
            check.ended("t", LossReason.VANISHED, new Truth(false, false, false, false, false, false));
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
            views.check.vacant(false);
        });
        bad(Invariant.VIEW, "wrong in the end", j -> view(j).check.inTheEnd("vacant", "led by c1"));
        good("rises, skips, and is right", j -> {
            Views views = view(j, record(A, 1, "a"), record(A, 1, "b"), null, record(B, 2, "c"));
            views.check.vacant(false);
            views.told(0, 0, 1);
            views.check.vacant(false);
            views.told(3);
            views.check.vacant(true);
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
        return new Views(new ViewCheck("c", 0, chronicle(stood), judge), stood);
    }

    private static ValueCheck values(Judge judge) {
        return new ValueCheck("c", 0, chronicle(record(A, 1, "a")), judge);
    }

    private static Chronicle chronicle(Observation.Held... stood) {
        Chronicle chronicle = new Chronicle(1);
        for (Observation.Held held : stood) {
            chronicle.stands(0, held == null ? Observation.vacant(KEY, new At(0)) : held);
        }
        return chronicle;
    }

    private static void opens(Judge judge, boolean forGood, long last) {
        OpeningRequests check = new OpeningRequests("c", SPACING, judge);
        check.asks(0, 100);
        check.failed(5, forGood);
        check.asks(5 + last, 105 + last);
    }

    private static RecoveryCheck healed(Judge judge) {
        RecoveryCheck check = new RecoveryCheck(1, judge);
        check.healed(0, 100, 200);
        return check;
    }

    static Stream<History> all() {
        return ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("all")
    void isJudgedRightly(History history) {
        Judge judge = new Judge();

        history.events.accept(judge);

        assertThat(judge.broken()).as(judge.words()).isEqualTo(history.broken);
    }

    /** Worlds judge two of them themselves: totality, when an event throws; and isolation, where the real runtime runs. */
    @Test
    void everyInvariantIsBrokenInThreeWays() {
        Set<Invariant> judgedByWorlds = EnumSet.of(Invariant.TOTALITY, Invariant.ISOLATION);
        Map<Invariant, Integer> ways = new EnumMap<>(Invariant.class);
        ALL.stream().filter(h -> h.broken != null).forEach(h -> ways.merge(h.broken, 1, Integer::sum));

        for (Invariant invariant : Invariant.values()) {
            if (!judgedByWorlds.contains(invariant)) {
                assertThat(ways.getOrDefault(invariant, 0)).as("%s", invariant).isGreaterThanOrEqualTo(3);
            }
        }
    }
}
