package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;

class InitiatorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** What happened, in order. */
    static class Seen {
        private final List<String> events = new CopyOnWriteArrayList<>();

        List<String> events() {
            return events;
        }

        @EventListener
        void granted(OnGrantedEvent event) {
            events.add("granted " + event.getRole() + " " + event.getContext().isLeader());
        }

        @EventListener
        void revoked(OnRevokedEvent event) {
            events.add("revoked " + event.getRole());
        }
    }

    /** A candidate that names no election. */
    static class Roleless extends DefaultCandidate {
        @Override
        public String getRole() {
            return "";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Contexts.Empty.class)
    static class Initiated {
        @Bean
        Seen seen() {
            return new Seen();
        }

        @Bean
        Candidate candidate() {
            return new DefaultCandidate("me", "invoices");
        }

        @Bean
        MandateLeaderInitiator initiator(ElectionClient client, Candidate candidate) {
            return new MandateLeaderInitiator(client, candidate);
        }
    }

    private static Context awaitLeading(ConfigurableApplicationContext context) {
        MandateLeaderInitiator initiator = context.getBean(MandateLeaderInitiator.class);
        Await.until("leading", PATIENCE, () -> initiator.getContext().isLeader());
        return initiator.getContext();
    }

    private static void awaitValue(ConfigurableApplicationContext context, String election, String value) {
        ElectionClient client = context.getBean(ElectionClient.class);
        Await.until(
                "the value to be published",
                PATIENCE,
                () -> client.election(election)
                        .view()
                        .leader()
                        .filter(leader -> leader.value().equals(value))
                        .isPresent());
    }

    @Test
    void grantsAndRevokesWithTheContextAndPublishesEvents() {
        String store = Contexts.store();
        try (ConfigurableApplicationContext one = Contexts.start(Initiated.class, store)) {
            Context context = awaitLeading(one);
            assertThat(context.getRole()).isEqualTo("invoices");
            List<String> events = one.getBean(Seen.class).events();
            Await.until("the event", PATIENCE, () -> events.contains("granted invoices true"));
            awaitValue(one, "invoices", "me");
            try (ConfigurableApplicationContext other = Contexts.start(Initiated.class, store)) {
                assertThat(other.getBean(MandateLeaderInitiator.class)
                                .getContext()
                                .isLeader())
                        .isFalse();

                one.close();

                assertThat(context.isLeader()).isFalse();
                awaitLeading(other);
            }
            assertThat(events).containsExactly("granted invoices true", "revoked invoices");
        }
    }

    @Test
    void aYieldResignsAndTheCandidateCampaignsAgain() {
        try (ConfigurableApplicationContext context =
                Contexts.start(Initiated.class, Contexts.store(), "mandate.cool-down=10ms")) {
            Context first = awaitLeading(context);
            List<String> events = context.getBean(Seen.class).events();
            Await.until("the event", PATIENCE, () -> events.size() == 1);

            first.yield();

            Await.until("a second term", PATIENCE, () -> events.size() == 3);
            assertThat(first.isLeader()).isFalse();
            assertThat(events).containsExactly("granted invoices true", "revoked invoices", "granted invoices true");
        }
    }

    @Test
    void aStoppedInitiatorStartsAgain() {
        try (ConfigurableApplicationContext context = Contexts.start(Initiated.class, Contexts.store())) {
            awaitLeading(context);
            MandateLeaderInitiator initiator = context.getBean(MandateLeaderInitiator.class);

            initiator.stop();

            assertThat(initiator.getContext().isLeader()).isFalse();
            assertThat(initiator.isRunning()).isFalse();
            initiator.start();
            awaitLeading(context);
        }
    }

    @Test
    void aRoleIsNeeded() {
        try (ElectionClient client = ElectionClient.connect(Contexts.store())) {
            assertThatThrownBy(() -> new MandateLeaderInitiator(client, new Roleless()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("role is empty");
        }
    }
}
