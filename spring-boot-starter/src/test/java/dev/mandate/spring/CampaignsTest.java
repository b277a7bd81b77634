package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CampaignsTest {
    private final Campaigns campaigns = new Campaigns();

    private static Campaign campaign(String election, String publish) {
        return new Campaign(election, LeaderOnly.Otherwise.SKIP, publish, "Some.method()");
    }

    /** As when a request makes a lazy bean, and the client is a bean that has to wait for that. */
    @Test
    void aBeanThatComesDuringTheStartWaitsForNothing() {
        try (ElectionClient client = ElectionClient.connect(Contexts.store())) {
            Campaign first = campaigns.join(campaign("first", ""));
            AtomicReference<Campaign> second = new AtomicReference<>();

            campaigns.startAll((each, isWanted) -> {
                if (each == first) {
                    CompletableFuture<Campaign> joining =
                            CompletableFuture.supplyAsync(() -> campaigns.join(campaign("second", "")));
                    second.set(joining.orTimeout(60, TimeUnit.SECONDS).join());
                }
                each.start(client, null, isWanted);
            });

            assertThat(client.elections()).containsOnlyKeys("first", "second");
            assertThat(List.of(first, second.get())).allMatch(Campaign::hasBegun);
        }
    }

    @Test
    void aCandidacyThatCannotBeginIsForgotten() {
        try (ElectionClient client = ElectionClient.connect(Contexts.store())) {
            AtomicReference<RuntimeException> failure = new AtomicReference<>(new IllegalStateException("as planned"));
            campaigns.startAll((each, isWanted) -> {
                RuntimeException now = failure.getAndSet(null);
                if (now != null) {
                    throw now;
                }
                each.start(client, null, isWanted);
            });
            assertThatThrownBy(() -> campaigns.join(campaign("late", "one"))).hasMessage("as planned");

            Campaign next = campaigns.join(campaign("late", "other"));

            assertThat(next.hasBegun()).isTrue();
            assertThat(campaigns.find("late")).isSameAs(next);
        }
    }

    @Test
    void aStartThatFailsEndsWhatHasBegun() {
        try (ElectionClient client = ElectionClient.connect(Contexts.store())) {
            campaigns.join(campaign("good", ""));
            campaigns.join(campaign("bad", ""));

            assertThatThrownBy(() -> campaigns.startAll((each, isWanted) -> {
                        if (each.election().equals("bad")) {
                            throw new IllegalStateException("as planned");
                        }
                        each.start(client, null, isWanted);
                    }))
                    .hasMessage("as planned");

            assertThat(client.elections()).isEmpty();
        }
    }

    @Test
    void noneBeginsAfterTheStop() {
        try (ElectionClient client = ElectionClient.connect(Contexts.store())) {
            Campaign late = campaign("late", "");
            campaigns.startAll((each, isWanted) -> {
                // The context stops while a bean is being made.
                campaigns.stopAll().forEach(one -> one.stop(Duration.ZERO));
                each.start(client, null, isWanted);
            });

            campaigns.join(late);

            assertThat(late.hasBegun()).isFalse();
            assertThat(client.elections()).isEmpty();
        }
    }
}
