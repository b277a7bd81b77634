package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.Guarantee;
import dev.mandate.Order;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Settings, and what is said when they are wrong. */
class ClientBuilderTest {

    private static String messageOf(String url) {
        try {
            ElectionClient.connect(url).close();
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
        throw new AssertionError("accepted " + url);
    }

    @Test
    void everySettingHasTheSameNameInTheUrlAndInTheBuilder() {
        String url =
                "memory:?scope=record&candidate=me&lease=20s&maxClockRatio=1.2&deadlineMargin=100ms&renewInterval=3s&requestTimeout=1s&retryInterval=200ms&drainTimeout=4s&pollInterval=2s"
                        + "&recordCheckInterval=1m&splay=50ms&coolDown=7s&settle=always&settleTime=9s&onOverrun=hold&requiredGuarantee=leased"
                        + "&connectTimeout=3s&registrationLease=2m&order=arrival";

        Map<String, String> byUrl;
        try (ElectionClient client = ElectionClient.connect(url)) {
            byUrl = client.explain().settings();
        }
        Map<String, String> byBuilder;
        try (ElectionClient client = ElectionClient.builder("memory:?scope=record")
                .candidate("me")
                .lease(Duration.ofSeconds(20))
                .maxClockRatio(1.2)
                .deadlineMargin(Duration.ofMillis(100))
                .renewInterval(Duration.ofSeconds(3))
                .requestTimeout(Duration.ofSeconds(1))
                .retryInterval(Duration.ofMillis(200))
                .drainTimeout(Duration.ofSeconds(4))
                .pollInterval(Duration.ofSeconds(2))
                .recordCheckInterval(Duration.ofMinutes(1))
                .splay(Duration.ofMillis(50))
                .coolDown(Duration.ofSeconds(7))
                .settle(Settle.ALWAYS)
                .settleTime(Duration.ofSeconds(9))
                .onOverrun(OverrunPolicy.HOLD)
                .requiredGuarantee(Guarantee.LEASED)
                .connectTimeout(Duration.ofSeconds(3))
                .registrationLease(Duration.ofMinutes(2))
                .order(Order.ARRIVAL)
                .connect()) {
            byBuilder = client.explain().settings();
        }

        assertThat(byUrl)
                .isEqualTo(byBuilder)
                .containsEntry("lease", "20s")
                .containsEntry("onOverrun", "hold")
                .containsEntry("order", "arrival")
                .containsEntry("settle", "always");
        assertThat(byUrl.keySet()).containsExactlyInAnyOrderElementsOf(Setting.words());
    }

    @Test
    void theBoundsCountTheWaitForATurn() {
        try (ElectionClient race = ElectionClient.connect("memory:");
                ElectionClient arrival = ElectionClient.connect("memory:?order=arrival")) {
            assertThat(race.explain().settings()).containsEntry("order", "race");
            assertThat(race.explain().first()).isEmpty();
            assertThat(arrival.explain().first()).isEqualTo("the candidate that has waited longest");
            assertThat(arrival.explain().turnAtMost()).isEqualTo(Duration.ofMillis(1_600));
            assertThat(arrival.explain().failoverAtMost())
                    .isEqualTo(race.explain().failoverAtMost().plusMillis(1_600));
            assertThat(arrival.explain().recoveryAtMost())
                    .isEqualTo(race.explain().recoveryAtMost().plusMillis(1_600));
        }
    }

    /** A store that may grant 1 s less than 10 s: a leader stops as if it had asked for 9 s. */
    @Test
    void aLeaderIsExplainedByWhatIsGranted() {
        StoreTraits traits = VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.RECORD);
        Explanation all = explanation(traits);
        Explanation less = explanation(traits.withReserve(Duration.ofSeconds(1)));

        LeaseTiming granted = LeaseTiming.of(Duration.ofSeconds(10)).granted(9_000_000_000L);
        assertThat(less.believedFor()).isEqualTo(granted.believedFor()).isLessThan(all.believedFor());
        assertThat(less.drainBudget()).isEqualTo(Duration.ofNanos(granted.drainTimeoutNanos()));
        assertThat(less.drainBudget()).isLessThan(all.drainBudget());
        assertThat(less.failoverAtMost()).isEqualTo(all.failoverAtMost());
    }

    private static Explanation explanation(StoreTraits traits) {
        VirtualHost host = new VirtualHost();
        try (ElectionClient client = new ClientBuilder(VirtualStore.of(host, traits))
                .on(host)
                .create(true)
                .executor(Runnable::run)
                .connect()) {
            return client.explain();
        }
    }

