package dev.mandate.internal;

import dev.mandate.registry.ServiceInstance;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** An instance's newest state, which version of it the store has, and the callers that wait for that. Any thread. */
final class NewestState {
    /** A state as it is written; numbers rise from 1. */
    record Version(ServiceInstance instance, String value, long number) {
        private Version with(ServiceInstance next) {
            return new Version(next, Instances.value(next), number + 1);
        }
    }

    /** A caller that waits until the store has version {@code number}, or a later one. */
    record Waiter(long number, CompletableFuture<Boolean> done) {}

    private final AtomicReference<Version> newest;
    private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet();
    private volatile long confirmed;

    NewestState(ServiceInstance instance) {
        newest = new AtomicReference<>(new Version(instance, Instances.value(instance), 1));
    }

    Version newest() {
        return Objects.requireNonNull(newest.get(), "newest");
    }

    /**
     * Replaces the newest state. Foreign code runs in {@code change}, so no lock is held.
     *
     * @return whether that changed anything
     */
    boolean replace(UnaryOperator<ServiceInstance> change, BooleanSupplier isClosed) {
        while (!isClosed.getAsBoolean()) {
            Version before = newest();
            ServiceInstance after = change.apply(before.instance());
            if (after.equals(before.instance())) {
                return false;
            }
            if (newest.compareAndSet(before, before.with(after))) {
                return true;
            }
        }
        return false;
    }

    // ---- what the store has ----

    /** The store has this value; perhaps an older one. */
    void stored(String value) {
        Version wanted = newest();
        confirmed = value.equals(wanted.value()) ? wanted.number() : 0;
    }

    /** The store has this version, or a later one. On the loop alone. */
    void confirmed(long number) {
        confirmed = Math.max(number, confirmed);
    }

    boolean isConfirmed(long number) {
        return confirmed >= number;
    }

    // ---- waiting for that ----

    /** Waits for what is newest now; to be removed afterwards. */
    Waiter await() {
        Waiter waiter = new Waiter(newest().number(), new CompletableFuture<>());
        waiting.add(waiter);
        return waiter;
    }

    void remove(Waiter waiter) {
        waiting.remove(waiter);
    }

    /** Completes waiters: with true if the store has their version, else with false once this is closed. */
    void tell(boolean isRegistered, boolean isClosed) {
        for (Waiter waiter : waiting) {
            if (isRegistered && isConfirmed(waiter.number())) {
                waiter.done().complete(true);
            } else if (isClosed) {
                waiter.done().complete(false);
            }
        }
    }
}
