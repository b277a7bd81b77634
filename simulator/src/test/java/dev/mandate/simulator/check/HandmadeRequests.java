package dev.mandate.simulator.check;

import dev.mandate.simulator.check.ElectionRequests.Kind;
import dev.mandate.spi.Id;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Histories of what a client asks for: how much, how much at once, and how soon again. */
final class HandmadeRequests {
    private static final Id A = new Id(1, 1);
    private static final Id B = new Id(2, 2);

    private static final List<HandmadeHistory> ALL = new ArrayList<>();

    private HandmadeRequests() {}

    private static void bad(Invariant broken, String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(broken, words, events));
    }

    private static void good(String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(null, words, events));
    }

    private static LoadCheck load(Judge judge) {
        return new LoadCheck("c", 1_000, 5, 2, 5, judge);
    }

    /** Retries 10 apart, polls 50, renewals 100, listings 200, after a fault 60; a store may ask for 500. */
    private static final Spacing SPACING = new Spacing(10, 50, 100, 200, 60, 500);

    private static ElectionRequests requests(Judge judge) {
        return new ElectionRequests("c", SPACING, judge);
    }

    /**
     * Something is asked for at 0 and failed at 5, again 10 after that and failed 5 later, and so on; and then asked
     * for at {@code last}.
     */
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

    /** Refused under one session at 29, a moment before the timeout, and asks again a moment after it. */
    private static void missesRefusal(Judge judge, boolean maybe, String next) {
        ElectionRequests requests = requests(judge);
        requests.asks(Kind.ACQUIRE, "s1", 0, 30);
        requests.refused(29, false, 0);
        if (maybe) {
            requests.perhapsMissedRefusal();
        }
        requests.asks(Kind.ACQUIRE, next, 31, 61);
    }

    private static SessionRequests session(Judge judge) {
        return new SessionRequests("c", SPACING, SPACING, judge);
    }

    private static ListingRequests listing(Judge judge) {
        return new ListingRequests("c", SPACING, judge);
    }

    private static void opens(Judge judge, boolean forGood, long last) {
        OpeningRequests check = new OpeningRequests("c", SPACING, judge);
        check.asks(0, 100);
        check.failed(5, forGood);
        check.asks(5 + last, 105 + last);
    }

    static {
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
        good("a look for each value that is proclaimed", j -> {
            LoadCheck check = load(j);
            IntStream.range(0, 3).forEach(i -> check.looks(i));
            IntStream.range(0, 8).forEach(i -> check.asked(i));
        });
        bad(Invariant.LOAD, "two looks for a value that is proclaimed", j -> {
            LoadCheck check = load(j);
            IntStream.range(0, 3).forEach(i -> check.looks(i));
            IntStream.range(0, 9).forEach(i -> check.asked(i));
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
        bad(
                Invariant.PACE,
                "refused by a vacancy again, though a look showed it in between",
                j -> looksBetween(j, false));
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
        good("a refusal that was perhaps missed does not delay another session", j -> missesRefusal(j, true, "s2"));
        bad(
                Invariant.PACE,
                "a refusal that was perhaps missed delays the same session",
                j -> missesRefusal(j, true, "s1"));
        bad(Invariant.PACE, "a refusal that was heard delays another session", j -> missesRefusal(j, false, "s2"));
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
        good("a listing that perhaps was not needed for a moment", j -> {
            ListingRequests check = listing(j);
            check.asks(true, 0, 100);
            check.mayBeginAfresh();
            check.asks(true, 101, 201);
        });
        bad(Invariant.PACE, "a later page of a listing that perhaps was not needed", j -> {
            ListingRequests check = listing(j);
            check.asks(true, 0, 100);
            check.mayBeginAfresh();
            check.asks(false, 101, 201);
        });
        bad(Invariant.PACE, "a listing that was complete since", j -> {
            ListingRequests check = listing(j);
            check.asks(true, 0, 100);
            check.mayBeginAfresh();
            check.answered(true);
            check.asks(true, 50, 150);
            check.asks(true, 151, 251);
        });
        bad(Invariant.PACE, "opened again at once", j -> opens(j, false, 9));
        bad(Invariant.PACE, "opened although it is refused", j -> opens(j, true, 47));
        good("opened again at its pace", j -> {
            opens(j, false, 10);
            opens(j, true, 48);
        });
    }

    static List<HandmadeHistory> all() {
        return List.copyOf(ALL);
    }
}
