package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.mandate.ElectionChange;
import dev.mandate.ElectionsListener;
import dev.mandate.ElectionsView;
import dev.mandate.ElectionsWatch;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.TermEnd;
import dev.mandate.TermEnd.Cause;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.Hint;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All elections, followed on the real loop and virtual time; L = 10 s. */
class ElectionsWatchTest {
    private static final Duration SOON = Duration.ofSeconds(2);

    static Stream<World> worlds() {
        return Stream.of(
                World.withSessions(),
                World.withRecords(),
                World.judged(),
                new World(VirtualStore.traits(Expiry.OBSERVER_JUDGES, LeaseScope.RECORD)));
    }

    /** What it is told, and what follows from that. */
    private static final class Told implements ElectionsListener {
        final List<ElectionChange> changes = new ArrayList<>();
        final TreeMap<String, Leader> leaders = new TreeMap<>();
        ElectionsView now;
        int calls;
        Runnable onCall = () -> {};

        @Override
        public void changed(ElectionsView view, List<ElectionChange> news) {
            onCall.run();
            calls++;
            now = view;
            for (ElectionChange change : news) {
                assertThat(leaders.get(change.election())).isEqualTo(change.before());
                if (change.after() == null) {
                    leaders.remove(change.election());
                } else {
                    leaders.put(change.election(), change.after());
                }
            }
            changes.addAll(news);
            assertThat(view.leaders()).isEqualTo(new ArrayList<>(leaders.values()));
        }

        Set<String> led() {
            return leaders.keySet();
        }

        String value(String election) {
            Leader leader = leaders.get(election);
            return leader == null ? "-" : leader.value();
        }

