package dev.mandate.micrometer;

import dev.mandate.ElectionClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/**
 * The meters of one client, all named {@code mandate.…}; {@code docs/metrics.md} lists them. They read {@link
 * ElectionClient#statistics()} whenever a registry asks, at most ten times a second, so an idle registry costs nothing.
 * No thread is started, and no call to the store is made.
 *
 * <p>Elections that the client campaigns in have their own meters, tagged {@code election}: at most {@value
 * #ELECTIONS_MAX}. The others share the tag {@value #OTHER}. When the client comes to campaign in another election, its
 * meters are registered while a registry reads any meter, and appear when it reads them the next time. They are removed
 * in the same way when the candidacy is over; the next election gets their place.
 *
 * <p>Two clients with the same registry need different tags: Micrometer keeps the first of two meters with equal names
 * and tags, and ignores the other one; closing the second one's metrics removes them.
 *
 * <p>Safe for use from many threads.
 */
public final class MandateMetrics implements MeterBinder, AutoCloseable {
    /** How many elections have meters of their own. */
    public static final int ELECTIONS_MAX = 100;

    /** The value of the tag {@code election} for all further elections. An election of this name is one of them. */
    public static final String OTHER = "other";

    private final Figures figures;
    private final Tags tags;
    private final Queue<BoundMeters> bound = new ConcurrentLinkedQueue<>();
    private volatile boolean isClosed;

    /** The meters of {@code client}, without further tags. */
    public MandateMetrics(ElectionClient client) {
        this(client, Tags.empty());
    }

    /**
     * The meters of {@code client}, each with these tags. The keys {@code election}, {@code verb}, {@code outcome} and
     * {@code reason} are taken.
     */
    public MandateMetrics(ElectionClient client, Iterable<Tag> tags) {
        this(client, tags, System::nanoTime);
    }

    MandateMetrics(ElectionClient client, Iterable<Tag> tags, LongSupplier clock) {
        this.figures = new Figures(Objects.requireNonNull(client, "client"), clock);
        this.tags = Tags.of(tags);
    }

    /**
     * Registers the meters. As long as they are registered, the registry refers to the client, even when that is
     * closed; then the counters stay as they are.
     *
     * @throws IllegalStateException if this object is closed
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        BoundMeters meters = new BoundMeters(registry, figures, tags);
        bound.add(meters);
        if (isClosed) {
            close();
            throw new IllegalStateException("these metrics are closed; make new ones for the client");
        }
        try {
            meters.register();
        } catch (RuntimeException e) {
            bound.remove(meters);
            meters.close();
            throw e;
        }
    }

    /**
     * Removes the meters from all registries. Waits up to a second for another thread that registers some now; if that
     * takes longer, that thread removes them. Does not close the client. Idempotent.
     */
    @Override
    public void close() {
        isClosed = true;
        RuntimeException first = null;
        for (BoundMeters meters = bound.poll(); meters != null; meters = bound.poll()) {
            try {
                meters.close();
            } catch (RuntimeException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
