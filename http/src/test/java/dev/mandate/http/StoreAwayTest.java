package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.testkit.Await;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreAwayTest {
    private Served served;

    @BeforeEach
    void serve() throws Exception {
        served = new Served();
    }

    @AfterEach
    void close() {
        served.close();
    }

    @Test
    void aSilentStoreIsAnsweredWithTheAgeOfWhatIsKnown() throws Exception {
        served.lead("invoices", "http://10.0.0.7/");
        served.await("/v1/elections/invoices", 200);
        served.await("/v1/services", 200);

        served.faults.only("server").cutOff();

        Map<String, Object> health =
                JsonTree.object(served.await("/healthz", 503).body());
        assertThat(health).containsEntry("stale", true);
        assertThat((long) health.get("ageMillis")).isGreaterThanOrEqualTo(1_000);
        Map<String, Object> list =
                JsonTree.object(served.await("/v1/elections", 503).body());
        assertThat(list).containsEntry("stale", true);
        assertThat((long) list.get("ageMillis")).isGreaterThanOrEqualTo(1_000);
        // The last known list: never an empty one for want of an answer.
        assertThat(JsonTree.maps(list.get("elections"))).hasSize(1);
        HttpResponse<String> one = served.await("/v1/elections/invoices", 503);
        assertThat(JsonTree.object(one.body()))
                .containsEntry("state", "unknown")
                .containsEntry("election", "invoices")
                .doesNotContainKey("candidate");
        assertThat((long) JsonTree.object(one.body()).get("ageMillis")).isGreaterThanOrEqualTo(1_000);
        assertThat(served.get("/v1/elections/nobody").statusCode()).isEqualTo(503);
        assertThat(served.get("/v1/elections/invoices/leader").statusCode()).isEqualTo(503);
        served.await("/v1/services", 503);
        served.await("/v1/services/nobody", 503);

        served.faults.heal();

        served.await("/healthz", 200);
        served.await("/v1/elections/invoices", 200);
        served.await("/v1/elections/invoices/leader", 307);
        served.await("/v1/services", 200);
    }

    @Test
    void noAnswerIsEverStaleAndGood() throws Exception {
        served.lead("invoices", "v");
        try (Registration one = served.candidate.registry().register("shop", ServiceInstance.at("10.0.0.7:80"))) {
            assertThat(one.awaitRegistered(Served.PLENTY)).isTrue();
            served.await("/v1/elections/invoices", 200);
            Await.until(
                    "the instance",
                    Served.PLENTY,
                    () -> served.get("/v1/services/shop").body().contains("10.0.0.7"));
            served.faults.only("server").cutOff();
            long deadline = System.nanoTime() + 3_000_000_000L;
            while (System.nanoTime() < deadline) {
                for (String path : List.of("/v1/elections", "/v1/services/shop", "/v1/elections/invoices")) {
                    HttpResponse<String> answer = served.get(path);
                    Map<String, Object> body = JsonTree.object(answer.body());
                    boolean isGood = path.endsWith("/invoices")
                            ? "led".equals(body.get("state"))
                            : body.get("stale").equals(false);

                    assertThat(answer.statusCode()).as(path).isEqualTo(isGood ? 200 : 503);
                    if (isGood) {
                        assertThat((long) body.get("ageMillis")).as(path).isLessThanOrEqualTo(30_000);
                    } else {
                        assertThat((long) body.get("ageMillis")).as(path).isGreaterThanOrEqualTo(1_000);
                    }
                }
            }
            for (String path : List.of("/v1/elections", "/v1/services/shop", "/v1/elections/invoices")) {
                assertThat(served.get(path).statusCode()).as(path).isEqualTo(503);
            }
        }
    }

    @Test
    void aStoreThatNeverAnsweredIsUnknownToo() throws Exception {
        try (Served mute = new Served("&connectTimeout=0s", HttpOptions.DEFAULTS)) {
            mute.faults.cutOff();
            mute.await("/healthz", 503);
            mute.await("/v1/elections/invoices", 503);
        }
    }
}
