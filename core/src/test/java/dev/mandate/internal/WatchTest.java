package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The one watch of a client, and the common listing of what it holds. */
class WatchTest {
    private final World world = World.withSessions();

    private int requests(String what) {
        return world.store.requests.getOrDefault(what, 0);
    }

    @Test
    void oneWatchIsOpenedWhenFirstNeededForAnyNumberOfElections() {
        Client client = world.client("a");
        client.election("idle");
        world.pass(Duration.ofMinutes(1));
        assertThat(world.store.watches()).isZero();

        for (int i = 0; i < 20; i++) {
            client.election("e" + i).observe(view -> {});
        }
        world.pass(Duration.ofMinutes(1));

        assertThat(world.store.watches()).isEqualTo(1);
    }

    @Test
    void aWatchThatBreaksIsOpenedAgainEverMoreSeldom() {
        world.client("a").election("e").observe(view -> {});
        world.pass(Duration.ofSeconds(1));

        for (int i = 0; i < 600; i++) {
            world.store.hint(new Hint.Closed("the connection was reset"));
            world.pass(Duration.ofSeconds(1));
        }

        assertThat(world.store.watches()).isBetween(15, 60);
    }

    @Test
    void aWatchThatBreaksWhileTheClockCannotBeReadIsOpenedAgain() {
        world.client("a").election("e").observe(view -> {});
        world.pass(Duration.ofSeconds(1));
        AtomicInteger left = world.failToReadTheClock("Watch", 2);

        world.store.hint(new Hint.Closed("the connection was reset"));
        world.pass(Duration.ofMinutes(1));

        assertThat(left).hasValue(0);
        assertThat(world.store.watches()).isEqualTo(2);
    }

    /** Campaigns on {@code connection}, whose watch tells nothing until a test says so. */
    private CompletableFuture<Leadership> campaignDeaf(VirtualStore connection) {
        connection.isDeaf = true;
        CompletableFuture<Leadership> campaign =
                world.client("b", connection).election("e").campaignAsync("v").toCompletableFuture();
        world.pass(Duration.ofSeconds(1));
        return campaign;
    }

