package dev.mandate.internal.memory;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Hint;
import dev.mandate.spi.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Carries requests to a {@link MemoryServer}, and answers and hints back; injects faults. Thread-safe. */
public final class MemoryNetwork {
    /** How many requests may be under way or frozen; more fail at once. */
    static final int PENDING_MAX = 10_000;

    /** One operation on the data; {@code wallMillis} is the server's wall clock. */
    interface Operation<T> {
        T run(ModelStore store, long nowNanos, long wallMillis);
    }

    /** Where requests arrive. */
    interface Destination {
        /** Runs an operation and tells watchers what it changed. */
        <T> T run(Operation<T> operation);
    }

    private final Destination server;
    private final ScheduledExecutorService thread;
    private final List<MemorySubscription> subscriptions = new CopyOnWriteArrayList<>();

    /** Guards everything below. Nothing foreign runs under it. */
    private final Object lock = new Object();

    private final Map<String, Faults> byLabel = new HashMap<>();
    private final List<Frozen> frozen = new ArrayList<>();
    private Faults everybodys = new Faults();
    private int pending;
    private long requests;

    /** A request that waits for its label to be healed. */
    private record Frozen(String label, Runnable arrival) {}

    MemoryNetwork(Destination server, ScheduledExecutorService thread) {
        this.server = server;
        this.thread = thread;
    }

    /**
     * Sends a request. The answer fails if it has not come by the call's deadline; the request may still arrive.
     *
     * @param refusal the answer to a refused write; null if this is no write
     */
    <T> CompletableFuture<T> send(MemorySettings from, CallContext call, Operation<T> operation, @Nullable T refusal) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable arrival = () -> arrive(from.label(), operation, refusal, answer);
        Duration delay = Duration.ZERO;
        boolean isUnderWay = true;
        synchronized (lock) {
            requests++;
            RuntimeException failure = failure(from.label());
            if (failure != null) {
                return CompletableFuture.failedFuture(failure);
            }
            pending++;
            for (Faults faults : of(from.label())) {
                delay = delay.compareTo(faults.delay) >= 0 ? delay : faults.delay;
            }
            if (is(from.label(), f -> f.isCutOff)) {
                isUnderWay = false;
            } else if (is(from.label(), f -> f.isFrozen)) {
                isUnderWay = false;
                frozen.add(new Frozen(from.label(), arrival));
            }
        }
        if (isUnderWay && from.answersAtOnce() && delay.isZero()) {
            arrival.run();
        } else if (isUnderWay) {
            Future<?> unused = thread.schedule(arrival, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
        @Nullable Future<?> end = answer.isDone() ? null : giveUpAtDeadline(answer, call);
        return answer.whenComplete((result, failure) -> {
            if (end != null) {
                end.cancel(false);
            }
            answered();
        });
    }

    private void answered() {
        synchronized (lock) {
            pending--;
        }
    }

    private Future<?> giveUpAtDeadline(CompletableFuture<?> answer, CallContext call) {
        return thread.schedule(
                () -> answer.completeExceptionally(new StoreUnavailableException(
                        "no answer from " + server + " in time; the request may still take effect")),
                call.remaining().toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** Why a request fails before it is sent, or null. */
    private @Nullable RuntimeException failure(String label) {
        for (Faults faults : of(label)) {
            if (faults.permanent != null) {
                return new StoreSetupException(faults.permanent);
            }
            if (faults.isFailing) {
                return new StoreUnavailableException(server + " can't be reached");
            }
        }
        return pending + frozen.size() >= PENDING_MAX
                ? new StoreUnavailableException(
                        server + " has " + PENDING_MAX + " requests pending, which is the limit")
                : null;
    }

    private <T> void arrive(String label, Operation<T> operation, @Nullable T refusal, CompletableFuture<T> answer) {
        boolean isRefused;
        synchronized (lock) {
            isRefused = refusal != null && is(label, Faults::refusesWrite);
        }
        T result = refusal != null && isRefused ? refusal : server.run(operation);
        boolean isLost;
        synchronized (lock) {
            isLost = is(label, f -> f.isCutOff || f.losesAnswer());
        }
        if (!isLost) {
            answer.complete(result);
        }
    }

    /** Sends changes to watchers, on the server's thread. */
    void tell(List<Observation> news) {
        for (Observation seen : news) {
            for (MemorySubscription subscription : subscriptions) {
                boolean isDeaf;
                synchronized (lock) {
                    isDeaf = is(subscription.label(), f -> f.isSilent() || f.isDroppingHints);
                }
                if (!isDeaf && seen.key().isBelow(subscription.prefix())) {
                    thread.execute(() -> subscription.deliver(new Hint.Seen(seen)));
                }
            }
        }
    }

    void add(MemorySubscription subscription) {
        subscriptions.add(subscription);
    }

    void remove(MemorySubscription subscription) {
        subscriptions.remove(subscription);
    }

    /** How many requests were sent so far, whatever became of them. */
    public long requests() {
        synchronized (lock) {
            return requests;
        }
    }

    /** Changes the faults of one label or, if that is empty, of all connections. */
    public void change(String label, Consumer<Faults> change) {
        synchronized (lock) {
            change.accept(label.isEmpty() ? everybodys : byLabel.computeIfAbsent(label, l -> new Faults()));
        }
    }

    /**
     * Removes the faults of one label or, if that is empty, all faults. Frozen requests take effect now, and watchers
     * that heard nothing are told of a gap.
     */
    public void heal(String label) {
        List<MemorySubscription> deaf = new ArrayList<>();
        List<Frozen> thawed = new ArrayList<>();
        synchronized (lock) {
            subscriptions.stream().filter(s -> is(s.label(), Faults::isSilent)).forEach(deaf::add);
            if (label.isEmpty()) {
                byLabel.clear();
                everybodys = new Faults();
            } else {
                byLabel.remove(label);
            }
            deaf.removeIf(s -> is(s.label(), Faults::isSilent));
            frozen.removeIf(f -> !is(f.label, faults -> faults.isFrozen) && thawed.add(f));
        }
        thawed.forEach(f -> thread.execute(f.arrival));
        deaf.forEach(s -> thread.execute(() -> s.deliver(Hint.Gap.INSTANCE)));
    }

    private List<Faults> of(String label) {
        Faults labelled = byLabel.get(label);
        return labelled == null ? List.of(everybodys) : List.of(everybodys, labelled);
    }

    private boolean is(String label, Predicate<Faults> what) {
        return of(label).stream().anyMatch(what);
    }
}
