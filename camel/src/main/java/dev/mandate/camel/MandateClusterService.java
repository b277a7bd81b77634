package dev.mandate.camel;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.spi.Durations;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.CamelContext;
import org.apache.camel.cluster.CamelClusterView;
import org.apache.camel.spi.ShutdownStrategy;
import org.apache.camel.support.cluster.AbstractCamelClusterService;
import org.jspecify.annotations.Nullable;

/**
 * A Camel cluster service on a store of Mandate: an election for each namespace, for {@code master:} endpoints and
 * {@code ClusteredRoutePolicy}.
 *
 * <pre>{@code
 * MandateClusterService cluster = new MandateClusterService();
 * cluster.setUrl("etcd://10.0.0.5:2379?lease=10s");
 * context.addService(cluster);
 * }</pre>
 *
 * <p>The namespace is the name of the election, and of a service in the registry: each instance with a started view of
 * the namespace is a member. Members and the leader are shown by their candidate ids, which are the service's id if
 * it has one, else host name and process id.
 *
 * <p>A member is the leader only while its lease is valid by the clock of its machine, and no more when it has been
 * asked to stop: {@code isLeader()} is false before the loss is reported. Each listener of a view gets its calls one at
 * a time, on a thread of its own, without a lock. On a hand-over the lease is released when they have returned and no
 * route of the namespace consumes or has an exchange in flight. A lost lease is over whether or not that is so.
 *
 * <p>The store need not be there at the start: until it comes, nobody leads. Set the properties before the service
 * starts. Safe for use from many threads.
 */
public final class MandateClusterService extends AbstractCamelClusterService<CamelClusterView> {
    private final ConcurrentHashMap<String, MandateClusterView> views = new ConcurrentHashMap<>();
    private final ContextEvents contextEvents =
            new ContextEvents(this::tellPolicies, this::policiesReturned, this::policiesTimeout);
    private @Nullable String url;
    private @Nullable String address;
    private @Nullable ElectionClient given;
    private volatile @Nullable ElectionClient client;

    /** A service without an id; set a URL or a client. */
    public MandateClusterService() {}

    /**
     * A service with that id.
     *
     * @param id shown as the leader and the member, at most 512 bytes; not unique, never compared
     * @param url of the store, as {@link #setUrl} takes it
     */
    public MandateClusterService(String id, String url) {
        super(id);
        this.url = url;
    }

    /**
     * The store's URL, with the settings of the client as parameters: {@code sqlite:/var/lib/mandate.db?lease=10s}. The
     * service opens a client when it starts and closes it when it stops. It never waits for the store, so the parameter
     * {@code connectTimeout} changes nothing. May hold a secret, so no method returns it.
     */
    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    /** A client to use instead of a URL, for settings that no URL has. The service does not close it. */
    public void setClient(@Nullable ElectionClient client) {
        this.given = client;
    }

    /** What to publish as the leader and as a member, for instance a host and port. Default: nothing. */
    public void setAddress(@Nullable String address) {
        this.address = address;
    }

    /** What is published as the leader and as a member, if anything. */
    public @Nullable String getAddress() {
        return address;
    }

    /**
     * The term this instance leads the namespace for: its {@linkplain Leadership#fencingToken() fencing token} for
     * resources that check it, and {@link Leadership#ensureValid()} before an effect. Empty if it does not lead at this
     * instant. Does not block or ask the store.
     */
    public Optional<Leadership> leadership(String namespace) {
        @Nullable MandateClusterView view = views.get(namespace);
        return view == null ? Optional.empty() : view.leadership();
    }

    /** Whether the context has begun to stop, but waits for policies before it stops its routes. */
    boolean awaitsPolicies() {
        return contextEvents.isWaiting();
    }

    private void tellPolicies() {
        views.values().forEach(MandateClusterView::tellPolicies);
    }

    private CompletableFuture<Void> policiesReturned() {
        return CompletableFuture.allOf(views.values().stream()
                .map(MandateClusterView::policiesReturned)
                .toArray(CompletableFuture<?>[]::new));
    }

    /** How long Camel gives exchanges in flight. No longer than a candidacy takes. */
    Duration shutdownTimeout() {
        ShutdownStrategy strategy = getCamelContext().getShutdownStrategy();
        long nanos = strategy.getTimeUnit().toNanos(strategy.getTimeout());
        return Duration.ofNanos(Math.min(nanos, Durations.MAX.toNanos()));
    }

    /** How long policies may take: they stop one route after another, and Camel gives each this timeout. */
    private Duration policiesTimeout() {
        return shutdownTimeout().multipliedBy(1L + getCamelContext().getRoutesSize());
    }

    /**
     * Opens the client and starts the views.
     *
     * @throws IllegalStateException if there is no URL and no client, or both
     * @throws IllegalArgumentException if the URL or a setting in it is wrong; names it, its value and the bound
     * @throws dev.mandate.StoreSetupException if the store will not work until somebody changes something
     */
    @Override
    protected void doStart() throws Exception {
        client = open();
        contextEvents.start();
        ignoreContext();
        @Nullable CamelContext context = getCamelContext();
        if (context != null) {
            context.getManagementStrategy().addEventNotifier(contextEvents);
        }
        try {
            super.doStart();
        } catch (Exception e) {
            end();
            ignoreContext();
            throw e;
        }
    }

    private void ignoreContext() {
        @Nullable CamelContext context = getCamelContext();
        if (context != null) {
            context.getManagementStrategy().removeEventNotifier(contextEvents);
        }
    }

    private ElectionClient open() {
        @Nullable ElectionClient ready = given;
        @Nullable String store = url;
        if (ready != null && store != null) {
            throw new IllegalStateException("the cluster service has a url and a client; set one of them");
        }
        if (ready != null) {
            return ready;
        }
        if (store == null) {
            throw new IllegalStateException(
                    "the cluster service has no url and no client; set one, for instance sqlite:/var/lib/mandate.db");
        }
        ElectionClient.Builder builder = ElectionClient.builder(store).connectTimeout(Duration.ZERO);
        @Nullable String id = getId();
        return (id == null ? builder : builder.candidate(id)).connect();
    }

    /** Stops the views, waits until their consumers have stopped and the leases are released, and closes its client. */
    @Override
    protected void doStop() throws Exception {
        try {
            super.doStop();
        } finally {
            end();
        }
    }

    private void end() {
        @Nullable CamelContext context = getCamelContext();
        if (context != null && (context.isStopping() || context.isStopped())) {
            // Not earlier: its policies may still be busy when it stops after this service.
            ignoreContext();
        }
        List<CompletableFuture<Void>> ends =
                views.values().stream().map(MandateClusterView::ended).toList();
        CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0])).join();
        @Nullable ElectionClient used = client;
        client = null;
        if (used != null && used != given) {
            used.close();
        }
    }

    /**
     * A view of a namespace.
     *
     * @throws IllegalArgumentException if the namespace is no valid name of an election; says why
     */
    @Override
    protected CamelClusterView createView(String namespace) {
        RecordKey.requireName("namespace", namespace);
        return views.computeIfAbsent(namespace, n -> new MandateClusterView(this, n));
    }

    /** The open client. */
    ElectionClient client() {
        @Nullable ElectionClient open = client;
        if (open == null) {
            throw new IllegalStateException("the cluster service is not started; add it to the Camel context first");
        }
        return open;
    }

    /** How this instance is called. */
    String candidate() {
        @Nullable ElectionClient open = client;
        @Nullable String id = getId();
        return open != null ? open.candidate() : id != null ? id : "";
    }
}
