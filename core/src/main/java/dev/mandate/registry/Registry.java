package dev.mandate.registry;

import java.util.List;

/**
 * Services and their instances, in a client's store. Safe for use from many threads.
 *
 * <p>Service names and instance ids are 1 to 512 bytes of UTF-8 without control characters, like names of elections.
 * Both together take at most {@value #NAMES_MAX} characters as written in a key: every store accepts keys of that
 * length. {@link #register} refuses more.
 */
public interface Registry {
    /**
     * The most characters that a service name and an instance id take together, with a {@code /} between them. A byte
     * of UTF-8 takes three characters, unless it is a letter, a digit or one of {@code - . _ ~ @ : +}.
     */
    int NAMES_MAX = 900;

    /**
     * Registers an instance and keeps it registered until closed: after an outage, a lost lease or a deletion by
     * hand it registers again, with the newest state. Returns at once; {@link Registration#awaitRegistered}
     * waits for the store.
     *
     * <p>A client with a registration also tidies: every ten minutes it removes what other instances of the same
     * service left in the store, at most 100 records, none of them alive.
     *
     * <p>One registrant at a time holds an instance's id. If another one holds it, this one waits, {@linkplain
     * Registration#state() says who holds it}, and takes over when that one is gone.
     *
     * @param instance what to register; if its id is empty, it gets this client's incarnation
     * @throws IllegalArgumentException if the service name is invalid, the names take more than {@value
     *     #NAMES_MAX} characters, or the instance takes more than {@value ServiceInstance#BYTES_MAX} bytes; names
     *     the value and the bound
     * @throws IllegalStateException if this client is closed, has an open registration of that id, or has 262,144 calls
     *     waiting, which is the limit
     */
    Registration register(String service, ServiceInstance instance);

    /**
     * The instances of a service. While this client {@link #watch watches} the service, returns the newest view
     * at once. Otherwise lists them from the store, and blocks for a few request time-outs at most. Writes nothing
     * and opens no session.
     *
     * <p>Where {@linkplain dev.mandate.spi.Expiry#OBSERVER_JUDGES observers judge}, a single listing cannot tell
     * whether an instance is alive; a watch can.
     *
     * @throws dev.mandate.StoreUnavailableException if the store did not answer in time
     * @throws dev.mandate.StoreSetupException if the store will not answer until somebody changes something
     * @throws IllegalArgumentException if the service name is invalid
     * @throws IllegalStateException if this client is closed, or there are more than 20,000 instances
     */
    ServiceView instances(String service);

    /**
     * Follows a service, without registering. The listener first receives the whole list, then changes. Writes nothing
     * and opens no session. Returns at once.
     *
     * <p>Costs a listing of the service every {@code recordCheckInterval}, after each gap in the store's watch, and
     * within a third of a lease after a hint of a change; many changes share one. In between, it reads one instance
     * every half lease to check that the store answers (an empty service is listed instead). Where observers judge, or
     * without a watch, it lists every quarter of a lease. Long lists are listed less often; see {@code
     * docs/registry.md}.
     *
     * <p>Follows at most 20,000 instances of a service. If there are more, it follows those that came first
     * and logs a warning.
     *
     * @throws IllegalArgumentException if the service name is invalid
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    ServiceWatch watch(String service, ServiceListener listener);

    /** {@link #watch(String, ServiceListener)} without a listener. */
    default ServiceWatch watch(String service) {
        return watch(service, (now, changes) -> {});
    }

    /**
     * Follows all services at once, without registering. The listener first receives the whole list, then changes.
     * Writes nothing and opens no session. Returns at once. Costs as much as {@link #watch} would for one service
     * that had all instances. Follows at most 100,000 instances. If there are more, it follows those that came first
     * and logs a warning.
     *
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    ServicesWatch watchServices(ServicesListener listener);

    /** {@link #watchServices(ServicesListener)} without a listener. */
    default ServicesWatch watchServices() {
        return watchServices((now, changed) -> {});
    }

    /**
     * The names of all services that have an instance, sorted. Lists every registration in the store, page by page, and
     * blocks for at most a request time-out per page. Writes nothing and opens no session.
     *
     * @throws dev.mandate.StoreUnavailableException if the store did not answer in time
     * @throws dev.mandate.StoreSetupException if the store will not answer until somebody changes something
     * @throws IllegalStateException if this client is closed, or there are more than 100,000 services
     */
    List<String> services();
}
