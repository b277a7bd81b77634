package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.testkit.Await;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AnswersTest {
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
    void anElectionIsAnsweredInTheWordsOfStatus() throws Exception {
        Leadership leadership = served.lead("invoices", "10.0.0.7:8080");

        HttpResponse<String> answer = served.await("/v1/elections/invoices", 200);

        assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
        Map<String, Object> election = JsonTree.object(answer.body());
        assertThat(election)
                .containsEntry("election", "invoices")
                .containsEntry("state", "led")
                .containsEntry("candidate", served.candidate.candidate())
                .containsEntry("token", leadership.fencingToken().value())
                .containsEntry("value", "10.0.0.7:8080")
                .containsEntry("leaseMillis", 60_000L)
                .containsEntry("verified", true)
                .containsEntry("askedToLeave", false)
                .containsEntry("order", "race")
                .containsEntry("foreign", false)
                .containsKeys("since", "ageMillis");
        assertThat((long) election.get("ageMillis")).isBetween(0L, 60_000L);
    }

    @Test
    void whatNobodyLeadsIsVacantAndNotUnknown() throws Exception {
        served.await("/healthz", 200);

        HttpResponse<String> answer = served.get("/v1/elections/nobody");

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(JsonTree.object(answer.body()))
                .containsEntry("election", "nobody")
                .containsEntry("state", "vacant")
                .containsKey("ageMillis");
    }

    @Test
    void allElectionsAreListedByName() throws Exception {
        served.lead("b", "2");
        served.lead("a", "1");
        Await.until(
                "both", Served.PLENTY, () -> served.get("/v1/elections").body().matches("(?s).*\"a\".*\"b\".*"));

        Map<String, Object> list =
                JsonTree.object(served.await("/v1/elections", 200).body());

        assertThat(list).containsEntry("stale", false).containsKey("ageMillis");
        assertThat(JsonTree.maps(list.get("elections")))
                .extracting(each -> each.get("election"))
                .containsExactly("a", "b");
    }

    @Test
    void aLongListComesWhole() throws Exception {
        String value = "x".repeat(60_000);
        for (int i = 0; i < 20; i++) {
            served.lead("long-" + i, value);
        }
        Await.until("all", Served.PLENTY, () -> elections().size() == 20);

        assertThat(elections()).allSatisfy(each -> assertThat(each).containsEntry("value", value));
        assertThat(served.head("/v1/elections").statusCode()).isEqualTo(200);
    }

    private List<Map<String, Object>> elections() throws Exception {
        return JsonTree.maps(JsonTree.object(served.get("/v1/elections").body()).get("elections"));
    }

    @Test
    void namesMayHoldAnything() throws Exception {
        for (String name :
                List.of("a/b", "ä ö/ü", "100%", "q?x#y", "a;b=c", "日本語", "..", "a\\b", "+", "{name}", "//")) {
            served.lead(name, "v");
            String path = "/v1/elections/" + escaped(name);
            Await.until(name, Served.PLENTY, () -> Served.status(served.ask("GET", path)) == 200);

            String answer = served.ask("GET", path);

            assertThat(JsonTree.object(answer.substring(answer.indexOf("\r\n\r\n") + 4)))
                    .containsEntry("election", name);
        }
    }

    private static String escaped(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace(".", "%2E");
    }

    @Test
    void aNameThatNoElectionCanHaveIsRefusedInASentence() throws Exception {
        HttpResponse<String> answer = served.get("/v1/elections/" + "x".repeat(513));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(String.valueOf(JsonTree.object(answer.body()).get("error"))).contains("512 bytes");
        assertThat(Served.status(served.ask("GET", "/v1/elections/a%00b"))).isEqualTo(400);
    }

    @Test
    void theLeaderOfAUrlIsRedirectedTo() throws Exception {
        served.lead("web", "https://10.0.0.7:8443/invoices?x=1");

        HttpResponse<String> answer = served.await("/v1/elections/web/leader", 307);

        assertThat(answer.headers().firstValue("location")).hasValue("https://10.0.0.7:8443/invoices?x=1");
        assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
        // It has no body that could say how old it is.
        assertThat(answer.headers().firstValueAsLong("mandate-age-millis")).isPresent();
        assertThat(answer.headers().firstValueAsLong("mandate-age-millis").getAsLong())
                .isBetween(0L, 60_000L);
    }

    @Test
    void theLeaderOfSomethingElseIsNotRedirectedTo() throws Exception {
        served.lead("plain", "10.0.0.7:8080");

        HttpResponse<String> answer = served.await("/v1/elections/plain/leader", 422);

        assertThat(answer.headers().firstValue("location")).isEmpty();
        assertThat(JsonTree.object(answer.body()))
                .containsEntry("value", "10.0.0.7:8080")
                .containsKey("error");
        assertThat(served.get("/v1/elections/nobody/leader").statusCode()).isEqualTo(404);
    }

    @Test
    void servicesAndTheirInstancesAreAnswered() throws Exception {
        ServiceInstance one = ServiceInstance.at("10.0.0.7:8080").withId("one").withMetadata("zone", "a");
        Registration up = served.candidate.registry().register("in/voices", one);
        Registration down = served.candidate
                .registry()
                .register("in/voices", one.withId("two").withStatus(Status.DOWN));
        assertThat(up.awaitRegistered(Served.PLENTY)).isTrue();
        assertThat(down.awaitRegistered(Served.PLENTY)).isTrue();
        Await.until(
                "both",
                Served.PLENTY,
                () -> served.get("/v1/services/in%2Fvoices").body().contains("\"two\""));

        Map<String, Object> list =
                JsonTree.object(served.await("/v1/services", 200).body());
        Map<String, Object> service =
                JsonTree.object(served.await("/v1/services/in%2Fvoices", 200).body());

        assertThat(list).containsEntry("stale", false).containsKey("ageMillis");
        assertThat(JsonTree.maps(list.get("services")))
                .containsExactly(Map.of("name", "in/voices", "instances", 2L, "passing", 1L));
        assertThat(service).containsEntry("name", "in/voices").containsEntry("stale", false);
        List<Map<String, Object>> instances = JsonTree.maps(service.get("instances"));
        assertThat(instances).extracting(each -> each.get("id")).containsExactly("one", "two");
        assertThat(instances.get(0))
                .containsEntry("address", "10.0.0.7:8080")
                .containsEntry("status", "UP")
                .containsEntry("passing", true)
                .containsEntry("verified", true)
                .containsEntry("metadata", Map.of("zone", "a"))
                .containsKeys("candidate", "since");
        assertThat(JsonTree.object(served.get("/v1/services/nobody").body())).containsEntry("instances", List.of());
    }

    @Test
    void headSaysWhatGetWouldWithoutItsBody() throws Exception {
        served.lead("invoices", "http://10.0.0.7/");
        served.await("/v1/elections/invoices", 200);
        for (String path : List.of(
                "/",
                "/page.css",
                "/page.js",
                "/page.svg",
                "/healthz",
                "/v1/elections",
                "/v1/elections/invoices",
                "/v1/elections/invoices/leader",
                "/v1/elections/nobody",
                "/v1/services",
                "/v1/services/nobody",
                "/v1/openapi.json",
                "/nothing")) {
            HttpResponse<String> get = served.get(path);
            HttpResponse<String> head = served.head(path);

            assertThat(head.statusCode()).as(path).isEqualTo(get.statusCode());
            assertThat(head.headers().firstValue("content-type"))
                    .as(path)
                    .isEqualTo(get.headers().firstValue("content-type"));
            assertThat(head.body()).as(path).isEmpty();
        }
        assertThat(served.head("/v1/events").headers().firstValue("content-type"))
                .hasValue("text/event-stream");
    }

    @Test
    void nothingIsAskedOfTheStoreForAnAnswer() throws Exception {
        served.lead("invoices", "http://10.0.0.7/");
        served.await("/v1/elections/invoices", 200);
        long asked = 0;
        long before = served.faults.requests();
        long began = System.nanoTime();
        do {
            served.get("/v1/elections");
            served.get("/v1/elections/invoices");
            served.get("/v1/elections/nobody");
            served.get("/v1/services");
            served.get("/v1/services/nobody");
            served.get("/healthz");
            asked += 6;
        } while (asked < 1_200);
        long sent = served.faults.requests() - before;

        // What following and leading cost all the same: some requests in a lease.
        long leases = (System.nanoTime() - began) / 1_000_000_000 + 1;
        assertThat(sent).isLessThan(leases * 60).isLessThan(asked);
    }

    @Test
    void nothingIsWrittenToTheStore() throws Exception {
        served.await("/healthz", 200);
        served.get("/v1/elections/never");
        served.get("/v1/services/never");

        assertThat(served.candidate.leaders("", 10)).isEmpty();
        assertThat(served.candidate.registry().services()).isEmpty();
    }
}