    /** Whatever is asked for: the store has one, and takes no other. */
    @ParameterizedTest
    @EnumSource(Order.class)
    void anOrderIsRefusedBesideThatOfTheStore(Order order) {
        OrderedStore store = new OrderedStore(World.withRecords().store);

        assertThatThrownBy(() -> ElectionClient.builder(store).order(order).connect())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("order is '" + Setting.text(order) + "', but "
                        + store.traits().name() + " has an order of its own; leave order out, or use another store");
    }

    @Test
    void aSetterWinsOverTheUrl() {
        try (ElectionClient client = ElectionClient.builder("memory:?lease=20s&candidate=url")
                .lease(Duration.ofSeconds(30))
                .connect()) {
            assertThat(client.explain().lease()).isEqualTo(Duration.ofSeconds(30));
            assertThat(client.candidate()).isEqualTo("url");
        }
    }

    @Test
    void theDefaultsAreTenSecondsAndHostNameWithProcessId() {
        try (ElectionClient client = ElectionClient.connect("memory:")) {
            assertThat(client.explain().lease()).isEqualTo(Duration.ofSeconds(10));
            assertThat(client.candidate())
                    .matches("[A-Za-z0-9._-]+:" + ProcessHandle.current().pid());
            assertThat(client.guarantee()).isEqualTo(Guarantee.FENCED);
            assertThat(client.explain().inWords()).contains("10 s", "none; after a forced eviction");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "etcd://h:2379 | 'etcd:' | add the jar mandate-etcd",
                "consul://h | 'consul:' | mandate-consul",
                "nats://h | 'nats:' | mandate-nats",
                "azblob://h | 'azblob:' | mandate-azure-blob",
                "sqlite:/tmp/x.db | 'sqlite:' | mandate-jdbc",
                "postgresql://h/db | 'postgresql:' | mandate-jdbc",
                "memroy:x | 'memroy:' | did you mean 'memory'?",
                "etdc://h | 'etdc:' | did you mean 'etcd'?",
                "gopher://h | 'gopher:' | memory is on the class path",
                "memory:?laese=10s | 'laese' | did you mean 'lease'?",
                "memory:?cool-down=10s | 'cool-down' | did you mean 'coolDown'?",
                "memory:?expiri=x | 'expiri' | did you mean 'expiry'?",
                "memory:?frobnicate=x | 'frobnicate' | lockDelay",
                "memory:?order=bully | order is 'bully' | one of race, arrival",
                "memory:?order= | order is '' | one of race, arrival",
                "memory:?lease=10 | lease is '10' | 10s",
                "memory:?lease=1.5s | lease is '1.5s' | without fractions",
                "memory:?lease=s | lease is 's' | 10s",
                "memory:?lease=99999999999999999999s | lease is | 10s",
                "memory:?lease=999999h | lease is '999999h' | 365 days",
                "memory:?lease=0s | lease is 0 | more than 0",
                "memory:?lease=10s&drainTimeout=9s | drainTimeout 9 s | lease of 10 s",
                "memory:?lease=10s&requestTimeout=5s | requestTimeout 5 s | lease 10 s",
                "memory:?lease=10s&pollInterval=11s | pollInterval 11 s | lease 10 s",
                "memory:?lease=1ms&leaseMin=2s | lease is 1ms | no less than 2s",
                "memory:?lease=100h | lease is 100h | no more than 24h",
                "memory:?registrationLease=30s | registrationLease is 30s | set lease",
                "memory:?scope=record&registrationLease=100h | registrationLease is 100h | no more than 24h",
                "memory:?scope=record&registrationLease=0s | registrationLease is 0 | more than 0",
                "memory:?maxClockRatio=3 | maxClockRatio is 3.0 | between 1.0 and 2.0",
                "memory:?maxClockRatio=fast | maxClockRatio is 'fast' | 1.1",
                "memory:?settle=soon | settle is 'soon' | after-foreign",
                "memory:?onOverrun=panic | onOverrun is 'panic' | release, hold, halt",
                "memory:?requiredGuarantee=total | requiredGuarantee is 'total' | advisory, leased, fenced",
                "memory:?candidate= | candidate is empty | 1 to 512",
                "memory:?lease=1s&lease=2s | 'lease' | twice",
                "no scheme at all | no scheme | sqlite:",
            })
    void whatIsWrongIsSaidInOneSentence(String url, String names, String says) {
        assertThat(messageOf(url)).contains(names).contains(says).doesNotContain("\n");
    }

