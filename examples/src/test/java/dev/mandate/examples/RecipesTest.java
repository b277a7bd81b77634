package dev.mandate.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Candidacy;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.FencingToken;
import dev.mandate.LeaderLatch;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pieces of {@code docs/coming-from-a-recipe.md}, which quotes them line by line. */
class RecipesTest {
    private static final long SECONDS_MAX = 60;

    private final BlockingQueue<FencingToken> queued = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();

    private void queueNewEvents(FencingToken token) {
        queued.add(token);
    }

    @Test
    void aPollingProgramAsksEachTime(@TempDir Path folder) throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect("sqlite:" + folder.resolve("mandate.db"))) {
            Election jobs = client.election("jobs");

            LeaderLatch latch = jobs.latch("10.0.0.7:8080");
            poll(latch, logged::add);
            while (queued.isEmpty() && !latch.await(Duration.ofMillis(10))) {
                poll(latch, logged::add);
            }
            latch.leadership().ifPresent(Leadership::close);
            latch.close();

            assertThat(logged.take()).startsWith("not queueing: ");
            assertThat(queued.take().value()).isPositive();
            assertThat(latch.isLeader()).isFalse();
        }
    }

    private void poll(LeaderLatch latch, Consumer<String> log) {
        Optional<Leadership> leadership = latch.leadership();
        if (leadership.isPresent()) {
            queueNewEvents(leadership.get().fencingToken());
        } else {
            log.accept("not queueing: " + latch.status().reason());
        }
    }

    @Test
    void workRunsAtIntervalsWhileLeadingAndItsProcessIsToldSo(@TempDir Path folder) throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect("sqlite:" + folder.resolve("mandate.db"))) {
            Election jobs = client.election("jobs");
            Consumer<String> log = logged::add;

            Candidacy candidacy = jobs.runEvery("10.0.0.7:8080", Duration.ofMillis(100), leadership -> {
                leadership.ensureValid();
                queueNewEvents(leadership.fencingToken());
            });
            candidacy.onChange(now -> log.accept(now.isLeader() ? "won" : "lost, or not yet won"));

            awaitTold("won");
            for (int i = 0; i < 3; i++) {
                assertThat(queued.poll(SECONDS_MAX, TimeUnit.SECONDS)).isNotNull();
            }
            client.close(Duration.ofSeconds(20));

            awaitTold("lost, or not yet won");
            queued.clear();
            assertThat(candidacy.await(Duration.ZERO)).isTrue();
        }
        assertThat(queued).isEmpty();
    }

    @Test
    void workIsStartedAndStoppedWithTheLead(@TempDir Path folder) throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect("sqlite:" + folder.resolve("mandate.db"))) {
            Election jobs = client.election("jobs");

            Candidacy candidacy = jobs.runWhileLeader("10.0.0.7:8080", leadership -> {
                while (true) {
                    leadership.ensureValid();
                    queueNewEvents(leadership.fencingToken());
                    Thread.sleep(100);
                }
            });

            assertThat(queued.poll(SECONDS_MAX, TimeUnit.SECONDS)).isNotNull();
            candidacy.close();
            queued.clear();
            assertThat(candidacy.await(Duration.ZERO)).isTrue();
        }
        assertThat(queued).isEmpty();
    }

    @Test
    void anObserverIsToldWhoLeadsAndThatNobodyDoes(@TempDir Path folder) throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect("sqlite:" + folder.resolve("mandate.db"))) {
            Election jobs = client.election("jobs");
            Consumer<String> route = logged::add;

            Observing observing = jobs.observe(view -> {
                if (view instanceof LeaderView.Led led) {
                    route.accept(led.current().value());
                } else {
                    route.accept(view instanceof LeaderView.Vacant ? "nobody leads" : "not known");
                }
            });
            awaitTold("nobody leads");
            try (LeaderLatch latch = jobs.latch("10.0.0.7:8080")) {
                awaitTold("10.0.0.7:8080");
            }
            awaitTold("nobody leads");
            observing.close();
        }
    }

    private void awaitTold(String expected) throws InterruptedException {
        String told;
        do {
            told = logged.poll(SECONDS_MAX, TimeUnit.SECONDS);
            assertThat(told).as("awaiting " + expected).isNotNull();
        } while (!told.equals(expected));
    }
}
