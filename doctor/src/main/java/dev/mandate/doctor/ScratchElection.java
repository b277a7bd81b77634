package dev.mandate.doctor;

import dev.mandate.console.Durations;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.Verb;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Does what a leader and its followers do, in an election that nobody else knows: opens a session, acquires, renews,
 * updates, asks to leave, releases, and listens to hints. Goes on after a refusal for lack of a right, but stops if the
 * store does not answer. {@link CleanUp} comes last in any case.
 */
final class ScratchElection {
    static final String OPERATIONS = "operations";
    private static final String CONDITIONS = "conditions";
    private static final String USELESS = "; elections are not safe in this store";
    private static final Duration HINT_MAX = Duration.ofMillis(1_500);
    private static final Duration REFUSAL_MAX = Duration.ofMillis(300);
    private static final Duration RETRY_MAX = Duration.ofSeconds(2);
    private static final int LESS_BY = 10;
    private static final int PAGES_MAX = 50;

    private final Examined examined;
    private final ElectionStore store;
    private final Questions questions;
    private final Diagnosis diagnosis;
    private final RecordKey key;
    private final boolean letsExpire;
    private final Set<Verb> worked = EnumSet.noneOf(Verb.class);
    private final Set<Verb> refused = EnumSet.noneOf(Verb.class);
    private final Attempts attempts;
    private final List<Duration> hinted = new ArrayList<>();
    private boolean isLeaseJudged;
    private @Nullable StoreSession session;

    /**
     * Creates nothing in the store yet.
     *
     * @param name that nobody else uses
     * @param letsExpire whether to let a lease run out, too, which takes a lease
     */
    ScratchElection(Examined examined, Diagnosis diagnosis, String name, boolean letsExpire) {
        this.examined = examined;
        this.store = examined.store();
        this.questions = examined.questions();
        this.diagnosis = diagnosis;
        this.key = RecordKey.election(name);
        this.letsExpire = letsExpire;
        this.attempts = new Attempts(examined.explanation().lease());
    }

    /** Runs the whole examination. */
    void examine() throws InterruptedException {
        boolean isWhole = false;
        try (Hints hints = Hints.open(store, key)) {
            list();
            if (session() && examined.admitsScratch()) {
                isWhole = term(hints);
            } else {
                // A watch is refused within a moment, if at all.
                hints.await(System.nanoTime(), REFUSAL_MAX);
            }
            judgeHints(hints);
        } catch (Unanswered e) {
            diagnosis.error(OPERATIONS, e.sentence() + "; later operations were not tried");
        } finally {
            Optional<Finding> left = new CleanUp(examined, key, attempts, session).run();
            conclude(isWhole, left);
        }
    }

    private void conclude(boolean isWhole, Optional<Finding> left) {
        String all = words(worked);
        if (!examined.admitsScratch()) {
            diagnosis.ok(
                    OPERATIONS,
                    (all.isEmpty() ? "" : all + " worked; ")
                            + "the URL's key names a single election, which was not touched: writes were not tried");
        } else if (isWhole) {
            diagnosis.ok(OPERATIONS, all + " worked, in a temporary election");
        } else if (!all.isEmpty()) {
            EnumSet<Verb> rest = EnumSet.of(Verb.LIST, Verb.READ, Verb.ACQUIRE, Verb.UPDATE, Verb.RELEASE);
            rest.removeAll(worked);
            rest.removeAll(refused);
            diagnosis.ok(OPERATIONS, all + " worked" + (rest.isEmpty() ? "" : "; not tried: " + words(rest)));
        }
        left.ifPresent(diagnosis::add);
    }

    private static String words(Set<Verb> verbs) {
        return verbs.stream().map(Verb::words).collect(Collectors.joining(", "));
    }

    /** The answer to {@code verb}; empty if refused until somebody changes the setup, which is recorded. */
    private <T> Optional<T> tried(Verb verb, RecordKey on, Function<CallContext, CompletionStage<T>> question)
            throws Unanswered, InterruptedException {
        try {
            T answer = questions.ask(verb.words() + " " + on, question);
            worked.add(verb);
            return Optional.of(answer);
        } catch (Unanswered e) {
            if (!e.isSetup()) {
                throw e;
            }
            worked.remove(verb);
            refused.add(verb);
            diagnosis.error(OPERATIONS, e.sentence() + (e.isDenied() ? examined.rightFor(verb, on) : ""));
            return Optional.empty();
        }
    }

    private void list() throws Unanswered, InterruptedException {
        RecordKey all = RecordKey.elections();
        // The first listing is not measured.
        if (tried(Verb.LIST, all, call -> store.list(all, Cursor.START, call)).isEmpty()) {
            return;
        }
        Cursor from = Cursor.START;
        Timings pages = new Timings("listing", "page");
        int known = 0;
        while (pages.count() < PAGES_MAX) {
            Cursor at = from;
            Optional<Page<Observation>> page = tried(Verb.LIST, all, call -> store.list(all, at, call));
            if (page.isEmpty()) {
                return;
            }
            pages.add(questions.took());
            known += page.get().items().size();
            if (page.get().next().isEmpty()) {
                break;
            }
            from = page.get().next().get();
        }
        Finding judged = pages.judged(examined.answer());
        diagnosis.add(new Finding(
                judged.severity(),
                judged.subject(),
                (pages.count() == PAGES_MAX ? "more than " : "") + known + (known == 1 ? " election" : " elections")
                        + " known: " + judged.sentence()));
    }

