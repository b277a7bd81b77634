package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Hint;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When the watch is opened, what it hands on, and when it wants to be looked at: by itself, without a loop. */
class WatchRulesTest {
    private static final long SPACING = LeaseTiming.of(World.LEASE).retryIntervalNanos();
    private static final long REOPEN_MAX = 30_000_000_000L;

    private final World world = World.withSessions();
    private final List<String> told = new ArrayList<>();
    private final AtomicInteger wakes = new AtomicInteger();
    private final Watch watch = watch(world.store);

    private final Watch.Audience audience = new Watch.Audience() {
        @Override
        public void hinted(RecordKey key, Observation seen, Now now) {
            assertThat(now.monotonicNanos()).isEqualTo(world.host.nanos());
            told.add(key.name() + (seen instanceof Observation.Held held ? " " + held.shown() : " vacant"));
        }

        @Override
        public void gap(Now now) {
            told.add("gap");
        }
    };

    private Watch watch(VirtualStore store) {
        Journal journal = new Journal(System.getLogger("test"), "a", piece -> {});
        return new Watch(
                store,
                LeaseTiming.of(World.LEASE),
                key -> !key.name().equals("stranger"),
                wakes::incrementAndGet,
                journal,
                new Counters());
    }

    private void open() {
        watch.open(world.host.now());
    }

    private List<String> deliver() {
        told.clear();
        watch.deliver(audience, world.host::now);
        return List.copyOf(told);
    }

    private void hint(String name) {
        world.store.hint(new Hint.Seen(world.store.shown(name)));
    }

    private void pass(long nanos) {
        world.pass(Duration.ofNanos(nanos));
    }

    // ---- opening ----

    @Test
    void itIsOpenedOnce() {
        open();
        open();

        assertThat(world.store.watches()).isEqualTo(1);
        assertThat(watch.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aStoreThatHasNoWatchIsNotAskedForOne() {
        StoreTraits blind = StoreTraits.of("blind", Expiry.STORE_REMOVES, LeaseScope.SESSION);
        World other = new World(blind);
        Watch none = watch(other.store);

        none.open(other.host.now());

        assertThat(other.store.watches()).isZero();
        assertThat(none.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aWatchThatWasClosedIsNotOpenedAgain() {
        open();
        watch.close();
        open();
        pass(REOPEN_MAX);
        deliver();

        assertThat(world.store.watches()).isEqualTo(1);
        assertThat(watch.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** Twice as long each time, and half a minute at most. */
    @Test
    void aWatchThatCannotBeOpenedIsTriedEverMoreSeldom() {
        world.store.failure = new IllegalStateException("no watch");
        open();
        long pause = SPACING;
        for (int i = 2; i < 12; i++) {
            pause = Math.min(REOPEN_MAX, 2 * pause);
            assertThat(watch.wakeAtNanos()).isEqualTo(world.host.nanos() + pause);
            pass(pause - 1);
            assertThat(deliver()).isEmpty();
            assertThat(world.store.watches()).isEqualTo(i - 1);
            pass(1);
            deliver();
            assertThat(world.store.watches()).isEqualTo(i);
        }
        assertThat(pause).isEqualTo(REOPEN_MAX);
    }

    @Test
    void aWatchThatBrokeIsOpenedAgainAndWhatWasMissedIsLookedAt() {
        open();
        AtomicInteger closed = new AtomicInteger();
        world.store.onUnwatch = closed::incrementAndGet;
        world.store.hint(new Hint.Closed("the connection was reset"));
        assertThat(deliver()).isEmpty();
        assertThat(closed).hasValue(1);
        pass(2 * SPACING);

        assertThat(deliver()).containsExactly("gap");
        assertThat(world.store.watches()).isEqualTo(2);
        assertThat(deliver()).isEmpty();
        hint("e");
        assertThat(deliver()).containsExactly("e vacant");
    }

    @Test
    void oneThatLivedForMoreThanHalfAMinuteIsOpenedAgainSoon() {
        open();
        for (int i = 0; i < 2; i++) {
            world.store.hint(new Hint.Closed("reset"));
            deliver();
            pass(watch.wakeAtNanos() - world.host.nanos());
            deliver();
        }
        pass(REOPEN_MAX);
        world.store.hint(new Hint.Closed("reset"));
        deliver();
        assertThat(watch.wakeAtNanos() - world.host.nanos()).isEqualTo(8 * SPACING);
        pass(8 * SPACING);
        deliver();

        pass(REOPEN_MAX + 1);
        world.store.hint(new Hint.Closed("reset"));
        deliver();

        assertThat(watch.wakeAtNanos() - world.host.nanos()).isEqualTo(SPACING);
    }

    @Test
    void whatClosingThrowsChangesNothing() {
        open();
        world.store.onUnwatch = () -> {
            throw new IllegalStateException("no goodbyes");
        };
        world.store.hint(new Hint.Closed("reset"));
        deliver();
        pass(2 * SPACING);

        assertThat(deliver()).containsExactly("gap");
    }

    // ---- hints ----

    @Test
    void eachHintWakesTheLoopAndTheNewestOfAKeyIsHandedOnOnce() {
        open();
        hint("e");
        hint("f");
        world.store.overwriteForeign("e", "newest");
        assertThat(wakes).hasValue(3);

        assertThat(deliver()).containsExactly("e newest", "f vacant");
        assertThat(deliver()).isEmpty();
    }

    @Test
    void whatNobodyFollowsIsDroppedAndWakesNobody() {
        open();
        hint("stranger");

        assertThat(wakes).hasValue(0);
        assertThat(deliver()).isEmpty();
    }

    @Test
    void asManyKeysAsAreKeptAreHandedOnAndOneMoreIsAGap() {
        open();
        for (int i = 0; i < Watch.KEYS_MAX; i++) {
            hint("e" + i);
        }
        hint("e0");
        assertThat(deliver()).hasSize(Watch.KEYS_MAX).doesNotContain("gap");

        for (int i = 0; i <= Watch.KEYS_MAX; i++) {
            hint("e" + i);
        }
        hint("e0");

        assertThat(deliver()).containsExactly("gap");
        hint("e0");
        assertThat(deliver()).containsExactly("e0 vacant");
    }

    // ---- gaps ----

    @Test
    void aGapIsHandedOnAtOnceAndTheNextOneWhenTheSpacingIsOver() {
        open();
        world.store.hint(Hint.Gap.INSTANCE);
        assertThat(deliver()).containsExactly("gap");
        long first = world.host.nanos();
        pass(1_000_000);
        world.store.hint(Hint.Gap.INSTANCE);
        world.store.hint(Hint.Gap.INSTANCE);
        assertThat(deliver()).isEmpty();
        assertThat(watch.wakeAtNanos()).isEqualTo(first + SPACING);
        pass(SPACING - 1_000_001);
        assertThat(deliver()).isEmpty();
        pass(1);

        assertThat(deliver()).containsExactly("gap");
        assertThat(deliver()).isEmpty();
        assertThat(watch.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void afterACloseNothingIsHeard() {
        open();
        watch.close();
        hint("e");

        assertThat(deliver()).isEmpty();
        assertThat(wakes).hasValue(0);
    }
}