    /** Whichever of its events is not given the time: the loop looks again at once. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aHintIsHeardAtOnceThoughTheClockFailsInTheLoop(int reading) {
        Leadership first = world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        CompletableFuture<Leadership> next = campaignDeaf(connection);
        first.close();
        AtomicInteger readings = new AtomicInteger();
        world.host.afterRead = name -> {
            boolean isForEvent = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getClassName().endsWith(".Loop")
                            && f.getMethodName().equals("run")));
            if (name.equals("mandate-loop-b") && isForEvent && readings.incrementAndGet() == reading) {
                throw new IllegalStateException("simulated: the clock failed");
            }
        };
        connection.isDeaf = false;

        connection.hint(new Hint.Seen(world.store.shown("e")));
        world.pass(Duration.ofMillis(10));

        assertThat(next).isDone();
        assertThat(readings.get()).isGreaterThanOrEqualTo(reading);
    }

    @Test
    void hintsThatComeWhileTheClockCannotBeReadAreNotLost() {
        Leadership first = world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        CompletableFuture<Leadership> next = campaignDeaf(connection);
        Observation held = world.store.shown("e");
        first.close();
        AtomicInteger left = world.failToReadTheClock("Watch", 1);
        connection.isDeaf = false;

        connection.hint(new Hint.Seen(held));
        connection.hint(new Hint.Seen(world.store.shown("e")));
        world.pass(Duration.ofMillis(10));

        assertThat(left).hasValue(0);
        assertThat(next).isDone();
    }

    @Test
    void aWatchThatCannotBeOpenedIsTriedAgainAndPollingGoesOn() {
        world.store.failure = new IllegalStateException("no watch");
        world.client("a").election("e").observe(view -> {});
        world.pass(Duration.ofSeconds(10));
        assertThat(world.store.watches()).isBetween(2, 10);

        world.store.failure = null;
        world.pass(Duration.ofMinutes(1));
        int opened = world.store.watches();
        world.pass(Duration.ofMinutes(10));

        assertThat(world.store.watches()).isEqualTo(opened);
    }

    @Test
    void aHintTakesAVacancyWithoutAPollAndADeafWatchCostsAPollAtMost() {
        for (boolean deaf : new boolean[] {false, true}) {
            World fresh = World.withSessions();
            VirtualStore connection = fresh.store.another();
            connection.isDeaf = deaf;
            Leadership first = fresh.win(fresh.client("a").election("e"));
            CompletableFuture<Leadership> second = fresh.client("b", connection)
                    .election("e")
                    .campaignAsync("v")
                    .toCompletableFuture();
            fresh.pass(Duration.ofSeconds(3));
            long from = fresh.host.nanos();

            first.close();
            fresh.passUntil(second::isDone);

            assertThat(Duration.ofNanos(fresh.host.nanos() - from))
                    .isLessThan(deaf ? Duration.ofMillis(1_600) : Duration.ofMillis(10));
        }
    }

    /** A hundred gaps in a second are four or five looks: nobody looks more often than retries are spaced. */
    @Test
    void gapsAreSpaced() {
        Client client = world.client("a");
        world.win(client.election("held"));
        client.election("observed").observe(view -> {});
        world.pass(Duration.ofSeconds(5));
        int reads = requests("read");
        int lists = requests("list");

        for (int i = 0; i < 100; i++) {
            world.store.hint(Hint.Gap.INSTANCE);
            world.pass(Duration.ofMillis(10));
        }

        assertThat(requests("read") - reads).isBetween(1, 5);
        assertThat(requests("list") - lists).isBetween(1, 5);
    }

    @Test
    void howeverManyGapsThereAreEverythingIsWalkedThroughOncePerSpacing() {
        LeaseTiming timing = LeaseTiming.of(World.LEASE);
        Journal journal = new Journal(System.getLogger("test"), "a", Runnable::run);
        Watch watch = new Watch(world.store, timing, key -> true, () -> {}, journal, new Counters());
        AtomicInteger looks = new AtomicInteger();
        watch.open(world.host.now());

        for (int i = 0; i < 1_000; i++) {
            world.store.hint(Hint.Gap.INSTANCE);
            watch.deliver(counting(looks), world.host::now);
            assertThat(watch.wakeAtNanos()).isGreaterThan(world.host.nanos());
            world.pass(Duration.ofMillis(1));
        }

        assertThat(looks).hasValue((int) (Duration.ofSeconds(1).toNanos() / timing.retryIntervalNanos()));
    }

    @Test
    void moreHintsThanAreKeptWhileTheClockCannotBeReadAreAGap() {
        Journal journal = new Journal(System.getLogger("test"), "a", Runnable::run);
        Watch watch =
                new Watch(world.store, LeaseTiming.of(World.LEASE), key -> true, () -> {}, journal, new Counters());
        AtomicInteger looks = new AtomicInteger();
        watch.open(world.host.now());
        for (int i = 0; i <= Watch.KEYS_MAX; i++) {
            world.store.hint(new Hint.Seen(world.store.shown("e" + i)));
            if (i == 0) {
                assertThatThrownBy(() -> watch.deliver(counting(looks), () -> {
                            throw new IllegalStateException("simulated: the clock failed");
                        }))
                        .isInstanceOf(IllegalStateException.class);
            }
        }

        watch.deliver(counting(looks), world.host::now);

        assertThat(looks).hasValue(1);
    }