    /** Opens a session if sessions keep leases; false if that is refused. */
    private boolean session() throws Unanswered, InterruptedException {
        if (store.traits().leaseScope() != LeaseScope.SESSION) {
            return true;
        }
        Duration asked = examined.explanation().lease();
        Optional<StoreSession> opened = tried(Verb.SESSION, key, call -> store.openSession(asked, call));
        if (opened.isEmpty()) {
            return false;
        }
        StoreSession own = opened.get();
        session = own;
        Optional<SessionRenewal> renewal = tried(Verb.SESSION, key, own::renew);
        if (renewal.isPresent()) {
            if (renewal.get() instanceof SessionRenewal.Renewed renewed) {
                judgeLease(renewed.granted());
            } else {
                diagnosis.error("lease", "a session that was just opened has already expired; check the store's clock");
            }
        }
        return true;
    }

    private void judgeLease(Duration granted) {
        Duration asked = examined.explanation().lease();
        String figures = "asked for " + Durations.words(asked) + ", granted " + Durations.words(granted);
        String shrunk = figures + "; all times are shorter than 'explain' prints";
        if (asked.minus(granted).compareTo(asked.dividedBy(LESS_BY)) > 0) {
            diagnosis.warning("lease", shrunk);
        } else if (granted.compareTo(asked) < 0) {
            // Stores that allow for their own clock being set grant less.
            diagnosis.ok("lease", shrunk);
        } else if (granted.minus(asked).compareTo(store.traits().leaseStep()) > 0) {
            diagnosis.warning(
                    "lease",
                    figures
                            + "; crash failover takes that much longer than computed: request the lease that is granted");
        } else {
            diagnosis.ok("lease", figures);
        }
    }

    /** Runs one term and the beginning of the next; true if all of it worked. */
    private boolean term(Hints hints) throws Unanswered, InterruptedException {
        Optional<Observation> first = tried(Verb.READ, key, call -> store.read(key, call));
        if (first.isEmpty()) {
            return false;
        }
        long sentNanos = told(hints);
        Optional<Observation.Held> won = acquired(first.get());
        if (won.isEmpty()) {
            return false;
        }
        hear(hints, sentNanos);
        LeaderRecord rival = attempts.next();
        boolean isSafe = requireRefused(
                "a second acquire on one basis",
                questions.ask("acquiring " + key, call -> store.acquire(key, first.get(), rival, session, call)));
        Optional<Observation.Held> held = updated(hints, won.get());
        sentNanos = told(hints);
        Optional<WriteOutcome> freed =
                tried(Verb.RELEASE, key, call -> store.release(key, held.orElse(won.get()), call));
        if (freed.isEmpty() || held.isEmpty()) {
            return false;
        }
        if (!(freed.get() instanceof WriteOutcome.Written written)) {
            diagnosis.error(OPERATIONS, refusal("releasing", freed.get()));
            return false;
        }
        hear(hints, sentNanos);
        Optional<Observation.Held> again = acquired(written.now());
        if (again.isPresent() && again.get().term() <= won.get().term()) {
            diagnosis.error(
                    CONDITIONS,
                    "the token of a later term is " + again.get().term() + ", that of the one before was "
                            + won.get().term() + USELESS);
            return false;
        }
        if (again.isEmpty()) {
            return false;
        }
        WriteRounds rounds = new WriteRounds(examined, key, session, attempts);
        Optional<Observation.Held> last = rounds.run(again.get());
        if (rounds.timings().count() > 0) {
            diagnosis.add(rounds.timings().judged(examined.answer()));
        }
        if (last.isEmpty()) {
            diagnosis.error(
                    OPERATIONS,
                    "an operation that had worked was refused later, though nobody else knows the election");
        } else if (letsExpire) {
            diagnosis.add(new Expiration(examined, key).await(last.get(), session));
        }
        return isSafe && last.isPresent();
    }

    private Optional<Observation.Held> acquired(Observation basis) throws Unanswered, InterruptedException {
        return acquired(basis, true);
    }

