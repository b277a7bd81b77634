package dev.mandate.registry;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * One instance that is kept registered until closed. Safe for use from many threads.
 *
 * <p>What it says of itself may change at any time. The store gets the newest state, and may never see those in
 * between; after an outage it gets the newest, and never an older one.
 */
public interface Registration extends AutoCloseable {
    /** The service's name. */
    String service();

    /** The instance's id. */
    String id();

    /** The newest state: what the store has, or is to get. */
    ServiceInstance instance();

    /**
     * Replaces address, metadata and status. Returns at once; {@link #awaitRegistered} waits until the store has it.
     * Does nothing once closed.
     *
     * @param instance its id must be empty or this registration's
     * @throws IllegalArgumentException if the id is another one, or the instance takes more than {@value
     *     ServiceInstance#BYTES_MAX} bytes; names the value and the bound
     * @throws IllegalStateException if this client has 262,144 calls waiting, which is the limit: it does not keep up.
     *     This registration has the new state all the same, but the store gets it only with the next change, or when it
     *     registers again
     */
    void update(ServiceInstance instance);

    /**
     * Replaces what has changed, and keeps what somebody else, or the health check, changes at the same time: {@code
     * registration.update(now -> now.withMetadata("load", "3"))}. As {@link #update(ServiceInstance)} otherwise.
     *
     * @param change called at once, on the caller's thread, and again if something else changed meanwhile
     * @throws IllegalArgumentException as {@link #update(ServiceInstance)}
     * @throws IllegalStateException as {@link #update(ServiceInstance)}
     */
    void update(UnaryOperator<ServiceInstance> change);

    /**
     * Replaces the status. A health check may change it again, unless it is {@link Status#OUT_OF_SERVICE}: that lasts
     * until the next call of this method or of {@link #update}.
     *
     * @throws IllegalStateException as {@link #update(ServiceInstance)}
     */
    void status(Status status);

    /** Whether it is in the store, with the reason beside it. Does not block or ask the store. */
    RegistrationState state();

    /**
     * Runs {@code check} on the client's executor: at once, then {@code every} after each answer. Two equal answers in
     * a row set the status to {@link Status#UP} or {@link Status#DOWN}, unless it is {@link Status#OUT_OF_SERVICE}. A
     * check that throws, or does not answer within {@code timeout}, has failed. One that takes too long is interrupted;
     * until it returns it is not run again, and each {@code every} without an answer counts as a failure. One that the
     * executor did not begin within {@code timeout} is never run; the next one is handed to the executor after {@code
     * every}, and after twice as long for each further one, up to a minute.
     *
     * <p>Register an instance as {@link Status#STARTING} if nobody may call it before its first checks have passed.
     * Replaces an earlier check. Does nothing once closed.
     *
     * @return this registration
     * @throws IllegalArgumentException if a duration is not more than 0
     * @throws IllegalStateException if this client has 262,144 calls waiting, which is the limit
     */
    Registration healthCheck(BooleanSupplier check, Duration every, Duration timeout);

    /**
     * Waits until the store has confirmed the state that is the newest when this is called, or a newer one. Blocks.
     *
     * @return whether it has, and its lease is not over; false after {@code atMost}, or once it is closed.
     *     {@link #state()} says why
     */
    boolean awaitRegistered(Duration atMost) throws InterruptedException;

    /**
     * Removes the instance from the store, and leaves nothing behind. It never registers again. Waits a few answer
     * time-outs at most; if the store does not answer, goes on trying for some minutes in the background, until this
     * client is closed, and the lease runs out meanwhile. Called from a listener, task or check of the same client it
     * does not wait. Idempotent; does not throw.
     *
     * <p>A request to register that was not answered before may still reach the store after this method returned, and
     * the instance is listed then. This client removes it as soon as it sees it. If it never does, because it was
     * closed meanwhile or the request took longer than the tries, the instance is listed until its lease is over; where
     * a session keeps the lease, that is when this client's session ends.
     */
    @Override
    void close();
}