    /** Its listener fails for the first hint, and for the first gap. */
    @Test
    void whenLookingAtOneHintFailsTheOthersAreReadOnceThatWorks() {
        Journal journal = new Journal(System.getLogger("test"), "a", Runnable::run);
        LeaseTiming timing = LeaseTiming.of(World.LEASE);
        Watch watch = new Watch(world.store, timing, key -> true, () -> {}, journal, new Counters());
        List<String> heard = new ArrayList<>();
        Watch.Listener listener = new Watch.Listener() {
            private void hear(String what) {
                heard.add(what);
                if (heard.indexOf(what) == heard.size() - 1) {
                    throw new IllegalStateException("simulated: a mistake of ours");
                }
            }

            @Override
            public void hinted(RecordKey key, Observation seen, Now now) {
                hear("hint");
            }

            @Override
            public void gap(Now now) {
                hear("gap");
            }
        };
        watch.open(world.host.now());
        world.store.hint(new Hint.Seen(world.store.shown("one")));
        world.store.hint(new Hint.Seen(world.store.shown("two")));

        assertThatThrownBy(() -> watch.deliver(listener, world.host::now)).isInstanceOf(IllegalStateException.class);
        assertThat(watch.wakeAtNanos()).isLessThanOrEqualTo(world.host.nanos());
        assertThatThrownBy(() -> watch.deliver(listener, world.host::now)).isInstanceOf(IllegalStateException.class);
        assertThat(watch.wakeAtNanos()).isEqualTo(world.host.nanos() + timing.retryIntervalNanos());
        world.pass(Duration.ofNanos(timing.retryIntervalNanos()));
        watch.deliver(listener, world.host::now);

        assertThat(heard).containsExactly("hint", "gap", "gap");
        assertThat(watch.wakeAtNanos()).isGreaterThan(world.host.nanos());
    }

    private static Watch.Listener counting(AtomicInteger looks) {
        return new Watch.Listener() {
            @Override
            public void hinted(RecordKey key, Observation seen, Now now) {}

            @Override
            public void gap(Now now) {
                looks.incrementAndGet();
            }
        };
    }

