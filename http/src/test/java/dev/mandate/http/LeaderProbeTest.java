package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.junit.jupiter.api.Test;

class LeaderProbeTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static HttpResponse<String> get(URI uri) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(uri).timeout(Served.PLENTY).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void theProbeIsGreenOnlyWhileTheTermIsValid() throws Exception {
        try (MemoryFaults faults = MemoryFaults.of("probe");
                ElectionClient client = ElectionClient.connect("memory:probe?lease=8s&as=prober");
                MandateHttp http = MandateHttp.serve(
                        client, HttpOptions.DEFAULTS.withPort(0).withProbe("invoices"))) {
            URI probe = http.uri().resolve("/am-i-leader");
            HttpResponse<String> before = get(probe);
            assertThat(before.statusCode()).isEqualTo(503);
            assertThat(JsonTree.object(before.body()))
                    .containsEntry("election", "invoices")
                    .containsEntry("leading", false)
                    .containsKey("reason")
                    .doesNotContainKey("token");

            Leadership leadership =
                    client.election("invoices").campaign("v", Served.PLENTY).orElseThrow();
            HttpResponse<String> now = get(probe);
            assertThat(now.statusCode()).isEqualTo(200);
            assertThat(JsonTree.object(now.body()))
                    .containsEntry("leading", true)
                    .containsEntry("token", leadership.fencingToken().value());
            assertThat(get(http.uri().resolve("/am-i-leader?election=invoices")).statusCode())
                    .isEqualTo(200);

            faults.cutOff();
            Await.until("the end of belief", Served.PLENTY, () -> !leadership.isValid());
            assertThat(get(probe).statusCode()).isEqualTo(503);
            leadership.close();
        }
    }

    @Test
    void severalElectionsAreToldApart() throws Exception {
        try (ElectionClient client = ElectionClient.connect("memory:?lease=60s");
                MandateHttp http = MandateHttp.serve(
                        client, HttpOptions.DEFAULTS.withPort(0).withProbe("a", "b/c"));
                Leadership leadership =
                        client.election("b/c").campaign("v", Served.PLENTY).orElseThrow()) {
            assertThat(leadership.isValid()).isTrue();
            assertThat(get(http.uri().resolve("/am-i-leader?election=b%2Fc")).statusCode())
                    .isEqualTo(200);
            assertThat(get(http.uri().resolve("/am-i-leader?election=a")).statusCode())
                    .isEqualTo(503);
            assertThat(get(http.uri().resolve("/am-i-leader?election=x")).statusCode())
                    .isEqualTo(404);
            assertThat(get(http.uri().resolve("/am-i-leader")).statusCode()).isEqualTo(400);
            assertThat(get(http.uri().resolve("/am-i-leader?x=a")).statusCode()).isEqualTo(400);
        }
        assertThatThrownBy(() -> HttpOptions.DEFAULTS.withProbe()).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bothAreHandlersForAServerThatIsThereAlready() throws Exception {
        try (ElectionClient client = ElectionClient.connect("memory:?lease=60s");
                Leadership leadership =
                        client.election("a/b").campaign("v", Served.PLENTY).orElseThrow()) {
            assertThat(leadership.isValid()).isTrue();
            Server server = new Server();
            HttpConfiguration configuration = new HttpConfiguration();
            MandateHttp.configure(configuration);
            ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(configuration));
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            server.setHandler(new Handler.Sequence(
                    new LeaderProbe(client.election("a/b")),
                    new ContextHandler(MandateHttp.handler(client, HttpOptions.DEFAULTS), "/mandate")));
            server.start();
            try {
                URI uri = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/");
                assertThat(get(uri.resolve("/am-i-leader")).statusCode()).isEqualTo(200);
                HttpResponse<String> posted = HTTP.send(
                        HttpRequest.newBuilder(uri.resolve("/am-i-leader"))
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(posted.statusCode()).isEqualTo(405);
                assertThat(get(uri.resolve("/mandate/")).statusCode()).isEqualTo(200);
                assertThat(get(uri.resolve("/mandate/nothing")).statusCode()).isEqualTo(404);
                assertThat(get(uri.resolve("/healthz")).statusCode()).isEqualTo(404);
                Await.until(
                        "the election",
                        Served.PLENTY,
                        () -> get(uri.resolve("/mandate/v1/elections/a%2Fb")).statusCode() == 200);
            } finally {
                server.stop();
            }
            assertThat(client.election("a/b").status().isLeader()).isTrue();
        }
    }

    /** A server of one's own, with this as its handler; its address. */
    private static URI started(Server server, Handler handler) throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(handler);
        server.start();
        return URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/");
    }

    @Test
    void whoeverMayAskEverythingIsNotToldWhoLeadsOrWhatTheStoreSays() throws Exception {
        Server server = new Server();
        try (MemoryFaults faults = MemoryFaults.of("asked");
                ElectionClient leader = ElectionClient.connect("memory:asked?lease=60s&as=leader&candidate=worker-7");
                ElectionClient client = ElectionClient.connect("memory:asked?lease=60s&as=probed");
                Leadership leadership =
                        leader.election("invoices").campaign("v", Served.PLENTY).orElseThrow()) {
            assertThat(leadership.isValid()).isTrue();
            URI uri = started(server, new LeaderProbe(client.election("invoices"), client.election("broken")));
            var following = client.election("invoices").campaignAsync("v");
            Await.until(
                    "its own words",
                    Served.PLENTY,
                    () -> client.election("invoices").status().reason().contains("worker-7"));
            faults.only("probed").failPermanently("password of db-7 is wrong");
            var refused = client.election("broken").campaignAsync("v");
            Await.until(
                    "the store's words",
                    Served.PLENTY,
                    () -> client.election("broken").status().reason().contains("db-7"));

            assertThat(JsonTree.object(
                            get(uri.resolve("/am-i-leader?election=invoices")).body()))
                    .containsOnlyKeys("election", "leading");
            assertThat(JsonTree.object(
                            get(uri.resolve("/am-i-leader?election=broken")).body()))
                    .containsOnlyKeys("election", "leading");
            following.toCompletableFuture().cancel(true);
            refused.toCompletableFuture().cancel(true);
        } finally {
            server.stop();
        }
    }

    @Test
    void theProbeIsFoundBelowAContextPath() throws Exception {
        Server server = new Server();
        try (ElectionClient client = ElectionClient.connect("memory:?lease=60s")) {
            URI uri = started(server, new ContextHandler(new LeaderProbe(client.election("invoices")), "/x"));

            assertThat(get(uri.resolve("/x/am-i-leader")).statusCode()).isEqualTo(503);
            assertThat(get(uri.resolve("/x/x/am-i-leader")).statusCode()).isEqualTo(404);
            assertThat(get(uri.resolve("/am-i-leader")).statusCode()).isEqualTo(404);
        } finally {
            server.stop();
        }
    }
}
