package dev.mandate.azureblob;

import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.ServerProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The emulator of the blob service. */
final class Azurite {
    static final String NAME = "azurite";
    static final String ACCOUNT = Credentials.EMULATOR;
    static final String CONTAINER = "leases";

    /** The lock of tests: many share the emulator in peace, one alone may freeze or restart it. */
    static final String PEACE = "peace on the shared emulator";

    private static final Duration ANSWER = Duration.ofSeconds(20);

    private Azurite() {}

    /** One for all tests of a run. */
    static ServerExtension shared() {
        return new ServerExtension(NAME, Azurite::settings);
    }

    static ServerProcess.Builder settings(ServerProcess.Builder builder) {
        return plain(builder)
                .ports("blob")
                .arguments("--blobPort", "{blob}", "--location", "{data}")
                .ready(server -> !version(server.port("blob")).isEmpty())
                .version(server -> version(server.port("blob")));
    }

    /** Without a port and a place for its data. */
    static ServerProcess.Builder plain(ServerProcess.Builder builder) {
        return builder.arguments("--blobHost", "127.0.0.1")
                .arguments("--skipApiVersionCheck", "--disableTelemetry", "--silent");
    }

    static String version(int port) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + "/" + ACCOUNT + "?comp=list");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).timeout(ANSWER).build(), HttpResponse.BodyHandlers.discarding())
                .headers()
                .firstValue("Server")
                .orElse("");
    }

    static String url(int port) {
        return url(port, CONTAINER);
    }

    static String url(int port, String container) {
        return "azblob+http://127.0.0.1:" + port + "/" + ACCOUNT + "/" + container;
    }
}
