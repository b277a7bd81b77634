package dev.mandate.micrometer;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionStatistics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The meters of the elections that a client campaigns in. They are read on any thread, and changed by one thread at a
 * time.
 */
final class ElectionMeters {
    private static final String LEADING = "mandate.leading";
    private static final String TERM = "mandate.term";
    private static final String AGE = "mandate.renewal.age";

    private final MeterRegistry registry;
    private final ElectionClient client;
    private final Tags tags;
    private final Supplier<Figures.Snapshot> figures;
    /** By election; {@link MandateMetrics#OTHER} for all without meters of their own. */
    private final Map<String, List<Meter>> meters = new ConcurrentHashMap<>();

    ElectionMeters(MeterRegistry registry, ElectionClient client, Tags tags, Supplier<Figures.Snapshot> figures) {
        this.registry = registry;
        this.client = client;
        this.tags = tags;
        this.figures = figures;
    }

    /** Removes the meters of elections that are gone, and registers those of new ones. */
    void follow(Figures.Snapshot now) {
        for (String name : List.copyOf(meters.keySet())) {
            if (!name.equals(MandateMetrics.OTHER) && !now.byName().containsKey(name)) {
                remove(name);
            }
        }
        int known = meters.size() - (meters.containsKey(MandateMetrics.OTHER) ? 1 : 0);
        for (ElectionStatistics each : now.all().elections()) {
            String name = each.election();
            boolean isNew = !name.equals(MandateMetrics.OTHER) && !meters.containsKey(name);
            if (isNew && known < MandateMetrics.ELECTIONS_MAX) {
                meters.put(name, List.of(leading(name), term(name), age(name)));
                known++;
            }
        }
        boolean hasOthers = others(now).findAny().isPresent();
        if (!hasOthers) {
            remove(MandateMetrics.OTHER);
        } else if (!meters.containsKey(MandateMetrics.OTHER)) {
            meters.put(MandateMetrics.OTHER, List.of(othersLeading(), othersAge()));
        }
    }

    void close() {
        List.copyOf(meters.keySet()).forEach(this::remove);
    }

    private void remove(String name) {
        List<Meter> gone = meters.remove(name);
        if (gone != null) {
            gone.forEach(registry::remove);
        }
    }

    private boolean isOther(String name) {
        return name.equals(MandateMetrics.OTHER) || !meters.containsKey(name);
    }

    private Stream<ElectionStatistics> others(Figures.Snapshot now) {
        return now.all().elections().stream().filter(each -> isOther(each.election()));
    }

    // ---- one election ----

    private Optional<ElectionStatistics> election(String name) {
        return Optional.ofNullable(figures.get().byName().get(name));
    }

    private Meter leading(String name) {
        return leading(
                name, c -> election(name).filter(ElectionStatistics::isLeader).isPresent() ? 1 : 0);
    }

    private Meter term(String name) {
        return Gauge.builder(
                        TERM,
                        client,
                        c -> election(name)
                                .flatMap(ElectionStatistics::fencingToken)
                                .map(token -> (double) token.value())
                                .orElse(Double.NaN))
                .description("The fencing token of the client's term; NaN while it does not lead.")
                .tags(tags.and("election", name))
                .register(registry);
    }

    private Meter age(String name) {
        return age(name, c -> nanos(election(name).flatMap(ElectionStatistics::renewalAge)));
    }

    // ---- the others ----

    private Meter othersLeading() {
        return leading(
                MandateMetrics.OTHER,
                c -> others(figures.get()).filter(ElectionStatistics::isLeader).count());
    }

    private Meter othersAge() {
        return age(
                MandateMetrics.OTHER,
                c -> nanos(others(figures.get())
                        .flatMap(each -> each.renewalAge().stream())
                        .max(Duration::compareTo)));
    }

    // ---- both ----

    private Meter leading(String name, ToDoubleFunction<ElectionClient> value) {
        return Gauge.builder(LEADING, client, value)
                .description("1 while the client leads, by the clock, else 0; how many of them for the others.")
                .tags(tags.and("election", name))
                .register(registry);
    }

    private Meter age(String name, ToDoubleFunction<ElectionClient> value) {
        return TimeGauge.builder(AGE, client, TimeUnit.NANOSECONDS, value)
                .description("How long ago the last confirmed renewal was sent; NaN while the client does not lead.")
                .tags(tags.and("election", name))
                .register(registry);
    }

    static double nanos(Optional<Duration> age) {
        return age.map(known -> (double) known.toNanos()).orElse(Double.NaN);
    }
}
