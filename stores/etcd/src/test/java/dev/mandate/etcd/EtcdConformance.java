package dev.mandate.etcd;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreConformance;
import dev.mandate.testkit.WrongServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;

/** The suite of all stores, on a real server. */
abstract class EtcdConformance extends StoreConformance {
    private final List<WrongServer> wrong = new ArrayList<>();

    @AfterEach
    void closeWrongServers() throws IOException {
        for (WrongServer each : wrong) {
            each.close();
        }
    }

    /** The server. */
    abstract ServerExtension etcd();

    /** Parameters of the URL, with the question mark. */
    String parameters() {
        return "";
    }

    private int port() {
        return etcd().server().port("client");
    }

    @Override
    protected ElectionStore open() {
        return new EtcdStoreProvider().open(StoreUrl.parse(EtcdServer.url(port()) + parameters()));
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.of(() -> {
            WrongServer page = WrongServer.saying("HTTP/1.1 400 Bad Request\r\n\r\n<html>no</html>");
            wrong.add(page);
            return new EtcdStoreProvider().open(StoreUrl.parse(EtcdServer.url(page.port())));
        });
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        return Map.of(
                "etcd:host", List.of("names no host", "etcd://host:2379"),
                "etcd://", List.of("the host ''"),
                "etcd://a:70000", List.of("'a:70000'", "65535"),
                "etcd://h?format=xml", List.of("'format'", "'xml'", "json or raw"),
                "etcd://h?key={name}", List.of("'{name}'", "{election}"),
                "etcd://h?key={election}", List.of("collide", "/mandate/"),
                "etcd://u@h", List.of("'u'", "no password"),
                "etcd://h?passwordEnv=PATH", List.of("no user"),
                "etcd://h?caFile=/x", List.of("'caFile'", "etcds:"),
                "etcds://h?keyFile=/x", List.of("certFile"));
    }

    @Override
    protected boolean writeForeign(RecordKey key, String text) {
        try (Operator operator = new Operator(port())) {
            operator.put("/leaders/" + key.name(), text, operator.grant(60));
        }
        return true;
    }
}
