package dev.mandate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.test.TestElectionClient;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/metrics.md} lists what is registered, neither more nor less. */
class MetricsPageTest {
    private static final Pattern METRIC = Pattern.compile("\\bmandate_[a-z_]+");

    private static String page() throws Exception {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("docs/metrics.md"))) {
            root = root.getParent();
        }
        return Files.readString(root.resolve("docs/metrics.md"));
    }

    private static void bind(TestElectionClient client, MeterRegistry registry) {
        client.election("invoices").campaignAsync("here");
        client.election("invoices").elect(42);
        new MandateMetrics(client).bindTo(registry);
    }

    /** As in the table: name, type, tags, unit, meaning. */
    private static List<String> row(Meter meter) {
        Meter.Id id = meter.getId();
        String type = switch (id.getType()) {
            case COUNTER -> "counter";
            case GAUGE -> "gauge";
            case TIMER -> "timer";
            default -> id.getType().toString();
        };
        String unit = id.getType() == Meter.Type.TIMER ? "seconds" : String.valueOf(id.getBaseUnit());
        return List.of(
                "`" + id.getName() + "`",
                type,
                id.getTags().stream().map(Tag::getKey).collect(Collectors.joining(", ")),
                unit.equals("null") ? "" : unit,
                String.valueOf(id.getDescription()));
    }

    @Test
    void thePageListsWhatIsRegistered() throws Exception {
        Map<String, List<String>> documented = page().lines()
                .filter(line -> line.startsWith("| `mandate."))
                .map(line -> Arrays.stream(line.substring(1, line.length() - 1).split("\\|"))
                        .map(String::strip)
                        .toList())
                .collect(Collectors.toMap(cells -> cells.get(0), cells -> cells, (a, b) -> a, TreeMap::new));
        try (TestElectionClient client = new TestElectionClient()) {
            MeterRegistry registry = new SimpleMeterRegistry();
            bind(client, registry);

            Map<String, List<String>> registered = new TreeMap<>();
            for (Meter meter : registry.getMeters()) {
                List<String> row = row(meter);
                assertThat(registered.merge(row.get(0), row, (a, b) -> b)).isEqualTo(row);
            }

            assertThat(registered).isEqualTo(documented);
        }
    }

    @Test
    void everyMetricThatThePageNamesIsInARealScrape() throws Exception {
        Set<String> named = METRIC.matcher(page()).results().map(m -> m.group()).collect(Collectors.toSet());
        try (TestElectionClient client = new TestElectionClient()) {
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            bind(client, registry);

            Set<String> scraped = registry.scrape()
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.replaceAll("[{ ].*", ""))
                    .collect(Collectors.toCollection(TreeSet::new));

            assertThat(named).isNotEmpty().allMatch(scraped::contains, "is scraped");
        }
    }

    @Test
    void twoClientsShareARegistry() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (TestElectionClient billing = new TestElectionClient();
                TestElectionClient reports = new TestElectionClient()) {
            billing.election("invoices").campaignAsync("here");
            billing.election("invoices").elect(1);
            new MandateMetrics(billing, Tags.of("client", "billing")).bindTo(registry);
            new MandateMetrics(reports, Tags.of("client", "reports")).bindTo(registry);

            assertThat(registry.get("mandate.elections")
                            .tag("client", "billing")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            assertThat(registry.get("mandate.elections")
                            .tag("client", "reports")
                            .gauge()
                            .value())
                    .isZero();
        }
    }

    /** The page quotes its line. */
    @Test
    void oneLineBinds() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (TestElectionClient client = new TestElectionClient()) {
            new MandateMetrics(client).bindTo(registry);

            assertThat(registry.getMeters()).isNotEmpty();
        }
    }
}
