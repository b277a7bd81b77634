package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.StoreUnavailableException;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.registry.Status;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.StoreUrl;
import dev.mandate.spi.Subscription;
import dev.mandate.spi.WriteOutcome;
import dev.mandate.testkit.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two clients on one file, in real time: one registers, the other one follows. */
class SqliteRegistryTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ServiceInstance HERE =
            ServiceInstance.at("10.0.0.7:8080").withId("7");

    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("mandate.db");
    }

    private ElectionClient client(String candidate) {
        return ElectionClient.connect("sqlite:" + file() + "?lease=2s&candidate=" + candidate);
    }

    private Gated gated() {
        return new Gated(new JdbcStoreProvider().open(StoreUrl.parse("sqlite:" + file())));
    }

    private static Registration registered(ElectionClient client, ServiceInstance instance) throws Exception {
        Registration registration = client.registry().register("web", instance);
        assertThat(registration.awaitRegistered(PATIENCE)).isTrue();
        return registration;
    }

    /** Rows of the table, whoever's; marks of what was erased begin with '#'. */
    private List<String> rows() throws SQLException {
        List<String> rows = new CopyOnWriteArrayList<>();
        try (Connection db = DriverManager.getConnection("jdbc:sqlite:" + file());
                ResultSet found = db.createStatement().executeQuery("SELECT path FROM mandate_election")) {
            while (found.next()) {
                rows.add(found.getString(1));
            }
        }
        return rows;
    }

    /** What the store says when it answers in time, which a busy machine may keep it from. */
    private static <T> T asked(Supplier<T> question) {
        return Await.value("an answer", PATIENCE, () -> {
            try {
                return Optional.of(question.get());
            } catch (StoreUnavailableException e) {
                return Optional.empty();
            }
        });
    }

    private static void awaitView(ServiceWatch watch, String what, Predicate<ServiceView> seen) {
        Await.until(what, PATIENCE, () -> seen.test(watch.view()));
    }

    @Test
    void anInstanceIsSeenChangesAndGoes() throws Exception {
        try (ElectionClient a = client("a");
                ElectionClient b = client("b");
                ServiceWatch watch = b.registry().watch("web")) {
            Registration registration = registered(a, HERE.withMetadata("zone", "a"));
            awaitView(watch, "the instance", view -> view.passing().size() == 1);
            RegisteredInstance seen = watch.next().orElseThrow();
            assertThat(seen.instance()).isEqualTo(HERE.withMetadata("zone", "a"));
            assertThat(seen.candidate()).isEqualTo("a");
            assertThat(asked(b.registry()::services)).containsExactly("web");

            registration.status(Status.OUT_OF_SERVICE);
            awaitView(
                    watch,
                    "its status",
                    view -> view.passing().isEmpty() && view.find("7").isPresent());
            registration.close();

            awaitView(watch, "its end", view -> view.instances().isEmpty() && !view.stale());
            Await.until("its being closed", PATIENCE, () -> registration.state().phase() == Phase.CLOSED);
            assertThat(asked(b.registry()::services)).isEmpty();
            assertThat(rows()).doesNotContain("registration/web/7");
        }
    }

    @Test
    void anIdIsHeldByTheFirstAndTakenOverByTheSecond() throws Exception {
        try (ElectionClient a = client("a");
                ElectionClient b = client("b")) {
            Registration first = registered(a, HERE);
            Registration second = b.registry().register("web", HERE.withAddress("second"));
            Await.until(
                    "whom the id is held by",
                    PATIENCE,
                    () -> second.state().heldBy().equals(Optional.of("a")));

            first.close();

            assertThat(second.awaitRegistered(PATIENCE)).isTrue();
            assertThat(asked(() -> a.registry().instances("web")).instances())
                    .extracting(RegisteredInstance::address)
                    .containsExactly("second");
        }
    }

    /** "After an outage the newest state registers again." */
    @Test
    void afterAnOutageTheNewestStateRegistersAgain() throws Exception {
        Gated store = gated();
        try (ElectionClient client =
                ElectionClient.builder(store).lease(LEASE).candidate("a").connect()) {
            Registration registration = registered(client, HERE);
            store.isShut.set(true);
            registration.update(HERE.withAddress("newer"));
            Await.until(
                    "the end of its lease",
                    PATIENCE,
                    () -> !registration.state().isRegistered());
            registration.update(HERE.withAddress("newest"));
            store.proposed.clear();
            store.isShut.set(false);

            assertThat(registration.awaitRegistered(PATIENCE)).isTrue();

            assertThat(store.proposed).isNotEmpty().allMatch(value -> value.contains("\"newest\""));
            assertThat(asked(() -> client.registry().instances("web"))
                            .find("7")
                            .orElseThrow()
                            .address())
                    .isEqualTo("newest");
        }
    }

    /** "A closed one never." */
    @Test
    void oneClosedInAnOutageNeverComesBack() throws Exception {
        Gated store = gated();
        try (ElectionClient client =
                ElectionClient.builder(store).lease(LEASE).candidate("a").connect()) {
            Registration registration = registered(client, HERE);
            Registration other = client.registry().register("db", HERE);
            assertThat(other.awaitRegistered(PATIENCE)).isTrue();
            store.isShut.set(true);
            registration.close();
            Await.until("the end of the lease", PATIENCE, () -> !other.state().isRegistered());
            store.proposed.clear();
            store.isShut.set(false);

            assertThat(other.awaitRegistered(PATIENCE)).isTrue();
            Await.until(
                    "its being removed",
                    PATIENCE,
                    () -> registration.state().phase() == Phase.CLOSED && !rows().contains("registration/web/7"));

            assertThat(store.proposed).isNotEmpty().noneMatch(proposal -> proposal.startsWith("registration/web/"));
            assertThat(asked(client.registry()::services)).containsExactly("db");
        }
    }

    @Test
    void outOfServiceEndsByHandAlone() throws Exception {
        try (ElectionClient client = client("a")) {
            Registration registration = registered(client, HERE.withStatus(Status.STARTING));
            AtomicBoolean isWell = new AtomicBoolean(true);
            CopyOnWriteArrayList<Boolean> answers = new CopyOnWriteArrayList<>();
            registration.healthCheck(
                    () -> {
                        answers.add(isWell.get());
                        return isWell.get();
                    },
                    Duration.ofMillis(20),
                    PATIENCE);
            Await.until("UP", PATIENCE, () -> registration.instance().status() == Status.UP);
            isWell.set(false);
            Await.until("DOWN", PATIENCE, () -> registration.instance().status() == Status.DOWN);

            registration.status(Status.OUT_OF_SERVICE);
            isWell.set(true);
            int before = answers.size();
            Await.until("ten more answers", PATIENCE, () -> answers.size() > before + 10);

            assertThat(registration.instance().status()).isEqualTo(Status.OUT_OF_SERVICE);
            registration.status(Status.STARTING);
            Await.until("UP again", PATIENCE, () -> registration.instance().status() == Status.UP);
        }
    }

    /** A store whose calls vanish while it is shut. */
    private static final class Gated implements ElectionStore {
        private final ElectionStore behind;
        final AtomicBoolean isShut = new AtomicBoolean();
        final List<String> proposed = new CopyOnWriteArrayList<>();

        Gated(ElectionStore behind) {
            this.behind = behind;
        }

        private <T> CompletionStage<T> pass(Supplier<CompletionStage<T>> call) {
            return isShut.get() ? new CompletableFuture<>() : call.get();
        }

        @Override
        public StoreTraits traits() {
            return behind.traits();
        }

        @Override
        public CompletionStage<Observation> read(RecordKey key, CallContext call) {
            return pass(() -> behind.read(key, call));
        }

        @Override
        public CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
            return pass(() -> behind.list(prefix, from, call));
        }

        @Override
        public CompletionStage<WriteOutcome> acquire(
                RecordKey key,
                Observation basis,
                LeaderRecord proposal,
                @Nullable StoreSession session,
                CallContext call) {
            proposed.add(key.path() + " " + proposal.value());
            StoreSession own = session == null ? null : ((GatedSession) session).behind;
            return pass(() -> behind.acquire(key, basis, proposal, own, call));
        }

        @Override
        public CompletionStage<WriteOutcome> update(
                RecordKey key, Observation.Held basis, LeaderRecord record, Intent intent, CallContext call) {
            return pass(() -> behind.update(key, basis, record, intent, call));
        }

        @Override
        public CompletionStage<WriteOutcome> release(RecordKey key, Observation.Held basis, CallContext call) {
            return pass(() -> behind.release(key, basis, call));
        }

        @Override
        public CompletionStage<WriteOutcome> erase(Observation.Vacant basis, CallContext call) {
            return pass(() -> behind.erase(basis, call));
        }

        @Override
        public CompletionStage<StoreSession> openSession(Duration lease, CallContext call) {
            return pass(() -> behind.openSession(lease, call).thenApply(opened -> new GatedSession(this, opened)));
        }

        @Override
        public Subscription watch(RecordKey prefix, Consumer<Hint> hints) {
            return behind.watch(prefix, hints);
        }

        @Override
        public void close() {
            behind.close();
        }
    }

    private record GatedSession(Gated gate, StoreSession behind) implements StoreSession {
        @Override
        public String id() {
            return behind.id();
        }

        @Override
        public Duration granted() {
            return behind.granted();
        }

        @Override
        public CompletionStage<SessionRenewal> renew(CallContext call) {
            return gate.pass(() -> behind.renew(call));
        }

        @Override
        public CompletionStage<Void> end(CallContext call) {
            return gate.pass(() -> behind.end(call));
        }
    }
}
