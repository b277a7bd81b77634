package dev.mandate.registry;

import java.util.List;

/**
 * Services and their instances, in the store of a client. Safe for use from many threads.
 *
 * <p>Names of services and ids of instances are 1 to 512 bytes of UTF-8 without control characters, as names of
 * elections are. Both together take at most {@value #NAMES_MAX} characters as they are written in a key: that much fits
 * on every store. {@link #register} refuses more.
 */
public interface Registry {
    /**
     * The longest name of a service with the id of an instance, with a {@code /} between them. A byte of UTF-8 takes
     * three characters, unless it is a letter, a digit or one of {@code - . _ ~ @ : +}.
     */
    int NAMES_MAX = 900;

    /**
     * Registers an instance and keeps it registered until closed: after an outage, a lost lease or a deletion by hand
     * it registers again, with the newest state. Returns at once; {@link Registration#awaitRegistered} waits for the
     * store.
     *
     * <p>Every ten minutes a client that has registered also removes what other instances of the same service left in
     * the store: at most 100 records, none of them alive.
     *
     * <p>The id of an instance is held by one registrant at a time. If another one holds it, this one waits,
     * {@linkplain Registration#state() says who it is}, and takes over when that one has gone.
     *
     * @param instance what to register; with an empty id it gets this client's incarnation
     * @throws IllegalArgumentException if the service name is invalid, the names take more than {@value #NAMES_MAX}
     *     characters, or the instance takes more than {@value ServiceInstance#BYTES_MAX} bytes; names the value and the
     *     bound
     * @throws IllegalStateException if this client has a registration of that id which is not closed, is closed itself,
     *     or has 262,144 calls waiting, which is the limit
     */
    Registration register(String service, ServiceInstance instance);

    /**
     * The instances of a service. While this client {@link #watch watches} the service, the newest view, at once. Else
     * they are listed from the store, which blocks for a few answer time-outs at most. Writes nothing and opens no
     * session.
     *
     * <p>Where {@linkplain dev.mandate.spi.Expiry#OBSERVER_JUDGES observers judge}, a single listing cannot tell
     * whether an instance is alive; a watch can.
     *
     * @throws dev.mandate.StoreUnavailableException if the store did not answer in time
     * @throws dev.mandate.StoreSetupException if it will not answer until somebody changes something
     * @throws IllegalArgumentException if the service name is invalid
     * @throws IllegalStateException if this client is closed, or there are more than 20,000 instances
     */
    ServiceView instances(String service);

    /**
     * Follows a service, without registering. The listener is told the whole first, then what changes. Writes
     * nothing and opens no session. Returns at once.
     *
     * <p>Costs a listing of the service every {@code leaderPoll}, after each gap in what the store's watch tells, and
     * within a third of a lease after a change that it tells of; many changes share one. In between one instance is
     * read every half lease, to see that the store answers (an empty service is listed instead). Where observers judge,
     * or there is no watch, a listing every quarter of a lease. Long lists are listed less often; see {@code
     * docs/registry.md}.
     *
     * <p>At most 20,000 instances of a service are followed. If there are more, those that came first are, and a
     * warning is logged.
     *
     * @throws IllegalArgumentException if the service name is invalid
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    ServiceWatch watch(String service, ServiceListener listener);

    /** {@link #watch(String, ServiceListener)} for those who only ask. */
    default ServiceWatch watch(String service) {
        return watch(service, (now, changes) -> {});
    }

    /**
     * Follows all services at once, without registering. The listener is told the whole first, then what changes.
     * Writes nothing and opens no session. Returns at once. Costs as much as {@link #watch} would for a service that
     * had all instances. At most 100,000 instances are followed; if there are more, those that came first are, and a
     * warning is logged.
     *
     * @throws IllegalStateException if this client is closed, or has 262,144 calls waiting, which is the limit
     */
    ServicesWatch watchServices(ServicesListener listener);

    /** {@link #watchServices(ServicesListener)} for those who only ask. */
    default ServicesWatch watchServices() {
        return watchServices((now, changed) -> {});
    }

    /**
     * The names of all services that have an instance, sorted. Lists every registration in the store, page by page, and
     * blocks meanwhile, for an answer time-out per page at most. Writes nothing and opens no session.
     *
     * @throws dev.mandate.StoreUnavailableException if the store did not answer in time
     * @throws dev.mandate.StoreSetupException if it will not answer until somebody changes something
     * @throws IllegalStateException if this client is closed, or there are more than 100,000 services
     */
    List<String> services();
}
