package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.http.HttpOptions;
import dev.mandate.http.MandateHttp;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is served of a real store: a take-over shows in a stream of events, and an outage in every answer. */
final class ServedTakeOver {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Pattern AGE = Pattern.compile("\"ageMillis\":(\\d+)");

    private ServedTakeOver() {}

    /** Something that is done to the store. */
    interface Step {
        void run() throws Exception;
    }

    /**
     * Watches a take-over, an outage of the store and its end.
     *
     * @param lease that of the URL: while the store is away, answers are older
     */
    static void watch(String store, Duration lease, Step goAway, Step comeBack) throws Exception {
        try (ElectionClient one = ElectionClient.builder(store).candidate("one").connect();
                ElectionClient two =
                        ElectionClient.builder(store).candidate("two").connect();
                ElectionClient looking =
                        ElectionClient.builder(store).create(false).connect();
                MandateHttp http = MandateHttp.serve(looking, HttpOptions.DEFAULTS.withPort(0));
                Leadership first = one.election("in/voices").campaign("http://10.0.0.1/");
                Registration registration = one.registry().register("web", ServiceInstance.at("10.0.0.1:80"))) {
            URI uri = http.uri();
            awaitBody(uri.resolve("/v1/elections/in%2Fvoices"), 200, "\"candidate\":\"one\"");
            BlockingQueue<String> events = follow(uri);
            // A stream hears of changes a moment after answers show them: perhaps only after its snapshot.
            await(events, Set.of("snapshot", "elections"), "\"candidate\":\"one\"");

            first.resign();
            try (Leadership second = two.election("in/voices").campaign("http://10.0.0.2/")) {
                await(events, "elections", "\"candidate\":\"two\"");
                String takeOver = await(events, "takeOver", "\"candidate\":\"two\"");
                assertThat(takeOver)
                        .contains("\"election\":\"in/voices\"", "\"candidate\":\"one\"")
                        .contains("\"token\":" + first.fencingToken().value())
                        .contains("\"token\":" + second.fencingToken().value());
                awaitBody(uri.resolve("/v1/services/web"), 200, "10.0.0.1:80");
                HttpResponse<String> redirect = get(uri.resolve("/v1/elections/in%2Fvoices/leader"));
                assertThat(redirect.statusCode()).isEqualTo(307);
                assertThat(redirect.headers().firstValue("location")).hasValue("http://10.0.0.2/");
                assertThat(redirect.headers().firstValueAsLong("mandate-age-millis"))
                        .isPresent();

                goAway.run();
                assertOld(lease, awaitBody(uri.resolve("/v1/elections/in%2Fvoices"), 503, "\"state\":\"unknown\""));
                assertOld(lease, await(events, "health", "\"stale\":true"));
                assertOld(lease, awaitBody(uri.resolve("/v1/elections"), 503, "\"stale\":true"));
                assertOld(lease, awaitBody(uri.resolve("/v1/services"), 503, "\"stale\":true"));
                assertOld(lease, awaitBody(uri.resolve("/v1/services/web"), 503, "\"stale\":true"));
                assertOld(lease, awaitBody(uri.resolve("/healthz"), 503, "\"stale\":true"));
                comeBack.run();

                await(events, "health", "\"stale\":false");
                awaitBody(uri.resolve("/healthz"), 200, "\"stale\":false");
            }
            registration.close();
        }
    }

    private static HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String awaitBody(URI uri, int status, String text) {
        return Await.value(status + " and " + text + " at " + uri, PATIENCE, () -> {
            HttpResponse<String> answer = get(uri);
            boolean isWanted = answer.statusCode() == status && answer.body().contains(text);
            return isWanted ? Optional.of(answer.body()) : Optional.empty();
        });
    }

    /** An answer, or the data of an event, that is older than the lease, and says so. */
    private static void assertOld(Duration lease, String text) {
        Matcher age = AGE.matcher(text);
        assertThat(age.find()).as(text).isTrue();
        assertThat(Long.parseLong(age.group(1))).as(text).isGreaterThanOrEqualTo(lease.toMillis());
    }

    /** The lines of a stream of events, as they come. */
    private static BlockingQueue<String> follow(URI uri) {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        var unused = HTTP.sendAsync(
                        HttpRequest.newBuilder(uri.resolve("/v1/events")).build(), HttpResponse.BodyHandlers.ofLines())
                .thenAcceptAsync(answer -> answer.body().forEach(lines::add));
        return lines;
    }

    private static String await(BlockingQueue<String> lines, String event, String text) throws InterruptedException {
        return await(lines, Set.of(event), text);
    }

    /** The data of the next of those events with that text in it. */
    private static String await(BlockingQueue<String> lines, Set<String> of, String text) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String name = "";
        while (true) {
            String line = lines.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            assertThat(line).as(of + " with " + text).isNotNull();
            if (line.startsWith("event: ")) {
                name = line.substring("event: ".length());
            } else if (line.startsWith("data: ") && of.contains(name) && line.contains(text)) {
                return line;
            }
        }
    }
}
