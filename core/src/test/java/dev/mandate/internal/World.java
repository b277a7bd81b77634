package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Election;
import dev.mandate.Leadership;
import dev.mandate.engine.Entropy;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.StoreTraits;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** A virtual machine, a store on it, and clients; L = 10 s unless set otherwise. */
final class World {
    static final Duration LEASE = Duration.ofSeconds(10);

    final VirtualHost host = new VirtualHost();
    final VirtualStore store;
    final Map<Setting, Object> settings = new EnumMap<>(Setting.class);
    final List<String> log = new ArrayList<>();
    /** Called with every line, before it is kept. */
    Runnable onLog = () -> {};
    /** Called when the logger is asked whether it wants a line. */
    Runnable onIsLoggable = () -> {};

    /** Called whenever a client's machine draws by chance: in the midst of a step. */
    Runnable onEntropy = () -> {};

    Executor executor;
    private long seed = 1;

    World(StoreTraits traits) {
        this.store = VirtualStore.of(host, traits);
        settings.put(Setting.LEASE, LEASE);
        settings.put(Setting.CONNECT_TIMEOUT, Duration.ZERO);
    }

    /** That many times the clocks can't be read in methods of the class {@code of}; returns how often still. */
    AtomicInteger failToReadTheClock(String of, int times) {
        AtomicInteger left = new AtomicInteger(times);
        host.onRead = () -> {
            boolean isThere = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getClassName().endsWith("." + of)));
            if (isThere && left.get() > 0) {
                left.decrementAndGet();
                throw new IllegalStateException("simulated: the clock failed");
            }
        };
        return left;
    }

    static World withSessions() {
        return new World(VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.SESSION));
    }

    static World withRecords() {
        return new World(VirtualStore.traits(Expiry.STORE_REMOVES, LeaseScope.RECORD));
    }

    static World judged() {
        return new World(VirtualStore.traits(Expiry.OBSERVER_JUDGES, LeaseScope.SESSION));
    }

    World set(Setting setting, Object value) {
        settings.put(setting, value);
        return this;
    }

    Client client(String candidate) {
        return client(candidate, store);
    }

    Client client(String candidate, ElectionStore connection) {
        Map<Setting, Object> own = new EnumMap<>(settings);
        own.put(Setting.CANDIDATE, candidate);
        SplittableRandom random = new SplittableRandom(seed++);
        Entropy entropy = () -> {
            onEntropy.run();
            return random.nextLong();
        };
        return new Client(
                        host,
                        ClientSettings.of(own),
                        connection,
                        "virtual:" + candidate,
                        executor,
                        entropy,
                        new ListLogger())
                .start();
    }

    /** Campaigns, and lets time pass until it is won. */
    Leadership win(Election election) {
        return win(election, "at " + election.name());
    }

    Leadership win(Election election, String value) {
        CompletableFuture<Leadership> won = election.campaignAsync(value).toCompletableFuture();
        passUntil(won::isDone);
        return won.join();
    }

    /** Lets at most a minute of virtual time pass. */
    void passUntil(BooleanSupplier condition) {
        passUntil(condition, Duration.ofMinutes(1));
    }

    void passUntil(BooleanSupplier condition, Duration atMost) {
        long until = host.nanos() + atMost.toNanos();
        host.settle();
        while (!condition.getAsBoolean()) {
            assertThat(host.nanos())
                    .as("virtual time, waiting for " + condition)
                    .isLessThan(until);
            host.advance(Duration.ofMillis(1));
        }
    }

    void pass(Duration howLong) {
        host.advance(howLong);
    }

    /** Waits, in real time, for what real threads do, while virtual time stands still. */
    void await(BooleanSupplier condition) {
        long until = System.nanoTime() + 30_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("real time, waiting for " + condition)
                    .isLessThan(until);
            host.settle();
            Thread.onSpinWait();
        }
    }

    /** Virtual time, with room for real threads to do what they do at each instant. */
    void passUntilReally(BooleanSupplier condition) {
        long realUntil = System.nanoTime() + 60_000_000_000L;
        host.settle();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("real time, waiting for a condition")
                    .isLessThan(realUntil);
            pass(Duration.ofMillis(1));
            Thread.yield();
        }
    }

    boolean isVacant(String election) {
        return store.shown(election) instanceof Observation.Vacant;
    }

    List<String> logged(Predicate<String> which) {
        synchronized (log) {
            return log.stream().filter(which).toList();
        }
    }

    private final class ListLogger implements System.Logger {
        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            onIsLoggable.run();
            return level.getSeverity() >= Level.INFO.getSeverity();
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            onLog.run();
            synchronized (log) {
                log.add(level + " " + message + (thrown == null ? "" : " | " + thrown));
            }
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            log(level, bundle, format, (Throwable) null);
        }
    }
}
