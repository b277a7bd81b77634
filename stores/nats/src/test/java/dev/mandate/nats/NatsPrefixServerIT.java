package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Subscription;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.PurgeOptions;
import io.nats.client.api.StreamConfiguration;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A look at what stands below a prefix costs what stands there: somebody counts all that the servers send to who looks.
 */
@Execution(ExecutionMode.CONCURRENT)
class NatsPrefixServerIT {
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RecordKey ALL = new RecordKey(RecordKey.REGISTRATIONS, List.of());
    private static final RecordKey WEB = new RecordKey(RecordKey.REGISTRATIONS, List.of("web"));
    private static final RecordKey JOBS = RecordKey.election("jobs");
    private static final RecordKey DOTTED = RecordKey.election("com.acme.billing.jobs");

    @RegisterExtension
    static final ServerExtension V29 = NatsServer.shared(NatsServer.V29);

    @RegisterExtension
    static final ServerExtension V210 = NatsServer.shared(NatsServer.V210);

    @RegisterExtension
    static final ServerExtension V215 = NatsServer.shared(NatsServer.V215);

    static Stream<ServerExtension> servers() {
        return Stream.of(V29, V210, V215);
    }

    /**
     * A bucket of its own, somebody who writes, somebody who looks, and somebody who hears all that comes to the
     * latter.
     */
    private static final class Scene implements AutoCloseable {
        final String bucket = NatsServer.bucket();
        final StoreClient writer;
        final StoreClient looker;
        final Operator operator;
        final String inbox = "_" + bucket;
        private final Queue<Message> sent = new ConcurrentLinkedQueue<>();
        final Queue<Hint> hints = new ConcurrentLinkedQueue<>();

        Scene(ServerExtension server, String parameters) throws Exception {
            int port = server.server().port("client");
            String url = NatsServer.url(port, bucket, "?" + parameters);
            writer = NatsServer.client(url, LEASE);
            looker = NatsServer.client(url + "&inboxPrefix=" + inbox, LEASE);
            operator = new Operator(port, bucket);
            Dispatcher listener = operator.connection.createDispatcher(sent::add);
            listener.subscribe(inbox + ".>");
            operator.connection.flush(PATIENCE);
        }

        Subscription watch(RecordKey prefix) {
            Subscription watch = looker.store().watch(prefix, hints::add);
            awaitGap();
            return watch;
        }

        void awaitGap() {
            Await.until("the watch to be open", PATIENCE, () -> hints.contains(Hint.Gap.INSTANCE));
        }

        void awaitHint(Observation expected) {
            Await.until("a hint of " + expected.key(), PATIENCE, () -> seen().anyMatch(expected.basis()::equals));
        }

        private Stream<Object> seen() {
            return hints.stream()
                    .filter(Hint.Seen.class::isInstance)
                    .map(hint -> ((Hint.Seen) hint).observation().basis());
        }

        void awaitVacancy(RecordKey key) {
            Await.until(
                    "a hint that " + key + " is vacant",
                    PATIENCE,
                    () -> hints.stream()
                            .anyMatch(hint -> hint instanceof Hint.Seen seen
                                    && seen.observation() instanceof Observation.Vacant vacant
                                    && vacant.key().equals(key)));
        }

        /** All that was sent to who looks until now. */
        private List<Message> sent() {
            String last = inbox + "." + StoreClient.id();
            operator.connection.publish(last, null);
            Await.until(
                    "the last message",
                    PATIENCE,
                    () -> sent.stream().anyMatch(message -> message.getSubject().equals(last)));
            return List.copyOf(sent);
        }

        /** The keys whose messages were sent to who looks. */
        List<String> delivered() {
            String before = Subjects.prefix(bucket);
            return sent().stream()
                    .map(Message::getSubject)
                    .filter(subject -> subject.startsWith(before))
                    .map(subject -> subject.substring(before.length()))
                    .toList();
        }

        /** The text of all answers that were sent to who looks. */
        String text() {
            StringBuilder text = new StringBuilder();
            sent().forEach(message -> text.append(new String(message.getData(), StandardCharsets.UTF_8)));
            return text.toString();
        }

        List<RecordKey> list(RecordKey prefix) {
            Page<Observation> page = StoreClient.answer(looker.store().list(prefix, Cursor.START, StoreClient.call()));
            assertThat(page.next()).isEmpty();
            return page.items().stream().map(Observation::key).toList();
        }

        /** Another bucket to whoever looks, so that each watch is opened again. */
        void makeTimeToLive(Duration ttl) throws Exception {
            JetStreamManagement management = operator.connection.jetStreamManagement();
            management.updateStream(StreamConfiguration.builder(
                            management.getStreamInfo("KV_" + bucket).getConfiguration())
                    .maxAge(ttl)
                    .build());
        }

