package dev.mandate.camel;

import dev.mandate.testkit.FaultProxy;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Files consumed by the leader of three processes on etcd, which each of them reaches by a proxy. */
class EtcdFilesServerIT {
    @RegisterExtension
    static final ServerExtension ETCD = new ServerExtension("etcd-3.5", EtcdFilesServerIT::etcd);

    @TempDir
    private Path temp;

    private static ServerProcess.Builder etcd(ServerProcess.Builder builder) {
        return builder.ports("client", "peer")
                .arguments("--data-dir", "{data}/etcd", "--log-level", "warn")
                .arguments("--listen-client-urls", "http://127.0.0.1:{client}")
                .arguments("--advertise-client-urls", "http://127.0.0.1:{client}")
                .arguments("--listen-peer-urls", "http://127.0.0.1:{peer}")
                .ready(server -> get(server, "/health").contains("true"))
                .version(server -> get(server, "/version").replaceAll(".*etcdserver\":\"([^\"]*).*", "$1"));
    }

    private static String get(ServerProcess server, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + server.port("client") + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .timeout(Duration.ofSeconds(20))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** One proxy for each node. */
    private static final class Proxies implements FileTrials.TrialPlace, AutoCloseable {
        private final List<FaultProxy> proxies = new ArrayList<>();

        @Override
        public String url(int node) throws IOException {
            while (proxies.size() <= node) {
                proxies.add(FaultProxy.to("127.0.0.1", ETCD.server().port("client")));
            }
            return "etcd://127.0.0.1:" + proxies.get(node).port() + "?lease=8s&drainTimeout=2s";
        }

        @Override
        public void cutOff(int node) {
            proxies.get(node).blackHole();
        }

        @Override
        public void heal(int node) throws IOException {
            proxies.get(node).pass();
        }

        @Override
        public void close() throws IOException {
            for (FaultProxy proxy : proxies) {
                proxy.close();
            }
        }
    }

    @Test
    void aPolicyConsumesEachFileOnce() throws Exception {
        run("policy", List.of(FileTrials.Fault.KILLED, FileTrials.Fault.CUT_OFF, FileTrials.Fault.STOPPED));
    }

    @Test
    @EnabledIf("dev.mandate.camel.Context#hasMaster")
    void aMasterEndpointConsumesEachFileOnce() throws Exception {
        run("master", List.of(FileTrials.Fault.KILLED, FileTrials.Fault.CUT_OFF, FileTrials.Fault.STOPPED));
    }

    private void run(String way, List<FileTrials.Fault> faults) throws Exception {
        try (Proxies place = new Proxies();
                FileTrials trials = new FileTrials(way, place, temp)) {
            trials.run(Integer.getInteger("mandate.camel.trials", 5), faults);
            System.out.println("etcd, " + way + ": " + trials.summary());
        }
    }
}
