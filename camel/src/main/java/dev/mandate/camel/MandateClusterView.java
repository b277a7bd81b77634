package dev.mandate.camel;

import dev.mandate.Leadership;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.camel.CamelContext;
import org.apache.camel.cluster.CamelClusterEventListener;
import org.apache.camel.cluster.CamelClusterMember;
import org.apache.camel.support.cluster.AbstractCamelClusterView;
import org.jspecify.annotations.Nullable;

/**
 * One namespace. Keeps its own listeners: the parent calls them under a lock that {@code removeEventListener} needs,
 * too, and a consumer that stops while an event comes would wait for itself.
 */
final class MandateClusterView extends AbstractCamelClusterView {
    private final MandateClusterService service;
    private final CamelClusterMember local = new Local();
    private final Listeners listeners;
    private volatile @Nullable Campaign campaign;
    private volatile CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);
    private volatile CompletableFuture<Void> over = CompletableFuture.completedFuture(null);

    MandateClusterView(MandateClusterService service, String namespace) {
        super(service, namespace);
        this.service = service;
        this.listeners = new Listeners(this, Thread::new);
    }

    /** This instance. */
    private final class Local implements CamelClusterMember {
        @Override
        public boolean isLeader() {
            return leadership().isPresent();
        }

        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public String getId() {
            return service.candidate();
        }

        @Override
        public String toString() {
            return getId();
        }
    }

    Optional<Leadership> leadership() {
        @Nullable Campaign now = campaign;
        return now == null ? Optional.empty() : now.leadership();
    }

    @Override
    public CamelClusterMember getLocalMember() {
        return local;
    }

    @Override
    public Optional<CamelClusterMember> getLeader() {
        if (local.isLeader()) {
            return Optional.of(local);
        }
        @Nullable Campaign now = campaign;
        return now == null ? Optional.empty() : now.otherLeader();
    }

    @Override
    public List<CamelClusterMember> getMembers() {
        return members().map(m -> List.copyOf(m.values())).orElse(List.of());
    }

    /** The members by the ids of their instances, if they are known. */
    Optional<Map<String, CamelClusterMember>> members() {
        @Nullable Campaign now = campaign;
        return now == null ? Optional.empty() : now.members();
    }

    @Override
    public void addEventListener(@Nullable CamelClusterEventListener listener) {
        if (listener != null) {
            listeners.add(listener);
        }
    }

    @Override
    public void removeEventListener(@Nullable CamelClusterEventListener listener) {
        if (listener != null) {
            listeners.remove(listener);
        }
    }

    /** Whether the context has begun to start, and not finished. */
    boolean isContextStarting() {
        @Nullable CamelContext context = getCamelContext();
        return context != null && context.isStarting();
    }

    /** Whether the context has begun to stop. */
    boolean isContextStopping() {
        @Nullable CamelContext context = getCamelContext();
        return context != null && context.isStopping();
    }

    /** Whether it has, but waits for policies before it stops its routes. */
    boolean awaitsPolicies() {
        return service.awaitsPolicies();
    }

    /** Tells each {@code ClusteredRoutePolicy} who leads. */
    void tellPolicies() {
        listeners.tellPolicies();
    }

    /** Completes when no {@code ClusteredRoutePolicy} is being told of anything. */
    CompletableFuture<Void> policiesReturned() {
        return listeners.policiesReturned();
    }

    /** Completes when all campaigns are closed: their leases are released, or their time for that is over. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    protected void doStart() {
        Campaign next = new Campaign(this, service.client(), service.getAddress(), listeners, Thread::new);
        campaign = next;
        next.start(over);
    }

    /** Returns at once: a consumer stops its view before itself, and the lease must outlast it. */
    @Override
    protected void doStop() {
        @Nullable Campaign last = campaign;
        if (last != null) {
            ended = CompletableFuture.allOf(ended, last.stop(service.shutdownTimeout()));
            over = CompletableFuture.allOf(over, last.over());
        }
    }
}