    /**
     * A challenger counts a full lease from when it saw a sign of life, wherever in its turn its loop is held up as the
     * hint comes.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aHintThatComesWhileTheLoopIsHeldUpIsNotSeenBeforeItCame(int reading) {
        World judged = World.judged();
        Leadership leader = judged.win(judged.client("a").election("e"));
        CompletableFuture<Leadership> challenger =
                judged.client("b").election("e").campaignAsync("v").toCompletableFuture();
        judged.pass(Duration.ofSeconds(5));
        judged.host.stall("mandate-loop-a");
        judged.pass(Duration.ofSeconds(1));
        long[] seen = new long[1];
        AtomicInteger readings = new AtomicInteger();
        judged.host.afterRead = name -> {
            if (name.equals("mandate-loop-b") && readings.incrementAndGet() == reading) {
                judged.host.holdUp(Duration.ofSeconds(3));
                judged.store.renewFirstSession();
                judged.store.hint(new Hint.Seen(judged.store.shown("e")));
                seen[0] = judged.host.nanos();
            }
        };

        judged.passUntil(challenger::isDone);

        assertThat(leader.isValid()).isFalse();
        assertThat(Duration.ofNanos(judged.host.nanos() - seen[0])).isGreaterThanOrEqualTo(World.LEASE);
    }

    @Test
    void moreHintsThanAreKeptMakeTheClientLookAtEverything() {
        Client client = world.client("a");
        for (int i = 0; i <= Watch.KEYS_MAX; i++) {
            client.election("e" + i).observe(view -> {});
        }
        world.pass(Duration.ofSeconds(5));
        world.host.stall("mandate-loop");
        int reads = requests("read");
        for (int i = 0; i <= Watch.KEYS_MAX; i++) {
            world.store.hint(new Hint.Seen(world.store.shown("e" + i)));
        }

        world.host.resume();
        world.pass(Duration.ofMillis(250));

        // But for the few whose read is under way.
        assertThat(requests("read") - reads).isGreaterThan(Watch.KEYS_MAX * 9 / 10);
    }

    private static int reads(World world, VirtualStore connection) {
        int before = connection.requests.getOrDefault("read", 0);
        world.pass(Duration.ofMinutes(2));
        return connection.requests.getOrDefault("read", 0) - before;
    }

    /** 12 leases: 3 looks in each while the watch is open, 10 while it is not; a fifth more or less. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anObserverLooksSeldomWhileItsWatchIsOpen(boolean judged) {
        World fresh = judged ? World.judged() : World.withSessions();
        fresh.win(fresh.client("a").election("e"));
        VirtualStore connection = fresh.store.another();
        Observing observing = fresh.client("b", connection).election("e").observe(view -> {});
        fresh.pass(Duration.ofSeconds(20));

        assertThat(reads(fresh, connection)).isBetween(29, 46);
        connection.hasNoWatch = true;
        connection.hint(new Hint.Closed("the connection was reset"));
        assertThat(reads(fresh, connection)).isBetween(99, 151);
        connection.hasNoWatch = false;
        fresh.pass(Duration.ofSeconds(40));
        assertThat(reads(fresh, connection)).isBetween(29, 46);
        assertThat(observing.view().leader()).isPresent();
    }

    @Test
    void hintsOfElectionsNobodyFollowsAreDropped() {
        Client client = world.client("a");
        client.election("e").observe(view -> {});
        client.election("idle");
        world.pass(Duration.ofSeconds(1));
        int reads = requests("read");

        for (int i = 0; i < 1_000; i++) {
            world.store.hint(new Hint.Seen(world.store.shown("stranger" + i)));
            world.store.hint(new Hint.Seen(world.store.shown("idle")));
        }
        world.pass(Duration.ofMillis(100));

        assertThat(requests("read") - reads).isLessThanOrEqualTo(1);
    }

    // ---- the common listing ----

    @Test
    void whatIsHeldIsListedPageByPageEveryLeaderPoll() {
        Client client = world.client("a");
        world.store.pageItems = 3;
        List<Leadership> held = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            held.add(world.win(client.election("e" + i)));
        }
        world.pass(Duration.ofSeconds(40));
        int reads = requests("read");
        int lists = requests("list");

        world.pass(Duration.ofSeconds(300));

        assertThat(requests("list") - lists).isBetween(36, 48);
        assertThat(requests("read") - reads).isZero();
        assertThat(held).allMatch(Leadership::isValid);
    }

    @Test
    void aRecordThatVanishedIsFoundByTheListing() {
        world.store.isDeaf = true;
        Client client = world.client("a");
        Leadership stays = world.win(client.election("stays"));
        Leadership goes = world.win(client.election("goes"));
        List<EndReason> lost = new ArrayList<>();
        goes.ended().thenAccept(lost::add);
        world.store.delete("goes");

        world.passUntil(() -> !goes.isValid());
        world.host.settle();

        assertThat(lost).containsExactly(EndReason.VANISHED);
        assertThat(stays.isValid()).isTrue();
    }

    /** The session is renewed, but no listing is ever answered: what nobody has seen for too long is not believed. */
    @Test
    void aTermThatNoListingShowsEndsAsUnseen() {
        Leadership leadership = world.win(world.client("a").election("e"));
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        world.store.onCall = () -> {
            world.store.hangs = !world.store.lastIsRenewal();
        };

        world.passUntil(() -> !lost.isEmpty(), Duration.ofSeconds(62));

        assertThat(lost).containsExactly(EndReason.UNSEEN);
    }

    /** A store that names the same page again and again must not be asked for ever. */
    @Test
    void aListingThatGoesInCirclesIsGivenUp() {
        world.win(world.client("a").election("e"));
        world.store.circles = true;
        int lists = requests("list");

        world.pass(Duration.ofSeconds(50));

        assertThat(requests("list") - lists).isLessThan(100);
    }
}
