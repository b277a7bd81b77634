package dev.mandate.registry;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Keeps one instance registered until closed. Safe for use from many threads.
 *
 * <p>The instance may change what it publishes at any time. The store gets the newest state and may miss intermediate
 * ones. After an outage, too, it gets the newest state, never an older one.
 */
public interface Registration extends AutoCloseable {
    /** The service's name. */
    String service();

    /** The instance's id. */
    String id();

    /** The newest state: the store has it or will get it. */
    ServiceInstance instance();

    /**
     * Replaces address, metadata and status. Returns at once; {@link #awaitRegistered} waits until the store has it.
     * Does nothing once closed.
     *
     * @param instance its id must be empty or this registration's
     * @throws IllegalArgumentException if the id differs, or the instance takes more than {@value
     *     ServiceInstance#BYTES_MAX} bytes; names the value and the bound
     * @throws IllegalStateException if 262,144 calls of this client are waiting, which is the limit. This
     *     registration keeps the new state even so, but the store gets it only with the next change or when the
     *     instance registers again
     */
    void update(ServiceInstance instance);

    /**
     * Changes the newest state, and keeps concurrent changes by other callers and the health check: {@code
     * registration.update(now -> now.withMetadata("load", "3"))}. Otherwise like {@link #update(ServiceInstance)}.
     *
     * @param change called at once, on the caller's thread, and again after each concurrent change
     * @throws IllegalArgumentException as {@link #update(ServiceInstance)}
     * @throws IllegalStateException as {@link #update(ServiceInstance)}
     */
    void update(UnaryOperator<ServiceInstance> change);

    /**
     * Replaces the status. A health check may change it again, except {@link Status#OUT_OF_SERVICE}: that lasts until
     * the next call of this method or of {@link #update}.
     *
     * @throws IllegalStateException as {@link #update(ServiceInstance)}
     */
    void status(Status status);

    /** Whether the instance is in the store, with the reason. Does not block or ask the store. */
    RegistrationState state();

    /**
     * How many times the instance has been put into the store, updates left out. If this has grown between two looks at
     * {@link #state} that both find it registered, it was lost in between, however shortly. Ask for it after the state:
     * in the other order a first registration looks like a loss. Does not block or ask the store.
     */
    long generation();

    /**
     * Runs {@code check} on the client's executor: at once, then {@code every} after each answer. Two equal answers in
     * a row set the status to {@link Status#UP} or {@link Status#DOWN}, unless it is {@link Status#OUT_OF_SERVICE}. A
     * check that throws, or does not answer within {@code timeout}, has failed. A check that takes too long is
     * interrupted. Until it returns it does not run again, and each {@code every} without an answer counts as a
     * failure. A check that the executor did not start within {@code timeout} never runs. The next one is submitted
     * after {@code every}, and each further delay is twice as long, up to a minute.
     *
     * <p>Register an instance as {@link Status#STARTING} if nobody may call it before its first checks have passed.
     * Replaces an earlier check. Does nothing once closed.
     *
     * @return this registration
     * @throws IllegalArgumentException if a duration is not more than 0
     * @throws IllegalStateException if 262,144 calls of this client are waiting, which is the limit
     */
    Registration healthCheck(BooleanSupplier check, Duration every, Duration timeout);

    /**
     * Waits until the store has confirmed the state that is newest at the time of this call, or a newer one. Blocks.
     *
     * @return whether the store has confirmed it and its lease is not over; false after {@code atMost}, or once closed.
     *     {@link #state()} says why
     */
    boolean awaitRegistered(Duration atMost) throws InterruptedException;

    /**
     * Removes the instance from the store and leaves nothing behind. It never registers again. Waits a few answer
     * time-outs at most. If the store does not answer, retries in the background for some minutes, until this client is
     * closed; meanwhile the lease runs out. Does not wait when called from a listener, task or check of the same
     * client. Idempotent; does not throw.
     *
     * <p>An earlier unanswered request to register may still reach the store after this method returned. The instance
     * is then listed again, until this client sees and removes it. The client may miss it if it was closed meanwhile,
     * or if the request took longer than the retries. Then the instance is listed until its lease is over: where a
     * session keeps the lease, until this client's session ends.
     */
    @Override
    void close();
}
