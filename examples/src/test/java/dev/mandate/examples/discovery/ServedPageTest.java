package dev.mandate.examples.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.http.HttpOptions;
import dev.mandate.http.MandateHttp;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pieces of {@code docs/discovery.md} that serve over HTTP. */
@Timeout(60)
class ServedPageTest {
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<URI> shown = new ArrayList<>();

    private int status(URI uri) throws Exception {
        return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void aProgramServesWhoLeads(@TempDir Path folder) throws Exception {
        String url = "sqlite:" + folder.resolve("mandate.db");
        ElectionClient.connect(url).close();
        try (ElectionClient client = ElectionClient.builder(url).create(false).connect(); // looking makes nothing
                MandateHttp http = MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0))) {
            show(http.uri());
            assertThat(status(shown.get(0))).isEqualTo(200);
        }
    }

    @Test
    void aProbeSaysWhetherThisProcessLeads(@TempDir Path folder) throws Exception {
        try (ElectionClient client = ElectionClient.connect("sqlite:" + folder.resolve("mandate.db") + "?lease=30s")) {
            MandateHttp probe =
                    MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0).withProbe("invoices"));
            URI question = probe.uri().resolve("/am-i-leader");
            assertThat(status(question)).isEqualTo(503);

            try (Leadership leadership = client.election("invoices").campaign("10.0.0.7:8080")) {
                assertThat(leadership.isValid()).isTrue();
                assertThat(status(question)).isEqualTo(200);
            }

            assertThat(status(question)).isEqualTo(503);
            probe.close();
        }
    }

    private void show(URI uri) {
        shown.add(uri);
    }
}
