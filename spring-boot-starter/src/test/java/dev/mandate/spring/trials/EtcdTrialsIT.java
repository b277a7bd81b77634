package dev.mandate.spring.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Elections on a real etcd, to which each application has a proxy of its own. */
@Tag("long")
class EtcdTrialsIT extends TrialScenarios {
    private static final AtomicInteger ELECTIONS = new AtomicInteger();

    @RegisterExtension
    static final ServerExtension ETCD = new ServerExtension("etcd-3.4", EtcdTrialsIT::etcd);

    private final int number = ELECTIONS.incrementAndGet();

    private static ServerProcess.Builder etcd(ServerProcess.Builder builder) {
        return builder.ports("client", "peer")
                .arguments("--data-dir", "{data}/etcd", "--log-level", "warn")
                .arguments("--listen-client-urls", "http://127.0.0.1:{client}")
                .arguments("--advertise-client-urls", "http://127.0.0.1:{client}")
                .arguments("--listen-peer-urls", "http://127.0.0.1:{peer}")
                .ready(server -> get(server, "/health").contains("true"))
                .version(server -> get(server, "/version").replaceAll(".*etcdserver\":\"([^\"]*).*", "$1"));
    }

    private static String get(ServerProcess server, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port("client") + path))
                .timeout(Duration.ofSeconds(20))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Override
    Proxied network() throws IOException {
        FaultProxy proxy = FaultProxy.to("127.0.0.1", ETCD.server().port("client"));
        return new Proxied(proxy, number);
    }

    @Override
    boolean hasOneWayEach() {
        return true;
    }

    @Test
    void withoutAStoreTheApplicationStartsAndLeadsWhenItComes() throws Exception {
        Proxied network = network();
        network.proxy().refuse();
        try (TrialApp app = new TrialApp("early", network, folder.resolve("resource.db"), Duration.ofMillis(10))) {
            app.process().await("it to be up", Duration.ofMinutes(2), TrialApplication.UP::equals);
            assertThat(app.insides()).isEmpty();

            network.proxy().pass();

            app.process().await("a call", Duration.ofMinutes(2), line -> line.startsWith(TrialApplication.IN));
        }
    }

    /** Cut off by a proxy that forwards nothing. */
    record Proxied(FaultProxy proxy, int number) implements TrialNetwork {
        @Override
        public String url() {
            return "etcd://127.0.0.1:" + proxy.port() + "/trial-" + number;
        }

        @Override
        public void cut() {
            proxy.stall();
        }

        @Override
        public void heal() throws IOException {
            proxy.pass();
        }

        @Override
        public void close() throws IOException {
            proxy.close();
        }
    }
}