        @Override
        public void close() throws Exception {
            looker.close();
            writer.close();
            operator.close();
        }
    }

    private static RecordKey instance(String service, String id) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of(service, id));
    }

    /**
     * What stands elsewhere, and is renewed there: neighbours whose names begin the same, elections, and another space.
     */
    private static void writeElsewhere(StoreClient writer) {
        for (RecordKey key : List.of(
                instance("webapp", "elsewhere"),
                instance("web.app", "elsewhere"),
                instance("we", "elsewhere"),
                instance("web/", "elsewhere"),
                new RecordKey("place", List.of("web", "elsewhere")),
                RecordKey.election("web"),
                RecordKey.election("elsewhere"))) {
            Observation.Held held = writer.lead(key);
            for (int i = 0; i < 3; i++) {
                held = StoreClient.written(writer.renew(held));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aWatchOfAServiceIsSentNothingOfElsewhere(ServerExtension server) throws Exception {
        try (Scene scene = new Scene(server, "ttl=60s");
                Subscription watch = scene.watch(WEB)) {
            assertThat(watch).isNotNull();
            writeElsewhere(scene.writer);
            // The dots of an address separate nothing.
            Observation.Held one = scene.writer.lead(instance("web", "10.0.0.1:80"));
            Observation.Held two = scene.writer.lead(instance("web", "a>*b"));
            Observation.Held itself = scene.writer.lead(WEB);

            scene.awaitHint(one);
            scene.awaitHint(two);
            scene.awaitHint(itself);

            assertThat(scene.delivered()).hasSize(3).doesNotHaveDuplicates();
        }
    }

    @Test
    void aWatchOfASpaceIsSentNoElection() throws Exception {
        try (Scene scene = new Scene(V215, "ttl=60s");
                Subscription watch = scene.watch(ALL)) {
            assertThat(watch).isNotNull();
            scene.writer.lead(JOBS);
            scene.writer.lead(DOTTED);
            scene.awaitHint(scene.writer.lead(instance("web", "1")));
            scene.awaitHint(scene.writer.lead(instance("mail", "1")));

            assertThat(scene.delivered()).hasSize(2);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aWatchOfOneKeyIsSentThatAlone(ServerExtension server) throws Exception {
        RecordKey mine = instance("web", "1");
        try (Scene scene = new Scene(server, "ttl=60s");
                Subscription watch = scene.watch(mine)) {
            assertThat(watch).isNotNull();
            scene.writer.lead(instance("web", "11"));
            scene.writer.lead(WEB);
            scene.awaitHint(scene.writer.lead(mine));

            assertThat(scene.delivered()).hasSize(1);
        }
    }

    /** Elections stand where they always stood, with names of one word beside those of others. */
    @ParameterizedTest
    @MethodSource("servers")
    void aWatchOfElectionsIsSentNoRegistration(ServerExtension server) throws Exception {
        try (Scene scene = new Scene(server, "ttl=60s");
                Subscription watch = scene.watch(RecordKey.elections())) {
            assertThat(watch).isNotNull();
            scene.writer.renew(scene.writer.lead(instance("web", "1")));
            scene.awaitHint(scene.writer.lead(JOBS));

            assertThat(scene.delivered()).containsExactly("jobs");
        }
    }

    /** Nothing but the number of words tells them from registrations: who uses one is sent all. */
    @Test
    void aWatchOfElectionsTellsOfNamesWithDotsOnceTheyAreUsed() throws Exception {
        try (Scene scene = new Scene(V215, "ttl=60s");
                Subscription watch = scene.watch(RecordKey.elections())) {
            assertThat(watch).isNotNull();
            scene.awaitHint(scene.writer.lead(JOBS));
            scene.writer.lead(instance("web", "before"));
            scene.hints.clear();

            assertThat(scene.looker.read(DOTTED)).isInstanceOf(Observation.Vacant.class);

            scene.awaitGap();
            scene.writer.lead(instance("web", "after"));
            scene.awaitHint(scene.writer.lead(DOTTED));
            scene.awaitHint(scene.writer.lead(RecordKey.election("mail")));
            assertThat(scene.delivered())
                    .as("what stood there is not sent")
                    .containsExactly("jobs", "=mandate.registration.web.after.=", "com.acme.billing.jobs", "mail");
        }
    }

    /** It begins with what comes, as before, also where nothing came yet. */
    @Test
    void aWatchThatIsOpenedAgainIsNotSentWhatStoodThere() throws Exception {
        try (Scene scene = new Scene(V215, "ttl=60s")) {
            scene.writer.lead(instance("web", "before"));
            try (Subscription watch = scene.watch(WEB)) {
                assertThat(watch).isNotNull();
                scene.hints.clear();

                scene.makeTimeToLive(Duration.ofSeconds(61));

                scene.awaitGap();
                scene.awaitHint(scene.writer.lead(instance("web", "after")));
                assertThat(scene.delivered()).containsExactly("=mandate.registration.web.after.=");
            }
        }
    }

    @Test
    void electionsThatShareAFirstWordAreLookedAtByThemselves() throws Exception {
        try (Scene scene = new Scene(V215, "key=leaders.{election}");
                Subscription watch = scene.watch(RecordKey.elections())) {
            assertThat(watch).isNotNull();
            scene.writer.renew(scene.writer.lead(instance("web", "elsewhere")));
            scene.awaitHint(scene.writer.lead(DOTTED));
            scene.awaitHint(scene.writer.lead(JOBS));
            assertThat(scene.delivered()).containsExactly("leaders.com.acme.billing.jobs", "leaders.jobs");

            assertThat(scene.list(RecordKey.elections())).containsExactlyInAnyOrder(DOTTED, JOBS);
            assertThat(scene.text()).doesNotContain("elsewhere");
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aListingOfAServiceIsSentNothingOfElsewhere(ServerExtension server) throws Exception {
        try (Scene scene = new Scene(server, "ttl=60s")) {
            writeElsewhere(scene.writer);
            RecordKey one = instance("web", "10.0.0.1:80");
            RecordKey two = instance("web", "2");
            scene.writer.lead(one);
            scene.writer.lead(two);
            scene.writer.lead(WEB);
            scene.writer.release(scene.writer.lead(instance("web", "gone")));

            assertThat(scene.list(WEB)).containsExactlyInAnyOrder(WEB, one, two);

            assertThat(scene.text()).contains("web").doesNotContain("elsewhere");
            assertThat(scene.delivered()).isEmpty();
        }
    }

    @Test
    void deletionsPurgesReleasesAndExpiriesBelowAPrefixAreTold() throws Exception {
        try (Scene scene = new Scene(V215, "ttl=60s");
                Subscription watch = scene.watch(WEB)) {
            assertThat(watch).isNotNull();
            RecordKey deleted = instance("web", "deleted");
            RecordKey purged = instance("web", "purged");
            RecordKey released = instance("web", "released");
            RecordKey expired = instance("web", "expired");
            scene.writer.lead(deleted);
            scene.writer.lead(purged);
            Observation.Held held = scene.writer.lead(released);
            List<String> keys = scene.operator.kv().keys();
            try (StoreClient brief = NatsServer.client(
                    NatsServer.url(V215.server().port("client"), scene.bucket, ""), Duration.ofSeconds(1))) {
                brief.lead(expired);
            }

            scene.operator.delete(only(keys, "deleted"));
            scene.operator.purge(only(keys, "purged"));
            scene.writer.release(held);

            for (RecordKey key : List.of(deleted, purged, released, expired)) {
                scene.awaitVacancy(key);
            }
            assertThat(scene.list(WEB)).isEmpty();
        }
    }

    private static String only(List<String> keys, String words) {
        return keys.stream().filter(key -> key.contains(words)).findFirst().orElseThrow();
    }

    /** Where no marker tells of it, the time is watched: also of what stood there before anybody looked. */
    @ParameterizedTest
    @MethodSource("servers")
    void anExpiryIsToldWithoutMarkersOfWhatStoodThereBefore(ServerExtension server) throws Exception {
        RecordKey before = instance("web", "before");
        RecordKey after = instance("web", "after");
        try (Scene scene = new Scene(server, "expiring=bucket&ttl=4s")) {
            scene.writer.lead(before);
            try (Subscription watch = scene.watch(WEB)) {
                assertThat(watch).isNotNull();
                scene.writer.lead(after);

                scene.awaitVacancy(before);
                scene.awaitVacancy(after);
            }
            assertThat(scene.list(WEB)).isEmpty();
        }
    }

    /** What a stream loses by itself nobody is told of; a listing shows it. */
    @Test
    void aListingShowsNothingThatWasPurgedFromTheStream() throws Exception {
        try (Scene scene = new Scene(V215, "ttl=60s")) {
            scene.writer.lead(instance("web", "1"));
            scene.operator
                    .connection
                    .jetStreamManagement()
                    .purgeStream("KV_" + scene.bucket, PurgeOptions.builder().build());

            assertThat(scene.list(ALL)).isEmpty();
        }
    }
}
