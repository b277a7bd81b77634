package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Hint;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Hints about changes below a prefix. */
abstract class WatchCases extends SessionCases {

    /** An open watch, and the hints it delivered. */
    private static final class Ear implements AutoCloseable {
        private final Queue<Hint> hints = new ConcurrentLinkedQueue<>();

        /** Since the watch was opened. */
        private final Set<RecordKey> keys = ConcurrentHashMap.newKeySet();

        private final RecordKey prefix;
        private final Duration within;
        private final Subscription watch;

        Ear(RecordKey prefix, Duration within, Function<Consumer<Hint>, Subscription> watching) {
            this.prefix = prefix;
            this.within = within;
            this.watch = watching.apply(hint -> {
                if (hint instanceof Hint.Seen seen) {
                    keys.add(seen.observation().key());
                }
                hints.add(hint);
            });
        }

        void hears(Observation.Held now) {
            hears("what stands at " + now.key(), seen -> seen.basis().equals(now.basis()));
        }

        void hearsVacant(RecordKey key) {
            hears("a vacancy of " + key, seen -> seen.key().equals(key) && seen instanceof Observation.Vacant);
        }

        /** Waits for such a hint, or one to read everything again. */
        private void hears(String what, Predicate<Observation> isIt) {
            Await.until(
                    "a hint of " + what,
                    within,
                    () -> hints.stream()
                            .anyMatch(hint -> !(hint instanceof Hint.Seen seen) || isIt.test(seen.observation())));
        }

        /** Waits for a hint that shows that key. */
        void isTold(RecordKey key) {
            Await.until(
                    "a hint of " + key,
                    within,
                    () -> hints.stream()
                            .anyMatch(hint -> hint instanceof Hint.Seen seen
                                    && seen.observation().key().equals(key)));
        }

        /** Forgets the hints so far, so that they answer nothing later. */
        void forget() {
            hints.clear();
        }

        void requireOnlyWhatIsBelow() {
            assertThat(keys).as("what was told below %s", prefix).allMatch(key -> key.isBelow(prefix));
        }

        @Override
        public void close() {
            watch.close();
        }
    }

    private Ear listen(Contender listener, RecordKey prefix) {
        return new Ear(prefix, hintWithin(), hints -> listener.store().watch(prefix, hints));
    }

