package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Health and endpoint, as a web server serves them. */
class ActuatorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Work that ignores its interruption until it is told to end. */
    static class Stubborn {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        CountDownLatch begun() {
            return begun;
        }

        CountDownLatch mayEnd() {
            return mayEnd;
        }

        @LeaderOnly("invoices")
        public void work() {
            begun.countDown();
            while (mayEnd.getCount() > 0) {
                try {
                    mayEnd.await();
                } catch (InterruptedException e) {
                    // Not now.
                }
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Contexts.Empty.class)
    static class OneBean {
        @Bean
        Stubborn stubborn() {
            return new Stubborn();
        }
    }

    private static ConfigurableApplicationContext start(String store, String... properties) {
        String[] all = java.util.stream.Stream.concat(
                        java.util.Arrays.stream(properties),
                        java.util.stream.Stream.of(
                                "server.port=0",
                                "management.endpoints.web.exposure.include=health,mandate",
                                "management.endpoint.health.show-details=always",
                                "management.endpoint.health.probes.enabled=true"))
                .toArray(String[]::new);
        return Contexts.start(OneBean.class, store, all);
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/" + path);
        return HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void await(ConfigurableApplicationContext context, String path, int code, String text) {
        StringBuilder last = new StringBuilder();
        try {
            Await.until(text + " in " + path, PATIENCE, () -> {
                HttpResponse<String> answer = get(context, path);
                last.setLength(0);
                last.append(answer.body());
                return answer.statusCode() == code && answer.body().contains(text);
            });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; last: " + last, e);
        }
    }

    @Test
    void healthIsDownWhileTheStoreIsSilentAndLivenessIsNot() throws Exception {
        String store = Contexts.store();
        try (ConfigurableApplicationContext context = start(store, "mandate.lease=1s", "mandate.candidate=here");
                MemoryFaults faults = MemoryFaults.of(store.substring("memory:".length()))) {
            await(context, "health", 200, "\"state\":\"LEADING\"");
            assertThat(get(context, "health").body()).contains("\"candidate\":\"here\"", "\"leaseMillis\":1000");

            faults.cutOff();

            await(context, "health/mandate", 503, "\"status\":\"DOWN\"");
            assertThat(get(context, "health").statusCode()).isEqualTo(503);
            assertThat(get(context, "health/liveness").statusCode()).isEqualTo(200);
            assertThat(get(context, "health/readiness").statusCode()).isEqualTo(200);
            faults.heal();
            await(context, "health/mandate", 200, "\"status\":\"UP\"");
        }
    }

    @Test
    void aFollowerIsHealthy() throws Exception {
        String store = Contexts.store();
        try (ConfigurableApplicationContext leader = start(store);
                ConfigurableApplicationContext follower = start(store)) {
            await(leader, "health", 200, "\"state\":\"LEADING\"");
            await(follower, "health/mandate", 200, "\"state\":\"FOLLOWING\"");
        }
    }

    @Test
    void aCallThatIgnoresItsInterruptionShowsAsAnOverrun() throws Exception {
        String store = Contexts.store();
        try (ConfigurableApplicationContext context = start(store, "mandate.lease=1s");
                MemoryFaults faults = MemoryFaults.of(store.substring("memory:".length()))) {
            await(context, "health/mandate", 200, "\"state\":\"LEADING\"");
            Stubborn bean = context.getBean(Stubborn.class);
            Thread thread = new Thread(() -> {
                while (bean.begun().getCount() > 0) {
                    bean.work();
                }
            });
            thread.setDaemon(true);
            thread.start();
            bean.begun().await();

            faults.cutOff();
            await(context, "health/mandate", 503, "WAITING_FOR_OVERRUN");
            faults.heal();

            await(context, "health/mandate", 200, "WAITING_FOR_OVERRUN");
            assertThat(get(context, "health/mandate").body()).contains("\"overruns\":1");
            bean.mayEnd().countDown();
            await(context, "health/mandate", 200, "\"state\":\"LEADING\"");
        }
    }

    @Test
    void theWebServerServesUntilTheCandidaciesHaveEnded() throws Exception {
        ConfigurableApplicationContext context = start(Contexts.store(), "mandate.shutdown-grace=5m");
        await(context, "health/mandate", 200, "\"state\":\"LEADING\"");
        Stubborn bean = context.getBean(Stubborn.class);
        Thread thread = new Thread(() -> {
            while (bean.begun().getCount() > 0) {
                bean.work();
            }
        });
        thread.setDaemon(true);
        thread.start();
        bean.begun().await();
        CampaignLifecycle lifecycle = context.getBean(CampaignLifecycle.class);
        Thread closing = new Thread(context::close);
        closing.start();
        Await.until("the candidacies to end", PATIENCE, () -> !lifecycle.isRunning());

        assertThat(get(context, "health/mandate").statusCode()).isEqualTo(200);

        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        bean.mayEnd().countDown();
        closing.join();
        assertThatThrownBy(() -> new Socket("127.0.0.1", port).close()).isInstanceOf(ConnectException.class);
    }

    @Test
    void theEndpointShowsTheCandidacies() throws Exception {
        try (ConfigurableApplicationContext context = start(Contexts.store() + "?lease=4s", "mandate.candidate=here")) {
            await(context, "mandate", 200, "\"state\":\"LEADING\"");

            assertThat(get(context, "mandate").body())
                    .contains("\"candidate\":\"here\"", "\"guarantee\":\"FENCED\"", "\"leaseMillis\":4000")
                    .contains("\"invoices\"", "\"token\":");
            assertThat(get(context, "mandate/invoices").body()).contains("LEADING");
            assertThat(get(context, "mandate/other").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void theCountersOfTheClientAreMeters() {
        try (ConfigurableApplicationContext context = start(Contexts.store())) {
            await(context, "health/mandate", 200, "\"state\":\"LEADING\"");

            assertThat(context.getBean(MeterRegistry.class).getMeters())
                    .anySatisfy(meter -> assertThat(meter.getId().getName()).startsWith("mandate."));
        }
    }

    @Test
    void withoutAUrlThereIsNeither() throws Exception {
        try (ConfigurableApplicationContext context = Contexts.startBare(
                Contexts.Empty.class, "server.port=0", "management.endpoints.web.exposure.include=health,mandate")) {
            assertThat(get(context, "mandate").statusCode()).isEqualTo(404);
            assertThat(get(context, "health/mandate").statusCode()).isEqualTo(404);
        }
    }
}
