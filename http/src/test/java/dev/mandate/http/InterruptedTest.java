package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread that is interrupted while it starts or stops the server still learns of it. */
class InterruptedTest {
    @AfterEach
    void forget() {
        Thread.interrupted();
    }

    @Test
    void whoClosesIsStillInterrupted() throws Exception {
        try (ElectionClient client = ElectionClient.connect("memory:interrupted-close")) {
            MandateHttp http = MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0));

            Thread.currentThread().interrupt();
            http.close();

            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void whoServesIsStillInterrupted() throws Exception {
        try (ElectionClient client = ElectionClient.connect("memory:interrupted-start")) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasRootCauseInstanceOf(InterruptedException.class);

            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
