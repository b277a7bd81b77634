package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import io.nats.client.api.KeyValueConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Candidates of the recipe in Go and of Mandate on one key, two of each, and somebody who looks all the time whether
 * two lead together.
 */
@Execution(ExecutionMode.CONCURRENT)
class NatsRecipeServerIT {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String KEY = "demo";

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    private final String bucket = NatsServer.bucket();
    private final List<RecipeCandidate> recipe = new CopyOnWriteArrayList<>();
    private final List<ElectionClient> clients = new ArrayList<>();
    private final Set<Leadership> terms = ConcurrentHashMap.newKeySet();
    private Operator operator;

    private static int port() {
        return NATS.server().port("client");
    }

    @BeforeEach
    void start() throws Exception {
        operator = new Operator(port(), bucket);
        operator.connection
                .keyValueManagement()
                .create(KeyValueConfiguration.builder(bucket).ttl(TTL).build());
        for (int i = 0; i < 2; i++) {
            clients.add(ElectionClient.connect(NatsServer.url(port(), bucket, "?lease=" + TTL.toSeconds() + "s")));
        }
    }

    @AfterEach
    void stop() throws Exception {
        clients.forEach(ElectionClient::close);
        for (RecipeCandidate each : recipe) {
            each.close();
        }
        operator.close();
    }

    private void standByRecipe(String name) throws Exception {
        recipe.add(new RecipeCandidate(port(), bucket, KEY, name));
    }

    private List<Candidacy> stand() {
        return clients.stream()
                .map(client -> client.election(KEY).runWhileLeader("us", term -> {
                    terms.add(term);
                    Await.until("the end of the term", Duration.ofHours(1), () -> !term.isValid());
                }))
                .toList();
    }

    private RecipeCandidate awaitRecipe() {
        return Await.value(
                "a leader of the recipe",
                PATIENCE,
                () -> recipe.stream().filter(RecipeCandidate::leads).findFirst());
    }

    private Optional<Leadership> term() {
        return terms.stream().filter(Leadership::isValid).findFirst();
    }

    private Leadership awaitTerm() {
        return Await.value("a leader of ours", PATIENCE, this::term);
    }

    @Test
    void theyTakeTurnsAndNeverLeadTogether() throws Exception {
        AtomicReference<String> together = new AtomicReference<>("");
        Thread looker = new Thread(() -> look(together), "looker");
        looker.start();
        try {
            standByRecipe("member 1");
            standByRecipe("member 2");
            awaitRecipe();
            List<Candidacy> ours = stand();
            Await.until(
                    "the other's name",
                    PATIENCE,
                    () -> clients.get(0).election(KEY).view().leader().stream()
                            .anyMatch(leader ->
                                    leader.foreign() && leader.candidate().startsWith("member ")));
            // Longer than the time to live: kept by updates, it is not taken over.
            Await.passing(TTL.multipliedBy(3).dividedBy(2));
            assertThat(terms).isEmpty();

            // Its key is deleted by hand: it believes until its next update, so that who follows settles for long
            // enough.
            RecipeCandidate deposed = awaitRecipe();
            operator.delete(KEY);
            Leadership first = awaitTerm();
            assertThat(deposed.leads()).isFalse();
            Await.passing(TTL);
            assertThat(first.isValid()).isTrue();

            // Ours leave, and one of the recipe follows.
            ours.forEach(Candidacy::close);
            RecipeCandidate killed = awaitRecipe();
            stand();
            killed.die();

            // Its key expires; the other one of the recipe may be the first to see that, and is killed then, too.
            Leadership second = Await.value("a leader of ours", PATIENCE, () -> {
                recipe.stream().filter(RecipeCandidate::leads).forEach(NatsRecipeServerIT::kill);
                return term();
            });
            assertThat(second.fencingToken().value())
                    .isGreaterThan(first.fencingToken().value());
        } finally {
            looker.interrupt();
            looker.join();
        }
        assertThat(together.get()).isEmpty();
    }

    private static void kill(RecipeCandidate candidate) {
        try {
            candidate.die();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A belief that has ended never comes back, so that one which was there before and after another one was there,
     * too, overlapped it.
     */
    private void look(AtomicReference<String> together) {
        while (!Thread.currentThread().isInterrupted()) {
            List<BooleanSupplier> beliefs = new ArrayList<>();
            terms.forEach(term -> beliefs.add(term::isValid));
            recipe.forEach(each -> each.wins().forEach(win -> beliefs.add(win::isBelieved)));
            for (BooleanSupplier one : beliefs) {
                for (BooleanSupplier other : beliefs) {
                    if (one != other && one.getAsBoolean() && other.getAsBoolean() && one.getAsBoolean()) {
                        together.compareAndSet("", "two led together: terms " + terms + " and the recipe's");
                    }
                }
            }
            LockSupport.parkNanos(500_000);
        }
    }
}