        /** The newest change that tells of an end. */
        TermEnd lastEnd() {
            return changes.stream()
                    .map(ElectionChange::end)
                    .filter(end -> end != null)
                    .reduce((first, second) -> second)
                    .orElse(null);
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aListenerIsToldTheWholeFirstThenWhatChanges(World world) {
        Client a = world.client("a");
        Leadership first = world.win(a.election("e1"));
        Told told = new Told();
        ElectionsWatch watch = world.client("b", world.store.another()).watchElections(told);
        assertThat(watch.view().stale()).isTrue();
        assertThat(watch.view().leaders()).isEmpty();
        assertThat(watch.view("e1")).isInstanceOf(LeaderView.Unknown.class);
        world.passUntil(() -> told.calls == 1, SOON);
        assertThat(told.changes).singleElement().satisfies(change -> {
            assertThat(change.before()).isNull();
            assertThat(change.end()).isNull();
            assertThat(change.isTakeOver()).isTrue();
        });
        assertThat(told.now.stale()).isFalse();

        Leadership second = world.win(a.election("e2"));
        world.passUntil(() -> told.led().size() == 2, SOON);
        first.proclaim("moved");
        world.passUntil(() -> told.value("e1").equals("moved"), SOON);
        assertThat(told.changes.get(told.changes.size() - 1).isTakeOver()).isFalse();
        second.close();
        world.passUntil(() -> told.led().equals(Set.of("e1")), SOON);

        assertThat(watch.view().leaders()).isEqualTo(told.now.leaders());
        assertThat(watch.view("e1").leader().orElseThrow().value()).isEqualTo("moved");
        assertThat(watch.view("e2")).isInstanceOf(LeaderView.Vacant.class);
        assertThat(watch.view("never held")).isInstanceOf(LeaderView.Vacant.class);
    }

    /** "One watch": and no right to write, and no session. */
    @ParameterizedTest
    @MethodSource("worlds")
    void whoOnlyLooksHasOneWatchHoweverManyElectionsAndWritesNothing(World world) {
        Client a = world.client("a");
        for (int i = 0; i < 30; i++) {
            world.win(a.election("e" + i));
        }
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        List<Told> all = List.of(new Told(), new Told(), new Told());
        all.forEach(b::watchElections);

        world.pass(Duration.ofMinutes(3));

        assertThat(all).allSatisfy(told -> assertThat(told.led()).hasSize(30));
        boolean isWatched = connection.traits().expiry() == Expiry.STORE_REMOVES;
        assertThat(connection.requests.keySet())
                .isEqualTo(isWatched ? Set.of("list", "watch", "read") : Set.of("list", "watch"));
        assertThat(connection.requests).containsEntry("watch", 1);
        assertThat(connection.requests.get("list"))
                .as("every L/4, or every record check interval; less a tenth at most")
                .isBetween(isWatched ? 6 : 72, isWatched ? 9 : 82);
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void whileTheStoreIsAwayTheListStaysAndIsStaleAfterALease(World world) {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Told told = new Told();
        ElectionsWatch watch = world.client("b", connection).watchElections(told);
        world.passUntil(() -> told.calls == 1, SOON);
        world.pass(Duration.ofSeconds(40));
        assertThat(told.now.stale()).isFalse();
        assertThat(watch.view().age()).isLessThan(World.LEASE);

        connection.hangs = true;
        world.passUntil(() -> told.now.stale(), World.LEASE.plusMillis(1));
        assertThat(told.now.age()).isGreaterThanOrEqualTo(World.LEASE);

        world.pass(Duration.ofMinutes(10));
        assertThat(told.led()).containsExactly("e");
        assertThat(watch.view().leaders()).hasSize(1);
        assertThat(watch.view().stale()).isTrue();
        assertThat(watch.view("e"))
                .isInstanceOfSatisfying(
                        LeaderView.Unknown.class,
                        unknown -> assertThat(unknown.age()).isGreaterThan(Duration.ofMinutes(10)));
        assertThat(watch.view("other")).isInstanceOf(LeaderView.Unknown.class);
        connection.hangs = false;
        world.passUntil(() -> !told.now.stale(), Duration.ofSeconds(5));
        assertThat(told.changes).allMatch(change -> change.end() == null && change.after() != null);
    }

    /** It may hang in the store: nobody is told that this is fresh. */
    @Test
    void theViewIsStaleThoughTheLoopStandsStill() {
        World world = World.withSessions();
        world.win(world.client("a").election("e"));
        ElectionsWatch watch = world.client("b", world.store.another()).watchElections();
        world.passUntil(() -> !watch.view().stale(), SOON);

        world.host.stall("mandate-loop-b");
        world.pass(World.LEASE.plusSeconds(1));

        assertThat(watch.view().stale()).isTrue();
        assertThat(watch.view().leaders()).hasSize(1);
        assertThat(watch.view("e")).isInstanceOf(LeaderView.Unknown.class);
    }

    /** Some stores tell of changes only where the client has used the key: Consul, Azure Blob. */
    @Test
    void ofElectionsThatThisClientNeverUsedItIsToldAtOnce() {
        World world = World.withSessions();
        Client a = world.client("a");
        Leadership first = world.win(a.election("e1"));
        VirtualStore connection = world.store.another();
        connection.isNarrow = true;
        Told told = new Told();
        world.client("b", connection).watchElections(told);
        // It has read one of them by then, to see that the store answers.
        world.passUntil(() -> connection.requests.containsKey("read"), World.LEASE);

        world.win(a.election("e2"));
        first.proclaim("moved");
        world.passUntil(() -> told.led().size() == 2 && told.value("e1").equals("moved"), Duration.ofMillis(100));
        first.close();
        world.passUntil(() -> told.led().equals(Set.of("e2")), Duration.ofMillis(100));
    }

    @Test
    void aGapIsNoBlank() {
        World world = World.withSessions();
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Told told = new Told();
        world.client("b", connection).watchElections(told);
        world.passUntil(() -> told.calls == 1, SOON);
        world.pass(SOON);

        connection.hint(Hint.Gap.INSTANCE);
        world.pass(SOON);

        assertThat(told.calls).isEqualTo(1);
        assertThat(connection.requests.get("list")).isEqualTo(2);
    }

    @Test
    void whoIsClosedIsToldNothingMoreAndTheLastOneEndsTheWatch() {
        World world = World.withSessions();
        Client a = world.client("a");
        Told closed = new Told();
        Told other = new Told();
        VirtualStore connection = world.store.another();
        Client b = world.client("b", connection);
        List<String> unwatched = new ArrayList<>();
        connection.onUnwatch = () -> unwatched.add("closed");
        ElectionsWatch watch = b.watchElections(closed);
        ElectionsWatch second = b.watchElections(other);
        world.passUntil(() -> other.calls == 1 && closed.calls == 1, SOON);

        watch.close();
        watch.close();
        world.win(a.election("e"));
        world.passUntil(() -> other.led().size() == 1, SOON);
        assertThat(closed.calls).isEqualTo(1);
        assertThat(unwatched).isEmpty();
        second.close();
        world.host.settle();
        assertThat(unwatched).hasSize(1);
        int listings = connection.requests.get("list");
        world.pass(Duration.ofMinutes(5));
        assertThat(connection.requests).containsEntry("list", listings);
        assertThat(second.view().stale()).isTrue();

        b.close();
        assertThatIllegalStateException().isThrownBy(() -> b.watchElections(other));
        assertThatIllegalStateException().isThrownBy(b::watchQueues);
    }

    // ---- waiting ----

    @Test
    void whoWaitsForTheFirstListingIsGivenIt() throws Exception {
        World world = World.withSessions();
        world.win(world.client("a").election("e"));
        ElectionsWatch watch = world.client("b", world.store.another()).watchElections();

        ElectionsView view = watch.awaitListed(SOON);

        assertThat(view.stale()).isFalse();
        assertThat(view.find("e").orElseThrow().value()).isEqualTo("at e");
        assertThat(watch.awaitListed(Duration.ZERO).leaders()).hasSize(1);
    }

    @Test
    void whoWaitsForASilentStoreIsGivenAStaleViewInTheEnd() throws Exception {
        World world = World.withSessions();
        VirtualStore connection = world.store.another();
        connection.hangs = true;
        ElectionsWatch watch = world.client("b", connection).watchElections();
        long began = world.host.nanos();

        ElectionsView view = watch.awaitListed(SOON);

        assertThat(view.stale()).isTrue();
        assertThat(Duration.ofNanos(world.host.nanos() - began)).isEqualTo(SOON);
    }

    @Test
    void whoWaitsWaitsNoLongerOnceItIsClosed() throws Exception {
        World world = World.withSessions();
        VirtualStore connection = world.store.another();
        connection.hangs = true;
        Client b = world.client("b", connection);
        ElectionsWatch watch = b.watchElections();
        ElectionsWatch other = b.watchElections();
        long began = world.host.nanos();
        watch.close();
        assertThat(watch.awaitListed(Duration.ofHours(1)).stale()).isTrue();
        assertThat(world.host.nanos()).isEqualTo(began);

        b.close();

        long closed = world.host.nanos();
        assertThat(other.awaitListed(Duration.ofHours(1)).stale()).isTrue();
        assertThat(world.host.nanos()).isEqualTo(closed);
    }

    @Test
    void namesAreChecked() {
        World world = World.withSessions();
        ElectionsWatch watch = world.client("b", world.store.another()).watchElections();
        assertThatIllegalArgumentException().isThrownBy(() -> watch.view(""));
        assertThatIllegalArgumentException().isThrownBy(() -> watch.view("x".repeat(513)));
    }

    // ---- what else may stand there ----

    @Test
    void anotherProgramsLeaderIsShownAsSuch() {
        World world = World.withSessions();
        Told told = new Told();
        world.client("b", world.store.another()).watchElections(told);
        world.passUntil(() -> told.calls == 1, SOON);

        world.store.overwriteForeign("e", "somebody else");
        world.passUntil(() -> told.led().size() == 1, SOON);

        assertThat(told.leaders.get("e").foreign()).isTrue();
        assertThat(told.leaders.get("e").candidate()).isEqualTo("somebody else");
    }

    /** A name of several segments is no election of anybody's. */
    @Test
    void whatIsNoElectionIsNotShown() {
        World world = World.withSessions();
        Leadership won = world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Told told = new Told();
        world.client("b", connection).watchElections(told);
        world.passUntil(() -> told.calls == 1, SOON);
        Observation.Held held = (Observation.Held) world.store.shown("e");

        connection.hint(new Hint.Seen(Observation.held(
                new RecordKey(RecordKey.ELECTIONS, List.of("e", "below")),
                held.basis(),
                held.liveness(),
                99,
                held.record())));
        world.pass(Duration.ofMillis(100));

        assertThat(told.led()).containsExactly("e");
        assertThat(won.isValid()).isTrue();
    }

    // ---- how terms end ----

    @ParameterizedTest
    @MethodSource("worlds")
    void aTermThatSomebodyAskedToEndIsToldAsAsked(World world) {
        Leadership first = world.win(world.client("a").election("e"), "first");
        first.ended().thenRun(first::close);
        Told told = new Told();
        Client b = world.client("b", world.store.another());
        b.watchElections(told);
        world.passUntil(() -> told.value("e").equals("first"));

        b.election("e").evict();
        world.passUntil(() -> told.lastEnd() != null);

        assertThat(told.lastEnd().cause()).isEqualTo(Cause.ASKED);
        assertThat(told.lastEnd().former().value()).isEqualTo("first");
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aTermThatIsReleasedIsToldAsReleasedWhereRenewalsShow(World world) {
        Leadership first = world.win(world.client("a").election("e"));
        Told told = new Told();
        world.client("b", world.store.another()).watchElections(told);
        world.pass(World.LEASE.multipliedBy(2));

        first.close();
        world.passUntil(() -> told.led().isEmpty(), SOON);
        assertThat(told.lastEnd().cause()).isEqualTo(renewalsShow(world) ? Cause.RELEASED : Cause.UNKNOWN);
        assertThat(told.changes.get(told.changes.size() - 1).isTakeOver()).isFalse();
        world.pass(Duration.ofSeconds(3));
        world.win(world.client("c", world.store.another()).election("e"));
        world.passUntil(() -> told.led().size() == 1, SOON);

        ElectionChange last = told.changes.get(told.changes.size() - 1);
        assertThat(last.isTakeOver()).isTrue();
        assertThat(last.end().former().token()).isEqualTo(first.fencingToken());
        assertThat(last.end().vacant()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aTermWhoseLeaderDiesIsToldAsExpiredWhereRenewalsShow(World world) {
        world.win(world.client("a").election("e"));
        Told told = new Told();
        world.client("b", world.store.another()).watchElections(told);
        world.pass(World.LEASE.multipliedBy(2));
        assertThat(told.value("e")).isEqualTo("at e");
        Client c = world.client("c", world.store.another());
        c.election("e").campaignAsync("second");

        world.host.stall("mandate-loop-a");
        world.host.stall("mandate-watchdog-a");
        long died = world.host.nanos();
        world.passUntil(() -> told.value("e").equals("second"));

        assertThat(told.lastEnd().cause()).isEqualTo(renewalsShow(world) ? Cause.EXPIRED : Cause.UNKNOWN);
        assertThat(told.lastEnd().former().value()).isEqualTo("at e");
        if (renewalsShow(world)) {
            // Its last renewal came up to L/3 before, and was seen up to L/3 later.
            Duration dead = Duration.ofNanos(world.host.nanos() - died);
            assertThat(told.lastEnd().vacant())
                    .isBetween(dead.minus(World.LEASE.dividedBy(3)), dead.plus(World.LEASE.dividedBy(3)));
        }
    }

    private static boolean renewalsShow(World world) {
        return world.store.traits().expiry() == Expiry.OBSERVER_JUDGES
                || world.store.traits().leaseScope() == LeaseScope.RECORD;
    }

    /** What ended while nobody could look may have ended at any time, for any reason. */
    @Test
    void whatEndedWhileTheStoreWasAwayIsNotKnown() {
        World world = World.judged();
        Leadership first = world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Told told = new Told();
        world.client("b", connection).watchElections(told);
        world.pass(World.LEASE.multipliedBy(2));

        connection.hangs = true;
        connection.isDeaf = true;
        world.pass(World.LEASE.multipliedBy(2));
        first.close();
        world.win(world.client("c", world.store.another()).election("e"), "second");
        connection.hangs = false;
        connection.isDeaf = false;
        world.passUntil(() -> told.value("e").equals("second"));

        assertThat(told.lastEnd().cause()).isEqualTo(Cause.UNKNOWN);
    }

    /** A slow listener is told of both terms in one change, and still why the first ended. */
    @Test
    void aSlowListenerIsToldHowTheLastTermEnded() {
        World world = World.judged();
        Leadership first = world.win(world.client("a").election("e"));
        Told told = new Told();
        world.client("b", world.store.another()).watchElections(told);
        world.pass(World.LEASE.multipliedBy(2));
        told.onCall = () -> {
            told.onCall = () -> {};
            first.close();
            world.pass(Duration.ofSeconds(1));
            world.win(world.client("c", world.store.another()).election("e"), "second");
            world.pass(SOON);
        };

        world.client("d", world.store.another()).election("another").campaignAsync("one");
        world.passUntil(() -> told.value("e").equals("second"), SOON);

        ElectionChange last = told.changes.get(told.changes.size() - 1);
        assertThat(last.before().value()).isEqualTo("at e");
        assertThat(last.end().cause()).isEqualTo(Cause.RELEASED);
        assertThat(last.end().vacant()).isBetween(Duration.ofMillis(900), Duration.ofSeconds(3));
    }
}
