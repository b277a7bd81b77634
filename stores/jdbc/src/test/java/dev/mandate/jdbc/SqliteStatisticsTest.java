package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.CallOutcome;
import dev.mandate.CallStatistics;
import dev.mandate.ClientStatistics;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.Leadership;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Verb;
import dev.mandate.testkit.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client counts on a real file. */
class SqliteStatisticsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private Connection operator() throws Exception {
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("mandate.db"));
    }

    private static void await(ElectionClient client, String what, Predicate<ClientStatistics> condition) {
        Await.until(what, PATIENCE, () -> condition.test(client.statistics()));
    }

    private static CallStatistics calls(ElectionClient client, Verb verb) {
        return client.statistics().calls().get(verb);
    }

    @Test
    void callsTermsAndALostSessionAreCounted() throws Exception {
        try (ElectionClient client = ElectionClient.connect("sqlite:" + directory.resolve("mandate.db") + "?lease=3s");
                Connection operator = operator()) {
            try (Leadership won = client.election("invoices").campaign("here")) {
                await(client, "a renewal", now -> now.calls().get(Verb.SESSION).count(CallOutcome.ANSWERED) >= 2);
                assertThat(client.statistics().elections()).singleElement().satisfies(election -> {
                    assertThat(election.isLeader()).isTrue();
                    assertThat(election.fencingToken()).contains(won.fencingToken());
                });
            }
            await(client, "the release", now -> now.calls().get(Verb.RELEASE).count(CallOutcome.WRITTEN) == 1);
            assertThat(calls(client, Verb.ACQUIRE).count(CallOutcome.WRITTEN)).isEqualTo(1);
            assertThat(calls(client, Verb.ACQUIRE).time(CallOutcome.WRITTEN)).isPositive();
            assertThat(calls(client, Verb.READ).count(CallOutcome.ANSWERED)).isPositive();
            assertThat(client.statistics().sessionsLost()).isZero();

            try (Leadership won = client.election("orders").campaign("here")) {
                SqlOperator.delete(operator, RecordKey.election("orders"));
                assertThat(won.ended().toCompletableFuture().get(60, TimeUnit.SECONDS))
                        .isEqualTo(EndReason.VANISHED);
            }
            Jdbc.run(operator, "DELETE FROM mandate_session");
            await(client, "a lost session", now -> now.sessionsLost() == 1);

            assertThat(client.statistics().termsBegun()).isEqualTo(2);
            assertThat(client.statistics().termsEnded())
                    .containsEntry(EndReason.RESIGNED, 1L)
                    .containsEntry(EndReason.VANISHED, 1L);
            assertThat(calls(client, Verb.SESSION).count(CallOutcome.REFUSED)).isPositive();
        }
    }
}
