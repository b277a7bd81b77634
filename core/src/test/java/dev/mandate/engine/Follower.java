package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Basis;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FollowingMachine} of the service "web", what it asked for, and what somebody who follows knows: the changes,
 * applied in order.
 */
final class Follower {
    static final long SECOND = 1_000_000_000L;
    static final Duration L = Duration.ofSeconds(10);
    static final LeaseTiming TIMING = LeaseTiming.of(L);
    static final long LOOK = 2_500_000_000L;
    static final long RETRY = 250_000_000L;
    /** Half of L/3: what is drawn by chance is added. */
    static final long CONFIRM = TIMING.hintedPollIntervalNanos() / 2;

    static final RecordKey WEB = new RecordKey(RecordKey.REGISTRATIONS, List.of("web"));

    record At(long version) implements Basis, Liveness {}

    private final FollowingMachine<String> machine;
    private final Queue<SweepAction> asked = new ArrayDeque<>();
    private final Queue<FollowingAction.Look> looks = new ArrayDeque<>();
    private final Map<RecordKey, Observation> seen = new HashMap<>();

    /** What a look at one record shows, at once: by default what was last seen there. Null: it fails. */
    Function<RecordKey, @Nullable Observation> shows = key -> seen.getOrDefault(key, vacant(key.name()));

    boolean answersLooks = true;

    /** So many looks were asked for. */
    int looked;

    /** Null before anything was told. */
    @Nullable
    Map<String, String> told;

    final List<String> log = new ArrayList<>();
    /** Of the last change. */
    Silence silence = Silence.UNSEEN;

    boolean isStale;
    boolean isFull;

    @Nullable
    String fault;

    long now = 1_000 * SECOND;

    Follower(Expiry expiry, Entropy entropy, int recordsMax) {
        this.machine = new FollowingMachine<>(
                WEB,
                new FollowingSettings(TIMING, expiry, recordsMax),
                (held, isVerified, before) ->
                        held.isForeign() ? null : held.record().value() + (isVerified ? "" : "?"),
                entropy);
    }

    static Follower removing() {
        return new Follower(Expiry.STORE_REMOVES, new SteadyEntropy(), 100);
    }

    static Follower judging() {
        return new Follower(Expiry.OBSERVER_JUDGES, new SteadyEntropy(), 100);
    }

    FollowingMachine<String> machine() {
        return machine;
    }

    // ---- what stands there ----

