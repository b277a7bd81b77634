package dev.mandate.micrometer;

import dev.mandate.CallOutcome;
import dev.mandate.CallStatistics;
import dev.mandate.ClientStatistics;
import dev.mandate.ElectionClient;
import dev.mandate.EndReason;
import dev.mandate.spi.Verb;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

/** The meters of a client in one registry. Any thread. */
final class BoundMeters {
    private static final System.Logger LOGGER = System.getLogger("dev.mandate.micrometer");
    private static final int CLOSE_SECONDS = 1;
    private static final Set<Verb> ASKS = Set.of(Verb.READ, Verb.LIST, Verb.SESSION);

    private final MeterRegistry registry;
    private final Figures figures;
    private final Tags tags;
    private final Queue<Meter> common = new ConcurrentLinkedQueue<>();
    private final ElectionMeters elections;
    /** Held by the thread that registers or removes meters. */
    private final ReentrantLock changing = new ReentrantLock();

    private volatile boolean isClosed;
    /** The number of the newest snapshot whose elections are registered. */
    private volatile long seen;

    /** Written under the lock. */
    private boolean hasWarned;

    BoundMeters(MeterRegistry registry, Figures figures, Tags tags) {
        this.registry = registry;
        this.figures = figures;
        this.tags = tags;
        this.elections = new ElectionMeters(registry, figures.client(), tags, this::now);
    }

    /** The newest snapshot. If nobody has seen it yet, its elections are registered, too. */
    private Figures.Snapshot now() {
        Figures.Snapshot now = figures.now();
        // A registry may read meters while others are registered: by another thread, or by a caller of this.
        if (now.number() > seen && !changing.isHeldByCurrentThread() && changing.tryLock()) {
            try {
                follow(now);
            } finally {
                unlock();
            }
        }
        return now;
    }

    private void follow(Figures.Snapshot now) {
        if (isClosed || now.number() <= seen) {
            return;
        }
        seen = now.number();
        try {
            elections.follow(now);
        } catch (RuntimeException e) {
            // Whoever reads a meter can't help that another one is refused.
            if (!hasWarned) {
                hasWarned = true;
                LOGGER.log(Level.WARNING, "meters of an election could not be registered or removed", e);
            }
        }
    }

    private void unlock() {
        try {
            if (isClosed && changing.getHoldCount() == 1) {
                remove();
            }
        } finally {
            changing.unlock();
        }
    }

    /** Removes the meters, at the latest when a thread that changes them is done. */
    void close() {
        isClosed = true;
        if (!changing.isHeldByCurrentThread() && isLocked()) {
            unlock();
        }
    }

    /** Not for ever: the caller may hold a lock of the registry that the other thread waits for. */
    private boolean isLocked() {
        try {
            return changing.tryLock(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return changing.tryLock();
        }
    }

    private void remove() {
        RuntimeException first = null;
        for (Meter meter = common.poll(); meter != null; meter = common.poll()) {
            first = ElectionMeters.remove(registry, meter, first);
        }
        first = elections.close(first);
        if (first != null) {
            throw first;
        }
    }

    // ---- what every client has ----

    void register() {
        changing.lock();
        try {
            for (Verb verb : Verb.values()) {
                if (verb != Verb.WATCH) {
                    calls(verb);
                }
            }
            for (EndReason reason : EndReason.values()) {
                counter(
                        "mandate.terms.ended",
                        "Terms that ended, by reason.",
                        Tags.of("reason", lower(reason)),
                        all -> all.termsEnded().get(reason));
            }
            counter("mandate.terms.begun", "Terms that began.", Tags.empty(), ClientStatistics::termsBegun);
            counter(
                    "mandate.overruns",
                    "Terms whose work outlived drainTimeout.",
                    Tags.empty(),
                    ClientStatistics::overruns);
            counter("mandate.sessions.opened", "Sessions opened.", Tags.empty(), ClientStatistics::sessionsOpened);
            counter(
                    "mandate.sessions.lost",
                    "Sessions that ended before the client was closed.",
                    Tags.empty(),
                    ClientStatistics::sessionsLost);
            counter(
                    "mandate.watch.gaps",
                    "How often a watch may have missed something.",
                    Tags.empty(),
                    ClientStatistics::watchGaps);
            counter(
                    "mandate.watch.reopenings",
                    "How often a broken watch was opened again.",
                    Tags.empty(),
                    ClientStatistics::watchReopenings);
            gauges();
        } finally {
            unlock();
        }
        now();
    }

    private void calls(Verb verb) {
        counter(
                "mandate.store.calls.sent",
                "Calls to the store, answered or not.",
                Tags.of("verb", lower(verb)),
                all -> of(verb, all).sent());
        for (CallOutcome outcome : CallOutcome.values()) {
            if (isPossible(verb, outcome)) {
                common.add(FunctionTimer.builder(
                                "mandate.store.calls",
                                figures.client(),
                                client -> of(verb, now().all()).count(outcome),
                                client -> of(verb, now().all()).time(outcome).toNanos(),
                                TimeUnit.NANOSECONDS)
                        .description("Calls to the store that ended, and how long they took.")
                        .tags(tags.and("verb", lower(verb), "outcome", lower(outcome)))
                        .register(registry));
            }
        }
    }

    private static CallStatistics of(Verb verb, ClientStatistics all) {
        return Objects.requireNonNull(all.calls().get(verb));
    }

    private static boolean isPossible(Verb verb, CallOutcome outcome) {
        return switch (outcome) {
            case ANSWERED -> ASKS.contains(verb);
            case WRITTEN -> !ASKS.contains(verb);
            case REFUSED -> !ASKS.contains(verb) || verb == Verb.SESSION;
            case UNKNOWN, FAULTED -> true;
        };
    }

    private void counter(String name, String description, Tags own, ToLongFunction<ClientStatistics> count) {
        common.add(FunctionCounter.builder(name, figures.client(), client -> count.applyAsLong(now().all()))
                .description(description)
                .tags(tags.and(own))
                .register(registry));
    }

    private void gauges() {
        ElectionClient client = figures.client();
        common.add(Gauge.builder(
                        "mandate.elections",
                        client,
                        c -> now().all().elections().size())
                .description("Elections that the client campaigns in.")
                .tags(tags)
                .register(registry));
        common.add(TimeGauge.builder(
                        "mandate.renewal.age.oldest",
                        client,
                        TimeUnit.NANOSECONDS,
                        c -> ElectionMeters.nanos(now().all().oldestRenewalAge()))
                .description("The greatest age of a confirmed renewal; NaN if the client leads nowhere.")
                .tags(tags)
                .register(registry));
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
