package dev.mandate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.CallOutcome;
import dev.mandate.Candidacy;
import dev.mandate.EndReason;
import dev.mandate.spi.Verb;
import dev.mandate.test.TestElectionClient;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the meters show of a client, and which there are. */
class MandateMetricsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final TestElectionClient client = new TestElectionClient();
    private final MandateMetrics metrics = new MandateMetrics(client, Tags.empty(), nanos::get);
    private final MeterRegistry registry = new SimpleMeterRegistry();

    @AfterEach
    void close() {
        client.close();
    }

    /** The next reading takes another snapshot. */
    private void later() {
        nanos.addAndGet(Figures.FRESH_NANOS);
    }

    private void scrape() {
        later();
        registry.getMeters().forEach(meter -> meter.measure().forEach(measurement -> measurement.getValue()));
    }

    private double gauge(String name, String election) {
        return registry.get(name).tag("election", election).gauge().value();
    }

    private double counter(String name, String... tags) {
        return registry.get(name).tags(tags).functionCounter().count();
    }

    private List<String> elections() {
        return registry.find("mandate.leading").meters().stream()
                .map(meter -> meter.getId().getTag("election"))
                .sorted()
                .toList();
    }

    private Candidacy stand(String election) {
        return client.election(election)
                .runWhileLeader(
                        "here", won -> won.stopRequested().toCompletableFuture().get());
    }

    @Test
    void anElectionShowsWhetherTheClientLeadsAndItsTerm() {
        stand("invoices");
        metrics.bindTo(registry);
        assertThat(gauge("mandate.leading", "invoices")).isZero();
        assertThat(gauge("mandate.term", "invoices")).isNaN();
        assertThat(gauge("mandate.renewal.age", "invoices")).isNaN();

        client.election("invoices").elect(42);
        later();
        assertThat(gauge("mandate.leading", "invoices")).isEqualTo(1);
        assertThat(gauge("mandate.term", "invoices")).isEqualTo(42);
        double age = gauge("mandate.renewal.age", "invoices");

        client.cutStore();
        client.advance(Duration.ofSeconds(2));
        later();
        assertThat(gauge("mandate.renewal.age", "invoices")).isBetween(1.9, age + 2);
        assertThat(registry.get("mandate.renewal.age.oldest").gauge().value())
                .isEqualTo(gauge("mandate.renewal.age", "invoices"));

        client.advance(Duration.ofSeconds(10));
        later();
        assertThat(gauge("mandate.leading", "invoices")).isZero();
        assertThat(registry.get("mandate.renewal.age.oldest").gauge().value()).isNaN();
        assertThat(counter("mandate.terms.ended", "reason", "lease_ran_out")).isEqualTo(1);
        assertThat(counter("mandate.sessions.lost")).isEqualTo(1);
    }

    @Test
    void theCountersAreThoseOfTheClient() {
        metrics.bindTo(registry);
        stand("invoices");
        client.election("invoices").elect(42);
        client.advance(Duration.ofMinutes(1));
        client.election("invoices").lose(EndReason.EVICTED);
        later();

        assertThat(counter("mandate.terms.begun"))
                .isEqualTo(client.statistics().termsBegun())
                .isEqualTo(1);
        assertThat(counter("mandate.terms.ended", "reason", "evicted")).isEqualTo(1);
        assertThat(counter("mandate.sessions.opened")).isEqualTo(1);
        for (Verb verb : client.statistics().calls().keySet()) {
            String name = verb.name().toLowerCase(java.util.Locale.ROOT);
            assertThat(counter("mandate.store.calls.sent", "verb", name))
                    .isEqualTo(client.statistics().calls().get(verb).sent());
        }
        FunctionTimer sessions = registry.get("mandate.store.calls")
                .tags("verb", "session", "outcome", "answered")
                .functionTimer();
        var counted = client.statistics().calls().get(Verb.SESSION);
        assertThat(sessions.count())
                .isEqualTo(counted.count(CallOutcome.ANSWERED))
                .isGreaterThan(10);
        assertThat(sessions.totalTime(TimeUnit.NANOSECONDS))
                .isEqualTo(counted.time(CallOutcome.ANSWERED).toNanos());
    }

    /** No outcome of the client is without a meter. */
    @Test
    void everyCallThatEndsIsInOneTimer() {
        metrics.bindTo(registry);
        stand("invoices");
        client.election("invoices").elect(42);
        client.advance(Duration.ofMinutes(1));
        client.cutStore();
        client.advance(Duration.ofMinutes(1));
        client.healStore();
        client.advance(Duration.ofMinutes(1));
        later();

        double timed = registry.find("mandate.store.calls").functionTimers().stream()
                .mapToDouble(FunctionTimer::count)
                .sum();
        long ended = client.statistics().calls().values().stream()
                .mapToLong(calls -> List.of(CallOutcome.values()).stream()
                        .mapToLong(calls::count)
                        .sum())
                .sum();

        assertThat(timed).isEqualTo(ended).isGreaterThan(40);
    }

    @Test
    void anElectionThatComesLaterAppearsAndOneThatIsOverDisappears() throws Exception {
        metrics.bindTo(registry);
        assertThat(elections()).isEmpty();
        Candidacy candidacy = stand("invoices");
        client.election("observed").observe(view -> {});

        scrape();
        assertThat(elections()).containsExactly("invoices");

        candidacy.close();
        assertThat(candidacy.await(Duration.ofMinutes(1))).isTrue();
        scrape();
        assertThat(elections()).isEmpty();
        assertThat(registry.find("mandate.term").meters()).isEmpty();
        assertThat(registry.find("mandate.renewal.age").meters()).isEmpty();
    }

    @Test
    void electionsBeyondTheLimitShareOneTag() throws Exception {
        List<Candidacy> candidacies = new ArrayList<>();
        for (int i = 0; i < MandateMetrics.ELECTIONS_MAX + 2; i++) {
            candidacies.add(stand(String.format("e%03d", i)));
        }
        metrics.bindTo(registry);
        assertThat(elections())
                .hasSize(MandateMetrics.ELECTIONS_MAX + 1)
                .contains("e000", "e099", "other")
                .doesNotContain("e100", "e101");
        assertThat(registry.get("mandate.elections").gauge().value()).isEqualTo(MandateMetrics.ELECTIONS_MAX + 2);
        assertThat(gauge("mandate.leading", "other")).isZero();
        assertThat(gauge("mandate.renewal.age", "other")).isNaN();
        assertThat(registry.find("mandate.term").tag("election", "other").meters())
                .isEmpty();

        client.election("e100").elect(1);
        client.election("e101").elect(2);
        later();
        assertThat(gauge("mandate.leading", "other")).isEqualTo(2);
        assertThat(gauge("mandate.renewal.age", "other")).isNotNaN();

        // The others take the places of those that are over.
        for (int i = 0; i < 2; i++) {
            candidacies.get(i).close();
            assertThat(candidacies.get(i).await(Duration.ofMinutes(1))).isTrue();
        }
        scrape();
        assertThat(elections())
                .hasSize(MandateMetrics.ELECTIONS_MAX)
                .contains("e100", "e101")
                .doesNotContain("other");
        assertThat(gauge("mandate.leading", "e101")).isEqualTo(1);
    }

    @Test
    void anElectionCalledOtherIsOneOfTheOthers() {
        stand("other");
        client.election("other").elect(7);
        metrics.bindTo(registry);

        assertThat(elections()).containsExactly("other");
        assertThat(gauge("mandate.leading", "other")).isEqualTo(1);
        assertThat(registry.find("mandate.term").meters()).isEmpty();
    }

    @Test
    void closingRemovesTheMetersFromEveryRegistry() {
        MeterRegistry second = new SimpleMeterRegistry();
        second.counter("of.the.program");
        stand("invoices");
        metrics.bindTo(registry);
        metrics.bindTo(second);
        assertThat(second.find("mandate.leading").meters()).hasSize(1);

        metrics.close();
        metrics.close();

        assertThat(registry.getMeters()).isEmpty();
        assertThat(second.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactly("of.the.program");
        assertThatThrownBy(() -> metrics.bindTo(registry))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void theCountersOfAClosedClientStay() {
        metrics.bindTo(registry);
        stand("invoices");
        client.election("invoices").elect(42);
        client.close();
        scrape();

        assertThat(counter("mandate.terms.begun")).isEqualTo(1);
        assertThat(elections()).isEmpty();
    }

    @Test
    void readingsWithinATenthOfASecondShareASnapshot() {
        metrics.bindTo(registry);
        stand("invoices");
        client.election("invoices").elect(42);
        assertThat(counter("mandate.terms.begun")).isZero();

        later();
        assertThat(counter("mandate.terms.begun")).isEqualTo(1);
    }

    /** Meters are registered while a real registry is being scraped. */
    @Test
    void aLaterElectionIsInTheSecondScrapeOfPrometheus() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        CompositeMeterRegistry composite = new CompositeMeterRegistry();
        composite.add(prometheus);
        metrics.bindTo(composite);
        stand("invoices");
        client.election("invoices").elect(42);

        later();
        assertThat(prometheus.scrape()).contains("mandate_terms_begun_total 1.0");
        later();
        assertThat(prometheus.scrape())
                .contains("mandate_leading{election=\"invoices\"} 1.0")
                .contains("mandate_term{election=\"invoices\"} 42.0");

        metrics.close();
        assertThat(prometheus.scrape()).doesNotContain("mandate_");
    }

    @Test
    void everyMeterHasTheGivenTags() {
        new MandateMetrics(client, Tags.of("client", "billing")).bindTo(registry);

        assertThat(registry.getMeters())
                .isNotEmpty()
                .allMatch((Meter meter) -> "billing".equals(meter.getId().getTag("client")));
    }

    /** As a filter of the program's may do. Whoever reads other meters must not suffer. */
    @Test
    void anElectionWhoseMetersAreRefusedHarmsNoReading() {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public MeterFilterReply accept(Meter.Id id) {
                if (id.getName().equals("mandate.term")) {
                    throw new IllegalStateException("no such meters here");
                }
                return MeterFilterReply.NEUTRAL;
            }
        });
        metrics.bindTo(registry);
        stand("invoices");
        client.election("invoices").elect(42);

        later();
        assertThat(counter("mandate.terms.begun")).isEqualTo(1);

        assertThat(registry.find("mandate.leading").meters()).isEmpty();
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    /** The next client gets meters of its own, even if the former's were being changed when they were closed. */
    @Test
    void closingWaitsForAThreadThatRegistersMeters() throws Exception {
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        metrics.bindTo(registry);
        registry.config().onMeterAdded(meter -> {
            isInside.countDown();
            try {
                mayGoOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        stand("invoices");
        later();
        CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> counter("mandate.terms.begun"));
        isInside.await();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(metrics::close);
        assertThat(closing).isNotDone();

        mayGoOn.countDown();
        closing.get();
        reading.get();

        assertThat(registry.getMeters()).isEmpty();
        new MandateMetrics(client).bindTo(registry);
        assertThat(elections()).containsExactly("invoices");
    }
}
