package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.http.EventReader.Event;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class StreamTest {
    private Served served;

    @BeforeEach
    void serve() throws Exception {
        served = new Served();
        served.await("/healthz", 200);
    }

    @AfterEach
    void close() {
        served.close();
    }

    private static boolean has(Object list, String field, String value) {
        return JsonTree.maps(list).stream().anyMatch(each -> value.equals(each.get(field)));
    }

    @Test
    void aStreamBeginsWithTheWhole() throws Exception {
        served.lead("invoices", "v");
        served.await("/v1/elections/invoices", 200);
        try (EventReader stream = new EventReader(served)) {
            Event first = stream.next(Served.PLENTY).orElseThrow();

            assertThat(first.name()).isEqualTo("snapshot");
            assertThat(first.data()).containsEntry("stale", false).containsKeys("ageMillis", "now", "store");
            assertThat(String.valueOf(first.data().get("store"))).startsWith("memory");
            assertThat(has(first.data().get("elections"), "election", "invoices"))
                    .isTrue();
            assertThat(first.data()).containsEntry("queues", List.of()).containsEntry("services", List.of());
        }
    }

    @Test
    void aTakeOverIsTold() throws Exception {
        try (EventReader stream = new EventReader(served);
                ElectionClient second = served.another("second")) {
            Leadership first = served.lead("invoices", "one");
            stream.await("elections", data -> has(data.get("changed"), "value", "one"));

            first.close();
            Leadership next =
                    second.election("invoices").campaign("two", Served.PLENTY).orElseThrow();

            stream.await("elections", data -> has(data.get("changed"), "value", "two"));
            Event takeOver = stream.await(
                    "takeOver",
                    data -> JsonTree.map(data.get("to"))
                            .get("token")
                            .equals(next.fencingToken().value()));
            assertThat(takeOver.data()).containsEntry("election", "invoices").containsKeys("at", "gapMillis", "reason");
            assertThat(JsonTree.map(takeOver.data().get("from")))
                    .containsEntry("token", first.fencingToken().value());
            next.close();
            stream.await("elections", data -> data.get("gone").equals(List.of("invoices")));
        }
        try (EventReader late = new EventReader(served)) {
            assertThat(JsonTree.maps(late.await("snapshot", any -> true).data().get("takeOvers")))
                    .hasSize(2)
                    .last()
                    .satisfies(each -> assertThat(JsonTree.map(each.get("to"))).containsEntry("candidate", "second"));
        }
    }

    @Test
    void queuesAndServicesAreTold() throws Exception {
        try (Served queued = new Served("&order=arrival", HttpOptions.DEFAULTS);
                EventReader stream = new EventReader(queued);
                ElectionClient second = queued.another("second")) {
            queued.lead("invoices", "one");
            var waiting = second.election("invoices").campaignAsync("two");

            Event queue = stream.await("queues", data -> data.toString().contains("second"));
            assertThat(JsonTree.maps(queue.data().get("changed")).get(0)).containsEntry("election", "invoices");
            waiting.toCompletableFuture().cancel(true);
            stream.await("queues", data -> data.toString().contains("waiting=[]"));

            Registration registration = second.registry()
                    .register("web", ServiceInstance.at("10.0.0.7:80").withId("one"));
            stream.await(
                    "services",
                    data -> has(data.get("changed"), "name", "web")
                            && data.toString().contains("10.0.0.7:80"));
            registration.close();
            stream.await("services", data -> data.get("gone").equals(List.of("web")));
        }
    }

    @Test
    void itsHealthIsToldAtLeastEveryFiveSecondsAndWhenItChanges() throws Exception {
        try (EventReader stream = new EventReader(served)) {
            Event one = stream.await("health", data -> data.get("stale").equals(false));
            Event two = stream.await("health", data -> data.get("stale").equals(false));
            assertThat(two.nanos() - one.nanos()).isLessThan(10_000_000_000L);
            assertThat(one.data()).containsKeys("ageMillis", "now");

            served.faults.only("server").cutOff();
            Event away = stream.await("health", data -> data.get("stale").equals(true));
            assertThat((long) away.data().get("ageMillis")).isGreaterThanOrEqualTo(1_000);
            served.faults.heal();

            stream.await("health", data -> data.get("stale").equals(false));
        }
    }

    @Test
    void allStreamsAreToldOfAChangeAndOneTooManyIsSentAway() throws Exception {
        List<EventReader> streams = new ArrayList<>();
        try {
            for (int i = 0; i < Streams.MOST; i++) {
                streams.add(new EventReader(served));
            }
            for (EventReader each : streams) {
                each.await("snapshot", any -> true);
            }
            assertThat(served.http.streams()).isEqualTo(Streams.MOST);
            HttpResponse<String> surplus = served.get("/v1/events");
            assertThat(surplus.statusCode()).isEqualTo(503);
            assertThat(surplus.body()).contains("200 streams");
            assertThat(surplus.headers().firstValue("retry-after")).isPresent();

            served.lead("invoices", "v");
            for (EventReader each : streams) {
                each.await("elections", data -> has(data.get("changed"), "election", "invoices"));
            }
            streams.get(0).close();

            // Their end shows when something is written to them.
            Await.until("a place", Served.PLENTY, () -> served.http.streams() < Streams.MOST);
        } finally {
            for (EventReader each : streams) {
                each.close();
            }
        }
        Await.until("all places", Served.PLENTY, () -> served.http.streams() == 0);
    }

    @Test
    void aReaderWhoReadsNothingIsCutOffAndDisturbsNobody() throws Exception {
        String large = "x".repeat(60_000);
        try (Socket deaf = new Socket();
                EventReader stream = new EventReader(served)) {
            deaf.setReceiveBufferSize(4_096);
            deaf.connect(new InetSocketAddress("127.0.0.1", served.port()));
            deaf.getOutputStream()
                    .write("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Await.until("both", Served.PLENTY, () -> served.http.streams() == 2);
            Leadership leadership = served.lead("large", "first");
            stream.await("elections", data -> has(data.get("changed"), "value", "first"));
            long deadline = System.nanoTime() + Served.PLENTY.toNanos();
            int i = 0;
            while (served.http.streams() == 2 && System.nanoTime() < deadline) {
                String value = large + i++;
                leadership.proclaim(value);
                stream.await("elections", data -> has(data.get("changed"), "value", value));
            }

            assertThat(served.http.streams()).isEqualTo(1);
            assertThat(stream.isOver()).isFalse();
        }
    }

    @Test
    void aReaderWhoWasSlowIsToldTheNewestAndNotAllThatHappenedMeanwhile() throws Exception {
        String large = "x".repeat(60_000);
        Leadership leadership = served.lead("large", "first");
        served.await("/v1/elections/large", 200);
        try (Socket slow = new Socket();
                EventReader quick = new EventReader(served)) {
            slow.setReceiveBufferSize(4_096);
            slow.setSoTimeout((int) Served.PLENTY.toMillis());
            slow.connect(new InetSocketAddress("127.0.0.1", served.port()));
            slow.getOutputStream()
                    .write("GET /v1/events HTTP/1.0\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Await.until("both", Served.PLENTY, () -> served.http.streams() == 2);
            int rounds = 300;
            for (int i = 1; i <= rounds; i++) {
                leadership.proclaim(large + "-" + i);
            }
            quick.await("elections", data -> data.toString().contains("-" + rounds));

            int told = 0;
            boolean isLast = false;
            StringBuilder seen = new StringBuilder();
            byte[] buffer = new byte[64 * 1024];
            while (!isLast) {
                int read = slow.getInputStream().read(buffer);
                assertThat(read).as("it was cut off").isPositive();
                seen.append(new String(buffer, 0, read, StandardCharsets.US_ASCII));
                isLast = seen.indexOf("-" + rounds + "\"") >= 0;
            }
            for (int i = 1; i <= rounds; i++) {
                told += seen.indexOf("-" + i + "\"") >= 0 ? 1 : 0;
            }
            assertThat(told).isLessThan(rounds);
        }
    }

    @Test
    void theEndOfTheServerEndsTheStreams() throws Exception {
        try (EventReader stream = new EventReader(served)) {
            stream.await("snapshot", any -> true);

            served.http.close();

            Await.until("the end", Served.PLENTY, stream::isOver);
            served.http.close();
        }
    }

    @Test
    void namesAndValuesAreInert() throws Exception {
        String name = "</script><b>&\u2028\u202e";
        served.lead(name, "\r\n\r\nevent: snapshot\r\ndata: {}");
        try (EventReader stream = new EventReader(served)) {
            Await.until(
                    "listed",
                    Served.PLENTY,
                    () -> served.get("/v1/elections").body().contains("event: snapshot"));
            Map<String, Object> first = stream.next(Served.PLENTY).orElseThrow().data();
            assertThat(first).containsKey("elections");
            if (!has(first.get("elections"), "election", name)) {
                stream.await("elections", data -> has(data.get("changed"), "election", name));
            }
        }
    }

    @Test
    void aSecondServerOfTheSameClientIsServedToo() throws IOException {
        try (MandateHttp second = MandateHttp.serve(served.client, HttpOptions.DEFAULTS.withPort(0))) {
            assertThat(second.uri().getPort()).isNotEqualTo(served.port());
        }
        served.await("/healthz", 200);
    }
}
