package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.StoreUnavailableException;
import dev.mandate.internal.memory.MemoryStoreProvider;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One kind of what is served cannot be read, the others can. */
class OneListAwayTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private volatile String refused = "none";

    /** A store in memory that does not list what stands in the space {@link #refused}. */
    private ElectionStore store() {
        ElectionStore memory = new MemoryStoreProvider().open(StoreUrl.parse("memory:?answers=thread"));
        return (ElectionStore) Proxy.newProxyInstance(
                ElectionStore.class.getClassLoader(), new Class<?>[] {ElectionStore.class}, (proxy, method, asked) -> {
                    if (method.getName().equals("list")
                            && ((RecordKey) asked[0]).space().equals(refused)) {
                        return CompletableFuture.failedFuture(new StoreUnavailableException("not this one"));
                    }
                    try {
                        return method.invoke(memory, asked);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static HttpResponse<String> get(MandateHttp http, String path) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(http.uri().resolve(path))
                        .timeout(Served.PLENTY)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static void await(MandateHttp http, String path, int status) {
        Await.until(
                status + " for " + path, Served.PLENTY, () -> get(http, path).statusCode() == status);
    }

    @ParameterizedTest
    @ValueSource(strings = {RecordKey.ELECTIONS, RecordKey.QUEUES, RecordKey.REGISTRATIONS})
    void pagesAndMonitorsAreTold(String space) throws Exception {
        try (ElectionStore store = store();
                ElectionClient client = ElectionClient.builder(store)
                        .lease(Duration.ofSeconds(1))
                        .connect();
                MandateHttp http = MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0))) {
            await(http, "/healthz", 200);
            try (Socket socket = new Socket("127.0.0.1", http.uri().getPort());
                    EventReader events = new EventReader(socket, "")) {
                events.await("health", data -> data.get("stale").equals(false));

                refused = space;

                var stale = events.await("health", data -> data.get("stale").equals(true));
                assertThat((long) stale.data().get("ageMillis")).isGreaterThanOrEqualTo(1_000);
                HttpResponse<String> health = get(http, "/healthz");
                assertThat(health.statusCode()).isEqualTo(503);
                assertThat((long) JsonTree.object(health.body()).get("ageMillis"))
                        .isGreaterThanOrEqualTo(1_000);
                await(http, "/v1/elections", space.equals(RecordKey.ELECTIONS) ? 503 : 200);
                await(http, "/v1/services", space.equals(RecordKey.REGISTRATIONS) ? 503 : 200);

                refused = "none";

                events.await("health", data -> data.get("stale").equals(false));
                await(http, "/healthz", 200);
            }
        }
    }
}