    private Optional<Observation.Held> acquired(Observation basis, boolean mayWait)
            throws Unanswered, InterruptedException {
        LeaderRecord proposal = attempts.next();
        Optional<WriteOutcome> outcome =
                tried(Verb.ACQUIRE, key, call -> store.acquire(key, basis, proposal, session, call));
        if (outcome.isEmpty()) {
            return Optional.empty();
        }
        if (outcome.get() instanceof WriteOutcome.Written written && written.now() instanceof Observation.Held held) {
            if (store.traits().leaseScope() == LeaseScope.RECORD && !isLeaseJudged) {
                isLeaseJudged = true;
                judgeLease(written.granted().orElse(Duration.ZERO));
            }
            return Optional.of(held);
        }
        if (mayWait && isWorthWaiting(outcome.get())) {
            // A store may ask for a moment before an election's first term, or for a lock-delay between two.
            WriteOutcome.Refused early = (WriteOutcome.Refused) outcome.get();
            Thread.sleep(early.retryAfter().orElseThrow().toMillis() + 1);
            return acquired(early.now().orElseThrow(), false);
        }
        diagnosis.error(OPERATIONS, refusal("acquiring", outcome.get()));
        return Optional.empty();
    }

    private static String refusal(String what, WriteOutcome outcome) {
        Optional<Observation> now = outcome instanceof WriteOutcome.Written written
                ? Optional.of(written.now())
                : ((WriteOutcome.Refused) outcome).now();
        String current = now.map(seen -> seen instanceof Observation.Held held
                        ? "another process holds it, with token " + held.term()
                        : "it is vacant")
                .orElse("the store does not show its record");
        String wait = outcome instanceof WriteOutcome.Refused refused
                ? refused.retryAfter()
                        .map(time -> ", and asks to wait for " + Durations.words(time))
                        .orElse("")
                : "";
        return what + " was refused, though nobody else knows the election: " + current + wait;
    }

    private static boolean isWorthWaiting(WriteOutcome outcome) {
        return outcome instanceof WriteOutcome.Refused refused
                && refused.now().filter(Observation.Vacant.class::isInstance).isPresent()
                && refused.retryAfter()
                        .filter(wait -> wait.compareTo(RETRY_MAX) <= 0)
                        .isPresent();
    }

    /** Writes a value, a renewal if the record has the lease, a leave flag; returns the last, or empty if refused. */
    private Optional<Observation.Held> updated(Hints hints, Observation.Held won)
            throws Unanswered, InterruptedException {
        LeaderRecord record = won.record().withTerm(won.term());
        long sentNanos = told(hints);
        Optional<Observation.Held> held = updated(won, record.withValue("mandate doctor was here"), Intent.PROCLAIM);
        if (held.isEmpty()) {
            return held;
        }
        hear(hints, sentNanos);
        requireRefused(
                "an update on an old basis",
                questions.ask(
                        "updating " + key,
                        call -> store.update(key, won, record.withValue("late"), Intent.PROCLAIM, call)));
        if (store.traits().leaseScope() == LeaseScope.RECORD) {
            held = updated(held.get(), held.get().record(), Intent.RENEW);
        }
        return held.isEmpty() ? held : updated(held.get(), held.get().record().askedToLeave(), Intent.ASK_TO_LEAVE);
    }

    private Optional<Observation.Held> updated(Observation.Held basis, LeaderRecord record, Intent intent)
            throws Unanswered, InterruptedException {
        Optional<WriteOutcome> outcome =
                tried(Verb.UPDATE, key, call -> store.update(key, basis, record, intent, call));
        if (outcome.isEmpty()) {
            return Optional.empty();
        }
        if (outcome.get() instanceof WriteOutcome.Written written && written.now() instanceof Observation.Held held) {
            return Optional.of(held);
        }
        diagnosis.error(OPERATIONS, refusal("updating", outcome.get()));
        return Optional.empty();
    }

    private boolean requireRefused(String what, WriteOutcome outcome) {
        if (outcome instanceof WriteOutcome.Refused) {
            return true;
        }
        diagnosis.error(CONDITIONS, what + " was written" + USELESS);
        return false;
    }

    /** Forgets hints, so that the next one is of the next write; returns the time. */
    private static long told(Hints hints) {
        hints.forget();
        return System.nanoTime();
    }

    private void hear(Hints hints, long sentNanos) throws InterruptedException {
        if (store.traits().watches()) {
            // Waiting for a hint that does not come must not cost the lease.
            Duration most = examined.explanation().lease().dividedBy(8);
            hints.await(sentNanos, most.compareTo(HINT_MAX) < 0 ? most : HINT_MAX)
                    .ifPresent(hinted::add);
        }
    }

    private void judgeHints(Hints hints) {
        String otherwise = "; followers poll every " + Durations.words(examined.poll());
        if (!store.traits().watches()) {
            diagnosis.ok("hints", "this store does not report changes" + otherwise);
        } else if (!hinted.isEmpty()) {
            Duration longest = hinted.stream().max(Duration::compareTo).orElseThrow();
            diagnosis.ok(
                    "hints", "reported changes " + Durations.words(longest) + " after they were sent at the latest");
        } else if (hints.closed().isPresent()) {
            diagnosis.warning(
                    "hints",
                    "the watch ended: " + hints.closed().get() + otherwise
                            + examined.rightFor(Verb.WATCH, RecordKey.elections()));
        } else if (worked.contains(Verb.ACQUIRE)) {
            diagnosis.warning("hints", "no notification came soon after a write" + otherwise);
        }
    }
}
