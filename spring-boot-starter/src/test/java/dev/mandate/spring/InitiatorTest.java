package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
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

    /** A candidate that does something when its term ends. */
    private static final class Ending extends DefaultCandidate {
        private final Consumer<Context> atEnd;

        Ending(Consumer<Context> atEnd) {
            super("me", "invoices");
            this.atEnd = atEnd;
        }

        @Override
        public void onRevoked(Context context) {
            atEnd.accept(context);
        }
    }

    private static MandateLeaderInitiator lead(ElectionClient client, Candidate candidate) {
        MandateLeaderInitiator initiator = new MandateLeaderInitiator(client, candidate);
        initiator.start();
        Await.until("leading", PATIENCE, () -> initiator.getContext().isLeader());
        return initiator;
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

    @Test
    void aCandidateMayAskAndStopWhileItIsBeingStopped() throws Exception {
        // A drain time-out of ten seconds.
        try (ElectionClient client = ElectionClient.connect(Contexts.store() + "?lease=60s")) {
            AtomicReference<MandateLeaderInitiator> stopping = new AtomicReference<>();
            CompletableFuture<Boolean> running = new CompletableFuture<>();
            stopping.set(lead(client, new Ending(context -> {
                running.complete(stopping.get().isRunning());
                stopping.get().stop();
            })));

            stopping.get().stop();

            assertThat(running.get(60, TimeUnit.SECONDS)).isFalse();
            assertThat(client.statistics().overruns()).isZero();
        }
    }

    @Test
    void aCandidateThatFailsInItsRevocationKeepsNoListenerFromTheEvent() {
        try (ElectionClient client = ElectionClient.connect(Contexts.store())) {
            List<Object> events = new CopyOnWriteArrayList<>();
            MandateLeaderInitiator initiator = new MandateLeaderInitiator(client, new Ending(context -> {
                throw new IllegalStateException("as planned");
            }));
            initiator.setLeaderEventPublisher(new DefaultLeaderEventPublisher(events::add));
            initiator.start();
            Await.until("the event", PATIENCE, () -> events.size() == 1);

            initiator.stop();

            Await.until("the other event", PATIENCE, () -> events.size() == 2);
            assertThat(events.get(1)).isInstanceOf(OnRevokedEvent.class);
        }
    }

    @Test
    void aRevokedCandidateLeadsNoMoreThoughItsTermIsLeftToEnd() throws Exception {
        try (ElectionClient client = ElectionClient.connect(Contexts.store())) {
            CompletableFuture<Boolean> leading = new CompletableFuture<>();
            lead(client, new Ending(context -> leading.complete(context.isLeader())));

            client.close(Duration.ofMinutes(5));

            assertThat(leading.get(60, TimeUnit.SECONDS)).isFalse();
        }
    }
}
