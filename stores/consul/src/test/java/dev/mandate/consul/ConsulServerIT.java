package dev.mandate.consul;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreConformance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The suite on a real Consul. Most of its time is waiting for leases of twenty seconds, so its cases run side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
class ConsulServerIT extends StoreConformance {
    @RegisterExtension
    static final ServerExtension CONSUL = ConsulServer.extension();

    int port() {
        return CONSUL.server().port("http");
    }

    String parameters() {
        return "lock-delay=1s";
    }

    @Override
    protected ElectionStore open() {
        return ConsulServer.open(port(), parameters());
    }

    /** Another program locks the key as the guide says. */
    @Override
    protected boolean writeForeign(RecordKey key, String text) throws Exception {
        String session = ConsulServer.session(CONSUL.server(), "60s", "0s");
        String path = "service/" + key.name() + "/leader";
        return ConsulServer.put(CONSUL.server(), "/v1/kv/" + path + "?acquire=" + session, text)
                .contains("true");
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        // The agent is not of that datacenter, and knows of no other.
        return Optional.of(() -> ConsulServer.open(port(), "dc=elsewhere&node=somewhere"));
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        return Map.ofEntries(
                Map.entry("consul:host", List.of("no host", "consul://host:8500")),
                Map.entry("consuls:host", List.of("no host", "consuls://host:8501")),
                Map.entry("consul://a b:1", List.of("a b:1")),
                Map.entry("consul://host:0", List.of("host:0")),
                Map.entry("consul://host:99999", List.of("65535")),
                Map.entry("consul://a,b", List.of("a,b", "one agent")),
                Map.entry("consul://user@host", List.of("user", "tokenFile")),
                Map.entry("consul://host/path", List.of("'/path'", "key=")),
                Map.entry("consul://host?lock-delay=2", List.of("lock-delay", "'2'", "10s")),
                Map.entry("consul://host?lock-delay=61s", List.of("lock-delay", "'61s'", "1m")),
                Map.entry("consul://host?format=xml", List.of("format", "'xml'", "raw")),
                Map.entry("consul://host?dc=a/b", List.of("dc", "'a/b'")),
                Map.entry("consul://host?dc=east", List.of("dc", "node")),
                Map.entry("consul://host?ns=a%26b", List.of("ns", "a&b")),
                Map.entry("consul://host?checks=a%20b", List.of("checks", "a b")),
                Map.entry("consul://host?key=/leaders/{election}", List.of("key", "/leaders/", "begin with '/'")),
                Map.entry("consul://host?key=a//{election}", List.of("key", "//")),
                Map.entry("consul://host?key=mandate/{election}", List.of("key", "mandate/")),
                Map.entry("consul://host?caFile=ca.pem", List.of("caFile", "consuls:")),
                Map.entry("consuls://host?certFile=c.pem", List.of("certFile", "keyFile")));
    }
}
