package dev.mandate.micrometer;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionStatistics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
                register(name, List.of(() -> leading(name), () -> term(name), () -> age(name)));
                known++;
            }
        }
        boolean hasOthers = others(now).findAny().isPresent();
        if (!hasOthers) {
            remove(MandateMetrics.OTHER);
        } else if (!meters.containsKey(MandateMetrics.OTHER)) {
            register(MandateMetrics.OTHER, List.of(this::othersLeading, this::othersAge));
        }
    }

    private void register(String name, List<Supplier<Meter>> wanted) {
        List<Meter> registered = new ArrayList<>(wanted.size());
        meters.put(name, registered);
        try {
            wanted.forEach(each -> registered.add(each.get()));
        } catch (RuntimeException e) {
            // All or none.
            remove(name, e);
            throw e;
        }
    }

    /** Removes all; returns {@code first}, or what failed first. */
    @Nullable
    RuntimeException close(@Nullable RuntimeException first) {
        RuntimeException failed = first;
        for (String name : List.copyOf(meters.keySet())) {
            failed = remove(name, failed);
        }
        return failed;
    }

    private void remove(String name) {
        RuntimeException failed = remove(name, null);
        if (failed != null) {
            throw failed;
        }
    }

    private @Nullable RuntimeException remove(String name, @Nullable RuntimeException first) {
        List<Meter> gone = meters.remove(name);
        RuntimeException failed = first;
        for (Meter meter : gone == null ? List.<Meter>of() : gone) {
            failed = remove(registry, meter, failed);
        }
        return failed;
    }

    /** Removes one; a listener of the registry that throws keeps no other from being removed. */
    static @Nullable RuntimeException remove(MeterRegistry registry, Meter meter, @Nullable RuntimeException first) {
        try {
            registry.remove(meter);
            return first;
        } catch (RuntimeException e) {
            return first == null ? e : first;
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
