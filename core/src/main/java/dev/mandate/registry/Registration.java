package dev.mandate.registry;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * One instance that is kept registered until closed. Safe for use from many threads.
 *
 * <p>What it says of itself may change at any time. The store gets the newest state, and may never see those in between; after an outage it gets the
 * newest, and never an older one.
 */
public interface Registration extends AutoCloseable {
    /** The service's name. */
    String service();

    /** The instance's id. */
    String id();

    /** The newest state: what the store has, or is to get. */
    ServiceInstance instance();

    /**
     * Replaces address, metadata and status. Returns at once; {@link #awaitRegistered} waits until the store has it. Does nothing once closed.
     *
     * @param instance its id must be empty or this registration's
     * @throws IllegalArgumentException if the id is another one, or the instance takes more than {@value ServiceInstance#BYTES_MAX} bytes; names the
     *     value and the bound
     */
    void update(ServiceInstance instance);

    /**
     * Replaces what has changed, and keeps what somebody else, or the health check, changes at the same time: {@code registration.update(now ->
     * now.withMetadata("load", "3"))}. As {@link #update(ServiceInstance)} otherwise.
     *
     * @param change called at once, on the caller's thread, and again if something else changed meanwhile
     */
    void update(UnaryOperator<ServiceInstance> change);

    /** Replaces the status, by hand: what {@link Status#OUT_OF_SERVICE} a hand has set, no health check ends. As {@link #update} otherwise. */
    void status(Status status);

    /** Whether it stands in the store, with the reason beside it. Does not block or ask the store. */
    RegistrationState state();

    /**
     * Asks {@code check}, on the client's executor, from {@code every} after each answer, first at once. After two equal answers in a row the status is
     * {@link Status#UP} or {@link Status#DOWN}, unless it is {@link Status#OUT_OF_SERVICE}. A check that throws, or does not answer within
     * {@code timeout}, has said no. One that takes too long is interrupted, and until it has returned it is not asked again: each {@code every} without
     * an answer counts as a no.
     *
     * <p>Register as {@link Status#STARTING} what must not be called before it passed. Replaces an earlier check. Does nothing once closed.
     *
     * @return this registration
     * @throws IllegalArgumentException if a duration is not more than 0
     */
    Registration healthCheck(BooleanSupplier check, Duration every, Duration timeout);

    /**
     * Waits until the store has confirmed the state that is the newest when this is called, or a newer one. Blocks.
     *
     * @return whether it has, and the registration still stands; false after {@code atMost}, or once it is closed. {@link #state()} says why
     */
    boolean awaitRegistered(Duration atMost) throws InterruptedException;

    /**
     * Removes the instance from the store, and leaves nothing behind. Waits for that for a few answer time-outs at most; what the store could not be
     * told by then it is told later, until this client is closed, and else the lease runs out. Called from a listener, task or check of the same client it waits
     * for nothing. It never registers again. Idempotent; does not throw.
     */
    @Override
    void close();
}
