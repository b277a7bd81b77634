package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.Eviction;
import dev.mandate.Eviction.Outcome;
import dev.mandate.Leader;
import dev.mandate.Leadership;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Asking a leader to leave, forcing it, and asking who leads what. */
class EvictionTest {
    private final World world = World.withSessions();

    static Stream<World> worlds() {
        return Stream.of(World.withSessions(), World.withRecords(), World.judged());
    }

    private static boolean isVacant(World world, String election) {
        return world.store.shown(election) instanceof Observation.Vacant;
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aLeaderThatIsAskedStopsAndReleases(World any) {
        Leadership leadership = any.win(any.client("a").election("e"));
        List<EndReason> lost = new ArrayList<>();
        leadership.ended().thenAccept(lost::add);
        Election seenByOther = any.client("b", any.store.another()).election("e");

        Eviction eviction = seenByOther.evict();

        assertThat(eviction.outcome()).isEqualTo(Outcome.ASKED);
        assertThat(eviction.overlapAtMost()).isZero();
        assertThat(eviction.leader().orElseThrow().token()).isEqualTo(leadership.fencingToken());
        any.passUntil(() -> !lost.isEmpty());
        assertThat(lost).containsExactly(EndReason.EVICTED);
        assertThat(leadership.isValid()).isFalse();
        assertThat(isVacant(any, "e")).isFalse();
        leadership.close();
        assertThat(isVacant(any, "e")).isTrue();
    }

    @Test
    void askingTwiceWritesOnce() {
        VirtualStore deaf = world.store;
        world.win(world.client("a").election("e"));
        deaf.isDeaf = true;
        Election seenByOther = world.client("b", world.store.another()).election("e");

        assertThat(seenByOther.evict().outcome()).isEqualTo(Outcome.ASKED);
        assertThat(seenByOther.evict().outcome()).isEqualTo(Outcome.ASKED_BEFORE);
    }

    @Test
    void aVacantElectionIsVacantAndAForeignRecordKnowsNoFlag() {
        Election election = world.client("b").election("e");

        assertThat(election.evict()).isEqualTo(new Eviction(Outcome.VACANT, null, Duration.ZERO));
        assertThat(election.evictByForce()).isEqualTo(new Eviction(Outcome.VACANT, null, Duration.ZERO));
        world.store.overwriteForeign("e", "another program");
        assertThat(election.evict().outcome()).isEqualTo(Outcome.FOREIGN);
        assertThat(election.evict().leader().orElseThrow().foreign()).isTrue();
        assertThat(isVacant(world, "e")).isFalse();

        assertThat(election.evictByForce().outcome()).isEqualTo(Outcome.FREED);
        assertThat(isVacant(world, "e")).isTrue();
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void forceFreesTheRecordAtOnceAndNamesTheOverlap(World any) {
        Leadership leadership = any.win(any.client("a").election("e"));
        Client other = any.client("b", any.store.another());

        Eviction eviction = other.election("e").evictByForce();

        assertThat(eviction.outcome()).isEqualTo(Outcome.FREED);
        assertThat(isVacant(any, "e")).isTrue();
        assertThat(eviction.overlapAtMost()).isEqualTo(other.explain().overlapAtMost());
        any.passUntil(() -> !leadership.isValid(), eviction.overlapAtMost());
    }

    /** The record changes between the look and the write, but it is the same leader's. */
    @ParameterizedTest
    @MethodSource("worlds")
    void aLeaderThatProclaimsMeanwhileIsEvictedAllTheSame(World any) {
        Leadership leadership = any.win(any.client("a").election("e"));
        VirtualStore connection = any.store.another();
        Client other = any.client("b", connection);
        connection.latency = Duration.ofMillis(20);
        for (int i = 0; i < 3; i++) {
            String value = "v" + i;
            any.host.at(any.host.nanos() + 12_000_000L + i * 20_000_000L, () -> {
                proclaimBehind(any, value);
            });
        }

        assertThat(other.election("e").evict().outcome()).isEqualTo(Outcome.ASKED);

        any.passUntil(() -> !leadership.isValid());
    }

    private static void proclaimBehind(World any, String value) {
        Observation.Held held = (Observation.Held) any.store.shown("e");
        any.store
                .another()
                .update(held.key(), held, held.record().withValue(value), dev.mandate.spi.Intent.PROCLAIM, null);
    }

    /** Another term began between the look and the write: it is not touched. */
    @ParameterizedTest
    @MethodSource("worlds")
    void aLaterTermIsNotTouched(World any) {
        Client first = any.client("a");
        Leadership leadership = any.win(first.election("e"));
        VirtualStore connection = any.store.another();
        connection.latency = Duration.ofMillis(900);
        any.settings.put(Setting.REQUEST_TIMEOUT, Duration.ofMillis(1_100));
        Client other = any.client("b", connection);
        // The look is answered; then, while the write is on its way, the first leader goes and another one comes.
        any.host.at(any.host.nanos() + 910_000_000L, leadership::resign);
        Client second = any.client("c", any.store.another());
        second.election("e").campaignAsync("next");

        Eviction eviction = other.election("e").evictByForce();

        assertThat(eviction.outcome()).isEqualTo(Outcome.MOVED_ON);
        assertThat(eviction.leader().orElseThrow().token()).isEqualTo(leadership.fencingToken());
        assertThat(second.election("e").status().isLeader()).isTrue();
    }

    @Test
    void aStoreThatDoesNotAnswerIsSaidSoInTime() {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);
        Election election = client.election("e");
        String answer = client.timing().requestTimeoutNanos() / 1_000_000 + " ms";
        connection.hangs = true;
        long from = world.host.nanos();

        assertThatThrownBy(election::evict)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("virtual:b")
                .hasMessageContaining(answer)
                .hasMessageContaining("'e'");
        assertThatThrownBy(election::evictByForce).isInstanceOf(StoreUnavailableException.class);

        assertThat(Duration.ofNanos(world.host.nanos() - from)).isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void aStoreThatWillNotWorkIsSaidSo() {
        VirtualStore connection = world.store.another();
        Election election = world.client("b", connection).election("e");
        connection.failure = new StoreSetupException("no right to read; grant SELECT");

        assertThatThrownBy(election::evict)
                .isInstanceOf(StoreSetupException.class)
                .hasMessageContaining("grant SELECT");
        assertThatThrownBy(election::view).isInstanceOf(StoreSetupException.class);
        connection.failure = new IllegalStateException("connection reset");
        assertThatThrownBy(election::evict)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("connection reset");
    }

    @Test
    void leadersAreListedByNameAcrossPagesUpToTheLimit() {
        Client client = world.client("a");
        for (int i = 0; i < 12; i++) {
            world.win(client.election("job-" + (char) ('a' + (i * 5) % 12)));
        }
        world.win(client.election("other"));
        world.win(client.election("job-z")).close();
        VirtualStore connection = world.store.another();
        connection.pageItems = 3;
        Client other = world.client("b", connection);

        List<Leader> leaders = other.leaders("job-", 100);

        assertThat(leaders).extracting(Leader::election).isSorted().hasSize(12).allMatch(n -> n.startsWith("job-"));
        assertThat(other.leaders("job-", 5))
                .extracting(Leader::election)
                .containsExactly("job-a", "job-b", "job-c", "job-d", "job-e");
        assertThat(other.leaders("none", 5)).isEmpty();
        assertThatThrownBy(() -> other.leaders("", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit is 0");
    }

    // ---- bounds ----

    /** However often the record changes under it: eight tries, and then it says why. */
    @Test
    void anEvictionThatIsRefusedEightTimesSaysSo() {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Election election = world.client("b", connection).election("e");
        int[] changes = {0};
        connection.onCall = () -> proclaimBehind(world, "v" + changes[0]++);
        connection.latency = Duration.ofMillis(20);

        assertThatThrownBy(election::evict)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("virtual:b refused 8 times because the record of election 'e' kept changing");
        assertThat(connection.requests.get("ASK_TO_LEAVE")).isEqualTo(8);
        assertThatThrownBy(election::evictByForce).hasMessageContaining("refused 8 times");
        assertThat(connection.requests.get("release")).isEqualTo(8);
    }

    /** A store that names the same page again and again must not be asked for ever. */
    @Test
    void aListingThatGoesInCirclesEnds() {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        connection.circles = true;

        assertThat(world.client("b", connection).leaders("", 10))
                .extracting(Leader::election)
                .containsExactly("e");
        assertThat(connection.requests.get("list")).isEqualTo(1);
    }

    /** It was told that nothing is known: that must stay true of a call that has not been sent. */
    @Test
    void whatACallerGaveUpIsNotSentAnyMore() {
        world.win(world.client("a").election("e"));
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);
        world.host.settle();
        world.host.stall("mandate-loop-b");

        assertThatThrownBy(client.election("e")::evictByForce).isInstanceOf(StoreUnavailableException.class);
        world.host.resume();
        world.pass(Duration.ofSeconds(1));

        assertThat(connection.requests).doesNotContainKeys("read", "release");
    }

    @Test
    void whoAsksIsInterruptedAndStaysSo() throws InterruptedException {
        VirtualStore connection = world.store.another();
        Election election = world.client("b", connection).election("e");
        connection.hangs = true;
        List<Object> seen = new ArrayList<>();
        Thread user = new Thread(() -> {
            try {
                election.evict();
            } catch (StoreUnavailableException e) {
                seen.add(e.getMessage());
                seen.add(Thread.currentThread().isInterrupted());
            }
        });
        user.start();
        world.await(() -> user.getState() == Thread.State.WAITING);

        user.interrupt();
        user.join();

        assertThat(seen).containsExactly("interrupted while virtual:b was asked to read election 'e'", true);
    }

    @Test
    void whoAsksAClientThatIsClosedMeanwhileIsToldSo() {
        VirtualStore connection = world.store.another();
        Client client = world.client("b", connection);
        connection.hangs = true;
        world.host.at(world.host.nanos() + 10_000_000, client::close);

        assertThatThrownBy(client.election("e")::evict)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    // ---- overlap ----

    /** The other program's lease is longer than ours could be: it may lead for that long. */
    @Test
    void theOverlapWithAForeignLeaderIsItsLeaseWhereThatIsLonger() {
        Client client = world.client("b");
        Duration ours = client.explain().overlapAtMost();
        world.store.overwriteForeign("e", "another program", Duration.ofHours(1));
        assertThat(client.election("e").evictByForce().overlapAtMost()).isEqualTo(Duration.ofHours(1));

        world.store.overwriteForeign("e", "another program", ours);
        assertThat(client.election("e").evictByForce().overlapAtMost()).isEqualTo(ours);
        world.store.overwriteForeign("e", "another program", Duration.ofMillis(1));
        assertThat(client.election("e").evictByForce().overlapAtMost()).isEqualTo(ours);
    }

    /** A record has the lease of whoever wrote it, a session that of its client. */
    @ParameterizedTest
    @MethodSource("worlds")
    void theOverlapWithALeaderOfALongerLeaseIsThatLeaseWhereTheRecordHasIt(World any) {
        any.set(Setting.LEASE, Duration.ofMinutes(5));
        any.win(any.client("a").election("e"));
        any.set(Setting.LEASE, World.LEASE);
        Client client = any.client("b", any.store.another());

        boolean isOfRecord = any.store.traits().leaseScope() == dev.mandate.spi.LeaseScope.RECORD;
        assertThat(client.election("e").evictByForce().overlapAtMost())
                .isEqualTo(isOfRecord ? Duration.ofMinutes(5) : client.explain().overlapAtMost());
    }
}
