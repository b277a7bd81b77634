package dev.mandate.camel;

import dev.mandate.Candidacy;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.LeaderTask;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.RunOptions;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceChange;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceWatch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.camel.cluster.CamelClusterMember;
import org.jspecify.annotations.Nullable;

/** A view from its start to its stop: the candidacy, the registration as a member, and what is known of the others. */
final class Campaign implements LeaderTask {
    private static final Logger LOGGER = System.getLogger("dev.mandate.camel");

    private final MandateClusterView view;
    private final ElectionClient client;
    private final String address;
    private final Listeners listeners;
    private final MasterRoutes routes;
    private volatile @Nullable Leadership term;
    private volatile String memberId = "";
    private volatile boolean isStopping;
    private volatile @Nullable Parts parts;

    Campaign(MandateClusterView view, ElectionClient client, @Nullable String address, Listeners listeners) {
        this.view = view;
        this.client = client;
        this.address = address == null ? "" : address;
        this.listeners = listeners;
        this.routes = new MasterRoutes(view);
    }

    private record Parts(Candidacy candidacy, Registration registration, ServiceWatch watch, Observing observing) {}

    /** Begins when an earlier campaign of the view is over; a client campaigns once in an election. */
    void start(CompletableFuture<Void> earlier) {
        if (earlier.isDone()) {
            begin();
        } else {
            earlier.thenRunAsync(this::begin).exceptionally(e -> {
                LOGGER.log(Level.ERROR, () -> "can't campaign for " + view.getNamespace() + " again", e);
                return null;
            });
        }
    }

    private synchronized void begin() {
        if (isStopping) {
            return;
        }
        String namespace = view.getNamespace();
        Election election = client.election(namespace);
        ServiceInstance self = ServiceInstance.withoutAddress().withAddress(address);
        Registration registration = client.registry().register(namespace, self);
        memberId = registration.id();
        try {
            Candidacy candidacy = election.runWhileLeader(address, RunOptions.DEFAULTS.withCampaignAgain(), this);
            ServiceWatch watch = client.registry().watch(namespace, (now, changes) -> changes.forEach(this::changed));
            Observing observing = election.observe(now -> listeners.leaderSeen());
            parts = new Parts(candidacy, registration, watch, observing);
        } catch (RuntimeException e) {
            registration.close();
            throw e;
        }
    }

    /**
     * Not the leader from now on. Returns at once; what is returned completes when the work has stopped and the lease
     * is released, or after {@code grace} and the drain budget.
     */
    CompletableFuture<Void> stop(Duration grace) {
        isStopping = true;
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread closing = new Thread(
                () -> {
                    try {
                        close(grace);
                    } finally {
                        ended.complete(null);
                    }
                },
                "mandate-camel-close");
        closing.setDaemon(true);
        closing.start();
        return ended;
    }

    private synchronized void close(Duration grace) {
        @Nullable Parts open = parts;
        if (open != null) {
            open.candidacy.close(grace);
            open.observing.close();
            open.watch.close();
            open.registration.close();
            parts = null;
        }
    }

    /** The term, if this instance leads at this instant. */
    Optional<Leadership> leadership() {
        @Nullable Leadership now = term;
        return now == null || isStopping || now.isStopRequested() ? Optional.empty() : Optional.of(now);
    }

    @Override
    public void run(Leadership leadership) {
        term = leadership;
        boolean interrupted = awaited(listeners.leadershipChanged());
        interrupted |= awaitStop(leadership);
        interrupted |= awaited(listeners.leadershipLost());
        interrupted |= routes.awaitQuiet();
        term = null;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A loss interrupts, a close does not; whether this was interrupted. */
    private boolean awaitStop(Leadership leadership) {
        boolean interrupted = false;
        Future<Void> asked = leadership.stopRequested().toCompletableFuture();
        while (!leadership.isStopRequested() && !isStopping) {
            try {
                asked.get(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (TimeoutException | ExecutionException e) {
                // Looks again: whether the term is valid does not depend on threads.
            }
        }
        return interrupted;
    }

    /** Waits for listeners without passing an interrupt on to them; whether this was interrupted. */
    private static boolean awaited(Future<?> told) {
        boolean interrupted = false;
        while (true) {
            try {
                told.get();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                return interrupted;
            }
        }
    }

    Optional<CamelClusterMember> otherLeader() {
        @Nullable Parts open = parts;
        // A record that still has this instance's name is of a term that is over here.
        return open == null
                ? Optional.empty()
                : open.observing
                        .view()
                        .leader()
                        .filter(l -> !l.candidate().equals(client.candidate()))
                        .map(l -> new OtherMember(l.candidate(), true));
    }

    List<CamelClusterMember> members() {
        @Nullable Parts open = parts;
        return open == null
                ? List.of()
                : open.watch.view().passing().stream().map(this::member).toList();
    }

    private void changed(ServiceChange change) {
        switch (change.kind()) {
            case ADDED -> listeners.memberAdded(member(change.instance()));
            case REMOVED -> listeners.memberRemoved(member(change.instance()));
            case CHANGED -> {}
        }
    }

    private CamelClusterMember member(RegisteredInstance instance) {
        if (instance.id().equals(memberId)) {
            return view.getLocalMember();
        }
        @Nullable Parts open = parts;
        Optional<Leader> leader =
                open == null ? Optional.empty() : open.observing.view().leader();
        boolean leads = !leadership().isPresent()
                && leader.filter(l -> l.candidate().equals(instance.candidate()))
                        .isPresent();
        return new OtherMember(instance.candidate(), leads);
    }
}
