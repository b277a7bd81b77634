package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mandate.ElectionClient;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class PropertiesTest {
    private static FailureAnalysis analysis(String... properties) {
        Throwable failure = catchThrowable(
                () -> Contexts.startBare(Contexts.Empty.class, properties).close());
        assertThat(failure).isNotNull();
        FailureAnalysis analysis = new MandateFailureAnalyzer().analyze(failure);
        assertThat(analysis).as(String.valueOf(failure)).isNotNull();
        return analysis;
    }

    @Test
    void withoutAUrlThereIsNoClient() {
        try (ConfigurableApplicationContext context = Contexts.startBare(Contexts.Empty.class)) {
            assertThat(context.getBeansOfType(ElectionClient.class)).isEmpty();
        }
    }

    @Test
    void settingsReachTheClientAndWinOverTheUrl() {
        try (ConfigurableApplicationContext context = Contexts.start(
                Contexts.Empty.class,
                Contexts.store() + "?lease=9s&drainTimeout=700ms",
                "mandate.lease=6s",
                "mandate.candidate=here",
                "mandate.on-overrun=hold",
                "mandate.max-clock-ratio=1.2")) {
            ElectionClient client = context.getBean(ElectionClient.class);
            Map<String, String> settings = client.explain().settings();

            assertThat(client.candidate()).isEqualTo("here");
            assertThat(settings)
                    .containsEntry("lease", "6s")
                    .containsEntry("drainTimeout", "700ms")
                    .containsEntry("onOverrun", "hold")
                    .containsEntry("maxClockRatio", "1.2");
        }
    }

    @Test
    void theClientEndsWithTheContext() {
        ConfigurableApplicationContext context = Contexts.start(Contexts.Empty.class, Contexts.store());
        ElectionClient client = context.getBean(ElectionClient.class);

        context.close();

        assertThatThrownBy(() -> client.election("any").campaign("late")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anApplicationMayBringItsOwnClient() {
        try (ConfigurableApplicationContext context = Contexts.start(OwnClient.class, Contexts.store())) {
            assertThat(context.getBean(ElectionClient.class).candidate()).isEqualTo("own");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Contexts.Empty.class)
    static class OwnClient {
        @Bean
        ElectionClient own() {
            return ElectionClient.builder(Contexts.store()).candidate("own").connect();
        }
    }

    @Test
    void anUnknownPropertyIsRefusedWithTheNearestKnownOne() {
        FailureAnalysis analysis = analysis("mandate.url=" + Contexts.store(), "mandate.renew-intervall=1s");

        assertThat(analysis.getDescription()).isEqualTo("The property 'mandate.renew-intervall' does not exist.");
        assertThat(analysis.getAction()).isEqualTo("Did you mean 'mandate.renew-interval'?");
    }

    @Test
    void aPropertyMayBeSpelledAsSpringAllows() {
        try (ConfigurableApplicationContext context =
                Contexts.start(Contexts.Empty.class, Contexts.store(), "mandate.renewInterval=1s")) {
            assertThat(context.getBean(ElectionClient.class).explain().settings())
                    .containsEntry("renewInterval", "1s");
        }
    }

    @Test
    void aBadUrlIsOneSentenceWithoutItsSecret() {
        FailureAnalysis analysis = analysis("mandate.url=etcd://root:hunter2@127.0.0.1:1?lese=3s&password=hunter2");

        assertThat(analysis.getDescription())
                .startsWith("Mandate's settings are wrong: ")
                .contains("lese")
                .doesNotContain("hunter2")
                .endsWith(".")
                .doesNotEndWith("..");
        assertThat(analysis.getDescription().lines()).hasSize(1);
    }

    @Test
    void anUnsupportedStoreIsNamed() {
        assertThat(analysis("mandate.url=zookeeper://host").getDescription()).contains("zookeeper");
    }

    @Test
    void contradictingSettingsAreNamed() {
        assertThat(analysis("mandate.url=" + Contexts.store(), "mandate.lease=2s", "mandate.renew-interval=3s")
                        .getDescription())
                .contains("renewInterval 3 s");
    }

    @Test
    void aSettingOutOfBoundsIsNamed() {
        assertThat(analysis("mandate.url=" + Contexts.store(), "mandate.lease=0s")
                        .getDescription())
                .contains("lease")
                .contains("0");
    }
}
