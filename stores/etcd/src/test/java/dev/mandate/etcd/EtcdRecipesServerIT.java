package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A fleet moves over from a recipe, one instance at a time: on one key, candidates of both kinds exclude each other.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = EtcdServer.PEACE, mode = ResourceAccessMode.READ)
class EtcdRecipesServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long RECIPE_LEASE = 4;

    @RegisterExtension
    static final ServerExtension ETCD = EtcdServer.shared(EtcdServer.V35);

    private static int port() {
        return ETCD.server().port("client");
    }

    private static ElectionClient connect(String parameters) {
        return ElectionClient.connect(EtcdServer.url(port()) + "?lease=6s" + parameters);
    }

    private static Leader leader(ElectionClient client, String election) {
        // A busy server may not answer in time.
        LeaderView known = Await.value(
                "an answer",
                Duration.ofMinutes(1),
                () -> Optional.of(client.election(election).view())
                        .filter(view -> !(view instanceof LeaderView.Unknown)));
        return ((LeaderView.Led) known).current();
    }

    @Test
    void aCandidateOfTheTransactionRecipeAndOneOfOursExcludeEachOther() throws Exception {
        String service = StoreClient.key("service").name();
        try (TransactionRecipe old = new TransactionRecipe(port(), service, "instance-1", RECIPE_LEASE);
                TransactionRecipe older = new TransactionRecipe(port(), service, "instance-2", RECIPE_LEASE);
                ElectionClient client = connect("")) {
            assertThat(old.isLeader()).isTrue();
            assertThat(older.isLeader()).isFalse();
            assertThat(leader(client, service).candidate()).isEqualTo("instance-1");
            assertThat(client.election(service).campaign("new", Duration.ofSeconds(3)))
                    .isEmpty();

            older.die();
            CompletableFuture<Leadership> campaign =
                    client.election(service).campaignAsync("new").toCompletableFuture();
            old.die();

            try (Leadership term = campaign.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                try (TransactionRecipe third = new TransactionRecipe(port(), service, "instance-3", RECIPE_LEASE)) {
                    assertThat(third.isLeader()).isFalse();
                    term.close();
                    assertThat(third.isLeader()).isTrue();
                }
            }
        }
    }

    /** Readers of the body go on to find in it what they always found. */
    @Test
    void aCandidateOfTheWatchRecipeAndOneOfOursFollowEachOther() throws Exception {
        String key = "MyApp/" + StoreClient.key("leader").name();
        try (ElectionClient client = connect("&format=raw&key=" + key)) {
            Leadership first = client.election("app").campaign("new-1");
            try (WatchRecipe old = new WatchRecipe(port(), key, "id-1", RECIPE_LEASE)) {
                assertThat(old.isLeader()).isFalse();
                assertThat(old.leaderId()).isEqualTo("new-1");
                first.proclaim("new-1b");
                Await.until("the new value", PATIENCE, () -> old.leaderId().equals("new-1b"));

                first.close();

                Await.until("the recipe's candidate to lead", PATIENCE, old::isLeader);
                assertThat(leader(client, "app").candidate()).isEqualTo("id-1");
                assertThat(client.election("app").campaign("new-2", Duration.ofSeconds(3)))
                        .isEmpty();
            }
            try (Leadership second = client.election("app").campaign("new-3")) {
                assertThat(second.fencingToken().value())
                        .isGreaterThan(first.fencingToken().value());
            }
        }
    }

    /**
     * Nobody knows how long the recipe's candidate believes: as long as its lease was, at least, we do not say that we
     * lead.
     */
    @Test
    void afterAForeignLeaderAWinIsSettledFirst() throws Exception {
        String service = StoreClient.key("settle").name();
        try (ElectionClient client = connect("");
                Operator operator = new Operator(port());
                TransactionRecipe old = new TransactionRecipe(port(), service, "instance-1", RECIPE_LEASE)) {
            assertThat(old.isLeader()).isTrue();
            assertThat(leader(client, service).candidate()).isEqualTo("instance-1");
            CompletableFuture<Leadership> campaign =
                    client.election(service).campaignAsync("new").toCompletableFuture();
            assertThat(client.election(service).status().isLeader()).isFalse();
            // Until the candidate has looked, it knows nothing of a foreign leader.
            Await.passing(Duration.ofSeconds(1));

            long freed = System.nanoTime();
            operator.delete("/leaders/" + service);
            try (Leadership term = campaign.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                assertThat(System.nanoTime() - freed).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(RECIPE_LEASE));
                assertThat(term.isValid()).isTrue();
            }
        }
    }
}
