package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerExtension;
import io.nats.client.JetStreamApiException;
import io.nats.client.KeyValue;
import io.nats.client.api.KeyValueConfiguration;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidates of the recipe in Go and of Mandate on one key: {@code create} wins, {@code update} with the last revision keeps. */
@Execution(ExecutionMode.CONCURRENT)
class NatsRecipeServerIT {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @RegisterExtension
    static final ServerExtension NATS = NatsServer.shared(NatsServer.V215);

    private final String bucket = NatsServer.bucket();

    private static int port() {
        return NATS.server().port("client");
    }

    private String url() {
        return NatsServer.url(port(), bucket, "?lease=" + TTL.toSeconds() + "s");
    }

    private static byte[] name(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static boolean hasWon(KeyValue kv, String key) throws Exception {
        try {
            return kv.create(key, name("member 1")) > 0;
        } catch (JetStreamApiException e) {
            return false;
        }
    }

    @Test
    void theyExcludeEachOther() throws Exception {
        try (Operator operator = new Operator(port(), bucket)) {
            operator.connection
                    .keyValueManagement()
                    .create(KeyValueConfiguration.builder(bucket).ttl(TTL).build());
            KeyValue recipe = operator.kv();
            long revision = recipe.create("demo", name("member 1"));
            try (ElectionClient client = ElectionClient.connect(url())) {
                var election = client.election("demo");
                CompletableFuture<Leadership> campaign =
                        election.campaignAsync("us").toCompletableFuture();
                Await.until(
                        "the other's name",
                        PATIENCE,
                        () -> election.leader()
                                .leader()
                                .filter(leader -> leader.candidate().equals("member 1"))
                                .isPresent());
                // Longer than the time to live: kept by updates, it is not taken over.
                for (int i = 0; i < 8; i++) {
                    Await.passing(Duration.ofSeconds(1));
                    revision = recipe.update("demo", name("member 1"), revision);
                    assertThat(campaign).isNotDone();
                }
                // It dies.
                Leadership won = campaign.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(won.fencingToken().value()).isGreaterThan(revision);
                assertThat(hasWon(recipe, "demo")).isFalse();
                won.resign();
                Await.until("the recipe to win", PATIENCE, () -> {
                    try {
                        return hasWon(recipe, "demo");
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
            }
        }
    }
}
