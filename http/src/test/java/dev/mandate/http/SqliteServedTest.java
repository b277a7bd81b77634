package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.Await;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real store, and what is answered while it is gone. */
class SqliteServedTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private static HttpResponse<String> get(MandateHttp http, String path) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(http.uri().resolve(path))
                        .timeout(PATIENCE)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String await(MandateHttp http, String path, int status, String text) {
        return Await.value(status + " with " + text, PATIENCE, () -> {
            HttpResponse<String> answer = get(http, path);
            boolean isWanted = answer.statusCode() == status && answer.body().contains(text);
            return isWanted ? Optional.of(answer.body()) : Optional.empty();
        });
    }

    /** The store has not answered for a lease at least, and the answer says so. */
    private static void assertOld(String body) {
        assertThat((long) JsonTree.object(body).get("ageMillis")).isGreaterThanOrEqualTo(2_000);
    }

    private static void execute(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aStoreThatIsGoneIsUnknownUntilItIsBack() throws Exception {
        Path file = folder.resolve("store.db");
        String url = "sqlite:" + file + "?lease=2s";
        try (ElectionClient candidate = ElectionClient.connect(url);
                Leadership leadership = candidate.election("invoices").campaign("http://10.0.0.7/");
                ElectionClient client =
                        ElectionClient.builder(url).create(false).connect();
                MandateHttp http = MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0));
                Connection operator = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            assertThat(leadership.fencingToken().value()).isPositive();
            // Observers judge here: that the leader lives is known once it was seen to renew.
            await(http, "/v1/elections/invoices", 200, "\"verified\":true");
            execute(operator, "PRAGMA busy_timeout = 30000");

            execute(operator, "ALTER TABLE mandate_election RENAME TO gone");

            assertOld(await(http, "/v1/elections/invoices", 503, "\"state\":\"unknown\""));
            assertOld(await(http, "/v1/elections", 503, "\"stale\":true"));
            assertOld(await(http, "/healthz", 503, "\"stale\":true"));

            execute(operator, "ALTER TABLE gone RENAME TO mandate_election");

            await(http, "/healthz", 200, "\"stale\":false");
            await(http, "/v1/elections", 200, "\"stale\":false");
        }
    }
}