    private static RecordKey registration(String... segments) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of(segments));
    }

    /** A watch reports an acquire and a release, and nothing outside its prefix. */
    @Test
    protected void aWatchTellsWhatChanged() {
        onlyIf(traits().watches(), "this store has no watch; polling suffices");
        Contender a = contender();
        String run = unique("watched");
        RecordKey prefix = new RecordKey(RecordKey.ELECTIONS, List.of(run));
        RecordKey key = new RecordKey(RecordKey.ELECTIONS, List.of(run, "x"));
        Queue<Hint> hints = new ConcurrentLinkedQueue<>();
        Set<RecordKey> heardOf = ConcurrentHashMap.newKeySet();
        Consumer<Hint> listener = hint -> {
            hints.add(hint);
            if (hint instanceof Hint.Seen seen) {
                heardOf.add(seen.observation().key());
            }
        };
        try (Subscription watch = store().watch(prefix, listener)) {
            assertThat(watch).isNotNull();
            // A watch may take a moment to start, so the change is repeated until it is reported.
            Await.until("a hint of an acquire", hintWithin(), () -> {
                Observation.Held held = a.acquire(key);
                boolean isHeard = heardSoon(hints);
                a.release(held);
                return isHeard;
            });
            a.acquire(RecordKey.election(unique("elsewhere")));
            hints.clear();
            Observation.Held held = a.acquire(key);
            Await.until("a hint of the last acquire", hintWithin(), () -> tells(hints, held.basis()));
            hints.clear();
            a.release(held);
            Await.until(
                    "a hint of a release",
                    hintWithin(),
                    () -> hints.stream()
                            .anyMatch(hint -> !(hint instanceof Hint.Seen seen)
                                    || seen.observation() instanceof Observation.Vacant));
            assertThat(heardOf).allMatch(heard -> heard.isBelow(prefix));
        }
    }

    private static boolean heardSoon(Queue<Hint> hints) {
        for (int i = 0; i < 50 && hints.isEmpty(); i++) {
            Await.passing(Duration.ofMillis(10));
        }
        return !hints.isEmpty();
    }

    /** Whether the hints show that basis, or say to read everything again. */
    private static boolean tells(Queue<Hint> hints, Object basis) {
        return hints.stream()
                .anyMatch(hint -> !(hint instanceof Hint.Seen seen)
                        || seen.observation().basis().equals(basis));
    }

    /** A closed watch delivers nothing any more. */
    @Test
    protected void aClosedWatchIsSilent() {
        onlyIf(traits().watches(), "this store has no watch; polling suffices");
        Contender a = contender();
        RecordKey key = key("closed-watch");
        Queue<Hint> closed = new ConcurrentLinkedQueue<>();
        Queue<Hint> open = new ConcurrentLinkedQueue<>();
        ElectionStore watcher = store();
        Subscription first = watcher.watch(RecordKey.elections(), closed::add);
        try (Subscription second = watcher.watch(RecordKey.elections(), open::add)) {
            assertThat(second).isNotNull();
            first.close();
            first.close();
            closed.clear();
            Await.until("a hint by the other watch", hintWithin(), () -> {
                a.release(a.acquire(key));
                return heardSoon(open);
            });
            assertThat(closed).isEmpty();
        }
    }

    /**
     * Below any prefix other than all elections every key is reported, whatever the watcher itself has used: a client
     * that follows a service reads none of its keys.
     */
    @Test
    protected void aWatchTellsOfKeysThatNobodyHereUsed() {
        onlyIf(traits().watches(), "this store has no watch; polling suffices");
        Contender watcher = contender();
        Contender a = contender();
        String run = unique("followed");
        RecordKey service = registration(run);
        RecordKey group = new RecordKey(RecordKey.ELECTIONS, List.of(run));
        watcher.acquire(registration(run, "own"));
        watcher.acquire(new RecordKey(RecordKey.ELECTIONS, List.of(run, "own")));
        try (Ear elections = listen(watcher, RecordKey.elections());
                Ear followed = listen(watcher, service);
                Ear grouped = listen(watcher, group)) {
            requireHears(followed, a, registration(run, "a"));
            requireHears(grouped, a, new RecordKey(RecordKey.ELECTIONS, List.of(run, "a")));
            elections.requireOnlyWhatIsBelow();
        }
    }

    /** A watch of all elections reports each, whatever this client itself has used. */
    @Test
    protected void aWatchOfAllElectionsTellsOfThoseThatNobodyHereUsed() {
        onlyIf(traits().watches(), "this store has no watch; polling suffices");
        Contender watcher = contender();
        Contender a = contender();
        watcher.acquire(key("own"));
        RecordKey elections = RecordKey.elections();
        try (Ear ear = new Ear(elections, hintWithin(), hints -> watcher.store().watchAll(elections, hints))) {
            // The gap at its opening must not count as a hint.
            ear.hears(a.acquire(key("first")));
            ear.forget();
            Observation.Held held = a.acquire(key("other"));
            ear.isTold(held.key());
            ear.forget();
            a.release(held);
            ear.isTold(held.key());
            ear.requireOnlyWhatIsBelow();
        }
    }

    private static void requireHears(Ear ear, Contender a, RecordKey key) {
        Observation.Held held = a.acquire(key);
        ear.hears(held);
        ear.forget();
        held = a.proclaim(held, "another value");
        ear.hears(held);
        ear.forget();
        a.release(held);
        ear.hearsVacant(key);
        ear.requireOnlyWhatIsBelow();
    }

    /**
     * A key that existed when the watch was opened, and is released and erased at once, is reported as vacant; so is
     * one that the store removes because its session or lease is over.
     */
    @Test
    protected void aWatchTellsOfKeysThatVanish() {
        onlyIf(traits().watches(), "this store has no watch; polling suffices");
        Contender a = contender();
        String run = unique("vanishing");
        Observation.Held held = a.acquire(registration(run, "released"));
        try (Ear ear = listen(contender(), registration(run))) {
            // The gap at its opening must not count as a hint.
            ear.hears(a.acquire(registration(run, "first")));
            ear.forget();
            WriteOutcome outcome = a.release(held);
            assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
            ear.hearsVacant(held.key());
            ear.forget();
            if (((WriteOutcome.Written) outcome).now() instanceof Observation.Vacant vacant) {
                a.erase(vacant);
            }

            if (traits().expiry() == Expiry.STORE_REMOVES) {
                // Before the lease begins: on a busy machine it may be over before anything else happens.
                ear.forget();
                ear.hearsVacant(ended(registration(run, "ended")));
            }
        }
    }

    /** The key, after it was held and its session has ended or its lease is over. */
    private RecordKey ended(RecordKey key) {
        if (traits().leaseScope() == LeaseScope.SESSION) {
            Contender dying = contender();
            dying.acquire(key);
            dying.endSession();
        } else {
            Contender dying = contender(shortestLease());
            dying.acquire(key);
            Await.passing(dying.lease());
        }
        return key;
    }

    /** Segments are compared, not text: a watch of {@code web} reports nothing of {@code webapp}. */
    @Test
    protected void aWatchTellsNothingOfNeighbours() {
        onlyIf(traits().watches(), "this store has no watch; polling suffices");
        Contender a = contender();
        String run = unique("web");
        try (Ear ear = listen(contender(), registration(run))) {
            for (String sibling : List.of(run + "app", run + "-", run + "/", run.substring(0, run.length() - 1))) {
                a.acquire(registration(sibling, "x"));
            }
            a.acquire(new RecordKey(RecordKey.ELECTIONS, List.of(run, "x")));

            requireHears(ear, a, registration(run, "x"));
        }
    }
}
