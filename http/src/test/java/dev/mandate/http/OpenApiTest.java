package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the document says is served, and nothing else is: every path, method, status and type, and every field. */
class OpenApiTest {
    private static final String SECRET = "correct-horse-battery";
    /** Who serves leads, too, and goes on for as long as the test takes. */
    private static final Duration LEASE = Duration.ofSeconds(15);

    private static final List<String> METHODS =
            List.of("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE");

    private final Map<String, Object> document = document();
    private final Set<String> met = new TreeSet<>();

    private static Map<String, Object> document() {
        try (var in = MandateHttp.class.getResourceAsStream("openapi.json")) {
            return JsonTree.object(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsDocumentedIsServedAndNothingElse() throws Exception {
        try (Served served = new Served("", HttpOptions.DEFAULTS.withProbe("web", "idle"), LEASE)) {
            Leadership web = served.client
                    .election("web")
                    .campaign("http://10.0.0.7/", Served.PLENTY)
                    .orElseThrow();
            served.lead("plain", "10.0.0.7:80");
            Registration one = served.candidate
                    .registry()
                    .register("shop", ServiceInstance.at("10.0.0.7:80").withMetadata("a", "b"));
            assertThat(one.awaitRegistered(Served.PLENTY)).isTrue();
            served.await("/v1/elections/web/leader", 307);
            served.await("/v1/elections/plain", 200);
            Await.until(
                    "the instance",
                    Served.PLENTY,
                    () -> served.get("/v1/services/shop").body().contains("10.0.0.7"));

            whileTheStoreAnswers(served);
            whileAllStreamsAreOpen(served);
            served.faults.only("server").cutOff();
            served.await("/v1/elections", 503);
            served.await("/v1/services", 503);
            whileTheStoreIsAway(served);
            served.faults.heal();
            web.close();
        }
        try (Served secret = new Served("", HttpOptions.DEFAULTS.withToken(SECRET))) {
            visitAll(secret);
        }

        assertThat(met).isEqualTo(documented());
    }

    private void whileTheStoreAnswers(Served served) throws Exception {
        for (String path : List.of(
                "/",
                "/page.css",
                "/page.js",
                "/page.svg",
                "/healthz",
                "/v1/elections",
                "/v1/services",
                "/v1/openapi.json")) {
            visit(served, path, path);
        }
        for (String name : List.of("web", "plain", "nobody", "%zz")) {
            visit(served, "/v1/elections/{name}", "/v1/elections/" + name);
            visit(served, "/v1/elections/{name}/leader", "/v1/elections/" + name + "/leader");
        }
        for (String name : List.of("shop", "nobody", "%zz")) {
            visit(served, "/v1/services/{name}", "/v1/services/" + name);
        }
        for (String query : List.of("?election=web", "?election=idle", "?election=x", "")) {
            visit(served, "/am-i-leader", "/am-i-leader" + query);
        }
        visitStream(served);
        visitAll(served, "Content-Length: 3");
        visitAll(served, "Host: example.org");
        visitAll(served, "X: " + "x".repeat(9_000));
        for (String template : paths().keySet()) {
            for (String method : METHODS) {
                if (!isDocumented(template, method)) {
                    String answer = served.ask(method, concrete(template));
                    assertThat(Served.status(answer))
                            .as(method + " " + template)
                            .isEqualTo(405);
                }
            }
        }
        for (Route each : Route.values()) {
            assertThat(paths()).containsKey(each.template());
        }
        assertThat(paths()).hasSize(Route.values().length);
    }

    private void whileTheStoreIsAway(Served served) throws Exception {
        for (String path : List.of("/healthz", "/v1/elections", "/v1/services")) {
            visit(served, path, path);
        }
        for (String template : List.of("/v1/elections/{name}", "/v1/elections/{name}/leader", "/v1/services/{name}")) {
            visit(served, template, template.replace("{name}", "plain"));
        }
    }

    private void whileAllStreamsAreOpen(Served served) throws Exception {
        // The end of one shows when something is written to it.
        Await.until("all places", Served.PLENTY, () -> served.http.streams() == 0);
        List<EventReader> streams = new ArrayList<>();
        for (int i = 0; i < Streams.MOST; i++) {
            streams.add(new EventReader(served));
        }
        for (EventReader each : streams) {
            each.await("snapshot", any -> true);
        }
        visit(served, "/v1/events", "/v1/events");
        for (EventReader each : streams) {
            each.close();
        }
    }

    private void visitStream(Served served) throws Exception {
        record(served.ask("HEAD", "/v1/events"), "/v1/events", "HEAD");
        met.add("GET /v1/events 200 text/event-stream");
        Map<String, Object> events = JsonTree.map(
                JsonTree.map(JsonTree.map(paths().get("/v1/events")).get("get")).get("x-events"));
        try (EventReader stream = new EventReader(served)) {
            Set<String> names = new TreeSet<>();
            Leadership leadership = served.lead("streamed", "v");
            Registration registration = served.candidate.registry().register("streamed", ServiceInstance.at("x:1"));
            while (!names.containsAll(Set.of("snapshot", "elections", "services", "takeOver", "health"))) {
                EventReader.Event event = stream.next(Served.PLENTY).orElseThrow();
                names.add(event.name());
                assertThat(events).containsKey(event.name());
                check(event.data(), JsonTree.map(events.get(event.name())), event.name());
            }
            leadership.close();
            registration.close();
        }
    }

    // ---- visits ----

    private void visitAll(Served served, String... headers) throws Exception {
        for (String template : paths().keySet()) {
            visit(served, template, concrete(template), headers);
        }
    }

    private static String concrete(String template) {
        return template.replace("{name}", "a");
    }

    private void visit(Served served, String template, String path, String... headers) throws Exception {
        record(served.ask("GET", path, headers), template, "GET");
        record(served.ask("HEAD", path, headers), template, "HEAD");
    }

    private void record(String answer, String template, String method) {
        int status = Served.status(answer);
        String type = Stream.of(answer.split("\r\n\r\n", 2)[0].split("\r\n"))
                .filter(line -> line.startsWith("Content-Type: "))
                .map(line -> line.substring("Content-Type: ".length()))
                .collect(Collectors.joining());
        String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
        met.add(method + " " + template + " " + status + (method.equals("GET") && !type.isEmpty() ? " " + type : ""));
        if (method.equals("GET") && type.equals("application/json") && !template.equals("/v1/openapi.json")) {
            check(JsonTree.any(body), schema(template, status), method + " " + template + " " + status);
        }
        if (method.equals("GET")) {
            for (String header : headers(template, status)) {
                assertThat(answer).as(template + " " + status).contains("\r\n" + header + ": ");
            }
        }
        if (method.equals("HEAD") && status != 431 && status != 400) {
            // A request that cannot be read is answered as if it were GET, and cut off.
            assertThat(body).isEmpty();
        }
    }

    // ---- the document ----

    private Map<String, Object> paths() {
        return JsonTree.map(document.get("paths"));
    }

    private boolean isDocumented(String template, String method) {
        return JsonTree.map(paths().get(template)).containsKey(method.toLowerCase(Locale.ROOT));
    }

    private Set<String> documented() {
        Set<String> all = new TreeSet<>();
        paths().forEach((template, methods) -> JsonTree.map(methods)
                .forEach((method, operation) -> JsonTree.map(
                                JsonTree.map(operation).get("responses"))
                        .forEach((status, response) -> {
                            String line = method.toUpperCase(Locale.ROOT) + " " + template + " " + status;
                            Object content = resolved(JsonTree.map(response)).get("content");
                            if (content == null) {
                                all.add(line);
                            } else {
                                JsonTree.map(content).keySet().forEach(type -> all.add(line + " " + type));
                            }
                        })));
        return all;
    }

    /** What is said of an answer to GET. */
    private Map<String, Object> response(String template, int status) {
        Map<String, Object> operation =
                JsonTree.map(JsonTree.map(paths().get(template)).get("get"));
        Object response = JsonTree.map(operation.get("responses")).get(Integer.toString(status));
        assertThat(response).as(template + " " + status).isNotNull();
        return resolved(JsonTree.map(response));
    }

    private Set<String> headers(String template, int status) {
        Object headers = response(template, status).get("headers");
        return headers == null ? Set.of() : JsonTree.map(headers).keySet();
    }

    private Map<String, Object> schema(String template, int status) {
        Map<String, Object> content = JsonTree.map(response(template, status).get("content"));
        return JsonTree.map(JsonTree.map(content.get("application/json")).get("schema"));
    }

    private Map<String, Object> resolved(Map<String, Object> part) {
        Object reference = part.get("$ref");
        if (reference == null) {
            return part;
        }
        Object at = document;
        for (String step : String.valueOf(reference).substring(2).split("/")) {
            at = JsonTree.map(at).get(step);
        }
        assertThat(at).as(String.valueOf(reference)).isNotNull();
        return JsonTree.map(at);
    }

    /** Every field there is is documented, and every one that must be is there. */
    private void check(Object value, Map<String, Object> unresolved, String where) {
        Map<String, Object> schema = resolved(unresolved);
        if (value == null) {
            assertThat(schema).as(where).containsEntry("nullable", true);
            return;
        }
        switch (String.valueOf(schema.get("type"))) {
            case "object" -> {
                Map<String, Object> object = JsonTree.map(value);
                if (schema.get("properties") == null) {
                    Map<String, Object> each = JsonTree.map(schema.get("additionalProperties"));
                    object.forEach((name, field) -> check(field, each, where + "." + name));
                    return;
                }
                Map<String, Object> properties = JsonTree.map(schema.get("properties"));
                assertThat(properties.keySet()).as(where).containsAll(object.keySet());
                assertThat(object.keySet()).as(where).containsAll(strings(schema.get("required")));
                object.forEach((name, field) -> check(field, JsonTree.map(properties.get(name)), where + "." + name));
            }
            case "array" ->
                ((List<?>) value).forEach(each -> check(each, JsonTree.map(schema.get("items")), where + "[]"));
            case "integer" -> assertThat(value).as(where).isInstanceOf(Long.class);
            case "boolean" -> assertThat(value).as(where).isInstanceOf(Boolean.class);
            default -> {
                assertThat(value).as(where).isInstanceOf(String.class);
                if (schema.get("enum") != null) {
                    assertThat(strings(schema.get("enum"))).as(where).contains((String) value);
                }
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static List<String> strings(Object list) {
        return (List<String>) list;
    }
}