    static RecordKey key(String id) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of("web", id));
    }

    /** Of term {@code term}, at version {@code version}, which is its last sign of life, too. */
    static Observation.Held held(String id, long term, long version, String value) {
        return held(id, term, version, version, value, L);
    }

    static Observation.Held held(String id, long term, long version, long alive, String value, Duration lease) {
        LeaderRecord record = LeaderRecord.proposal("c", new Id(1, 1), new Id(2, term), value, lease, 0);
        return Observation.held(key(id), new At(version), new At(alive), term, record.withTerm(term));
    }

    static Observation vacant(String id) {
        return Observation.vacant(key(id), new At(0));
    }

    // ---- what happens ----

    private Now now() {
        return new Now(now, now, now / 1_000_000);
    }

    /** With a watch, if {@code watches}. */
    Follower start(boolean watches) {
        took(machine.onWatch(watches, now()));
        took(machine.start(now()));
        return this;
    }

    /** Follows already, and knows this. */
    Follower knowing(Observation... seen) {
        start(true);
        answer(seen);
        log.clear();
        return this;
    }

    void hint(Observation hinted) {
        seen.put(hinted.key(), hinted);
        took(machine.onHint(hinted, now()));
    }

    /** Not too soon after the listing before. */
    void gap() {
        pass(TIMING.retryIntervalNanos());
        took(machine.onGap(now()));
    }

    void watch(boolean isOpen) {
        took(machine.onWatch(isOpen, now()));
    }

    /** What is asked for, and not answered. */
    @Nullable
    SweepAction asked() {
        return asked.peek();
    }

    /** The page that is asked for is the last one. */
    void answer(Observation... items) {
        answerTo(taken(), new Page<>(List.of(items), null));
    }

    /** The page that is asked for is not the last one. */
    void answerSome(String next, Observation... items) {
        answerTo(taken(), new Page<>(List.of(items), new Cursor(next)));
    }

    void answerTo(SweepAction which, Page<Observation> page) {
        asked.remove(which);
        page.items().forEach(item -> seen.put(item.key(), item));
        took(machine.listed(which.request(), page, now()));
    }

    void fail() {
        took(machine.notListed(taken().request(), null, now()));
    }

    void failFor(String why) {
        took(machine.notListed(taken().request(), why, now()));
    }

    SweepAction taken() {
        SweepAction first = asked.poll();
        assertThat(first).as("a listing is asked for").isNotNull();
        return first;
    }

    /** Lets time pass, and the machine wake when it wants to. */
    void pass(long nanos) {
        long until = now + nanos;
        while (machine.wakeAtNanos() <= until) {
            assertThat(machine.wakeAtNanos()).as("it does not spin").isGreaterThan(now);
            now = machine.wakeAtNanos();
            took(machine.tick(now()));
        }
        now = until;
    }

    /** Lets time pass until a page is asked for, and says how long that took. */
    long passUntilAsked() {
        long from = now;
        while (asked.isEmpty()) {
            pass(machine.wakeAtNanos() - now);
        }
        return now - from;
    }

    /** After a sleep: it wakes when it can, and not when it wanted to. */
    void passUntilAskedLate() {
        took(machine.tick(now()));
        assertThat(asked).isNotEmpty();
    }

    private void took(List<Action> actions) {
        for (Action action : actions) {
            if (action instanceof SweepAction page) {
                asked.add(page);
            } else if (action instanceof FollowingAction.Look look) {
                looks.add(look);
                looked++;
            } else if (action instanceof SweepFault said) {
                fault = said.message();
            } else if (action instanceof FollowingAction.Stale said) {
                assertThat(said.isStale()).isNotEqualTo(isStale);
                isStale = said.isStale();
            } else if (action instanceof FollowingAction.Full said) {
                assertThat(said.isFull()).isNotEqualTo(isFull);
                isFull = said.isFull();
            } else {
                changed((FollowingAction.Changed<?>) action);
            }
        }
        Map<String, String> shown = new TreeMap<>();
        machine.forEach((key, value) -> shown.put(key.name(), value));
        assertThat(shown).as("the changes, applied in order").isEqualTo(told == null ? Map.of() : told);
        assertThat(machine.isStale()).isEqualTo(isStale);
        assertThat(machine.isFull()).isEqualTo(isFull);
        FollowingAction.Look look = looks.poll();
        if (look != null && answersLooks) {
            assertThat(looks).as("one at a time").isEmpty();
            assertThat(look.key().isBelow(WEB)).isTrue();
            Observation there = shows.apply(look.key());
            took(
                    there == null
                            ? machine.notLooked(look.request(), now())
                            : machine.looked(look.request(), there, now()));
        }
    }

    private void changed(FollowingAction.Changed<?> said) {
        assertThat(said.isFirst()).as("the whole comes first, and once").isEqualTo(told == null);
        Map<String, String> known = told == null ? new TreeMap<>() : told;
        told = known;
        assertThat(said.isFirst() || !said.changes().isEmpty())
                .as("nothing is told for nothing")
                .isTrue();
        for (FollowedChange<?> change : said.changes()) {
            String id = change.key().name();
            Object before = change.before();
            Object after = change.after();
            assertThat(before).as("what was told of " + id).isEqualTo(known.get(id));
            assertThat(after).as("what is new of " + id).isNotEqualTo(before);
            if (after == null) {
                known.remove(id);
            } else {
                known.put(id, (String) after);
            }
            silence = change.silence();
            log.add((before == null ? "+" : after == null ? "-" : "~") + id);
        }
    }
}