    @Test
    void aSecretInTheUrlIsNeverShown() {
        for (String url : new String[] {
            "gopher://user:hunter2@h/db",
            "etcd://user:hunter2@h/db?lease=10s",
            "memory:?hunter=hunter2",
            "memory:?password=hunter2",
        }) {
            assertThat(messageOf(url)).doesNotContain("hunter2");
        }
    }

    @Test
    void aStoreThatGuaranteesLessThanIsRequiredIsRefusedAndClosed() {
        VirtualHost host = new VirtualHost();
        VirtualStore store = VirtualStore.of(
                host,
                VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.SESSION).withGuarantee(Guarantee.LEASED));

        assertThatThrownBy(() -> new ClientBuilder(store)
                        .on(host)
                        .requiredGuarantee(Guarantee.FENCED)
                        .connect())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("requiredGuarantee is fenced")
                .hasMessageContaining("only leased");

        assertThat(store.closed).isEqualTo(1);
    }

    @Test
    void impossibleSettingsCloseTheStoreThatWasGiven() {
        VirtualHost host = new VirtualHost();
        VirtualStore store = VirtualStore.of(host, VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.SESSION));

        assertThatThrownBy(() -> new ClientBuilder(store)
                        .on(host)
                        .drainTimeout(Duration.ofSeconds(30))
                        .connect())
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(store.closed).isEqualTo(1);
    }

    private static Duration leaseOnAStoreThatGrantsNoLessThan(Duration least) {
        VirtualHost host = new VirtualHost();
        VirtualStore store = VirtualStore.of(
                host,
                VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.SESSION)
                        .withLeaseBounds(least, Duration.ofMinutes(1), Duration.ofMillis(1)));
        try (ElectionClient client = new ClientBuilder(store)
                .on(host)
                .create(true)
                .executor(Runnable::run)
                .connect()) {
            return client.explain().lease();
        }
    }

    @Test
    void onAnOpenStoreTheLeaseIsTenSecondsOrTheShortestThatItGrants() {
        assertThat(leaseOnAStoreThatGrantsNoLessThan(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(10));
        assertThat(leaseOnAStoreThatGrantsNoLessThan(Duration.ofSeconds(15))).isEqualTo(Duration.ofSeconds(15));
    }

    // ---- startup ----

    private final VirtualHost host = new VirtualHost();
    private final VirtualStore store =
            VirtualStore.of(host, VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.SESSION));

    private ElectionClient connect(Duration startup) {
        return new ClientBuilder(store).on(host).connectTimeout(startup).connect();
    }

    @Test
    void connectReturnsWithTheFirstGoodAnswer() {
        store.failure = new IllegalStateException("not yet");
        host.at(host.nanos() + Duration.ofSeconds(4).toNanos(), () -> store.failure = null);
        long from = host.nanos();

        connect(Duration.ofSeconds(10)).close();

        assertThat(Duration.ofNanos(host.nanos() - from)).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
    }

    @Test
    void aStoreThatDoesNotComeInTimeIsSaidSoAndClosed() {
        store.hangs = true;
        long from = host.nanos();

        assertThatThrownBy(() -> connect(Duration.ofSeconds(10)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("virtual")
                .hasMessageContaining("10000 ms")
                .hasMessageContaining("no answer");

        assertThat(Duration.ofNanos(host.nanos() - from)).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(11));
        assertThat(store.closed).isEqualTo(1);
    }

    @Test
    void theLastFailureIsSaid() {
        store.failure = new IllegalStateException("connection refused");

        assertThatThrownBy(() -> connect(Duration.ofSeconds(10)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("connection refused")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aPermanentFaultIsThrownAtOnce() {
        store.failure = new StoreSetupException("wrong password; set another one");
        long from = host.nanos();

        assertThatThrownBy(() -> connect(Duration.ofSeconds(10)))
                .isInstanceOf(StoreSetupException.class)
                .hasMessageContaining("wrong password");

        assertThat(Duration.ofNanos(host.nanos() - from)).isLessThan(Duration.ofSeconds(1));
        assertThat(store.closed).isEqualTo(1);
    }

    @Test
    void withoutStartupTheStoreMayComeLater() {
        store.failure = new IllegalStateException("not yet");

        ElectionClient client = connect(Duration.ZERO);
        var stage = client.election("e").campaignAsync("v").toCompletableFuture();
        host.advance(Duration.ofMinutes(5));
        assertThat(stage).isNotDone();
        store.failure = null;
        host.advance(Duration.ofSeconds(5));

        assertThat(stage.join().isValid()).isTrue();
    }
}
