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
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.camel.cluster.CamelClusterMember;
import org.jspecify.annotations.Nullable;

/** A view from its start to its stop: the candidacy, the registration as a member, and what is known of the others. */
final class Campaign implements LeaderTask {
    private final MandateClusterView view;
    private final ElectionClient client;
    private final String address;
    private final Listeners listeners;
    private final ClusteredRoutes routes;
    private final ThreadFactory threads;
    private final CompletableFuture<Duration> stopped = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private volatile @Nullable Leadership term;
    private volatile String memberId = "";
    private volatile boolean isStopping;
    private volatile @Nullable Candidacy candidacy;
    private volatile @Nullable Parts parts;
    /** Who is registered, once the store has said so. */
    private volatile @Nullable ServiceView listed;

    Campaign(
            MandateClusterView view,
            ElectionClient client,
            @Nullable String address,
            Listeners listeners,
            ThreadFactory threads) {
        this.view = view;
        this.client = client;
        this.address = address == null ? "" : address;
        this.listeners = listeners;
        this.routes = new ClusteredRoutes(view, threads);
        this.threads = threads;
    }

    private record Parts(Candidacy candidacy, Registration registration, ServiceWatch watch, Observing observing) {}

    /**
     * Begins when an earlier campaign of the view is over; a client campaigns once in an election. Its own thread is
     * there before: later there may be none, but what has begun must be closed.
     */
    void start(CompletableFuture<Void> earlier) {
        boolean isFirst = earlier.isDone();
        try {
            Thread own = threads.newThread(() -> live(isFirst ? null : earlier));
            own.setName("mandate-camel-view");
            own.setDaemon(true);
            own.start();
        } catch (Throwable e) {
            closed.complete(null);
            over.complete(null);
            throw e;
        }
        if (isFirst) {
            try {
                begin();
            } catch (Throwable e) {
                stop(Duration.ZERO);
                throw e;
            }
        }
    }

    /** On its own thread. */
    private void live(@Nullable CompletableFuture<Void> earlier) {
        try {
            if (earlier != null) {
                beginAfter(earlier);
            }
            close(awaitGrace());
        } finally {
            closed.complete(null);
            awaitOver();
            over.complete(null);
        }
    }

    private void beginAfter(CompletableFuture<Void> earlier) {
        try {
            CompletableFuture.anyOf(earlier, stopped).join();
            begin();
        } catch (Throwable e) {
            Log.error("can't campaign for " + view.getNamespace() + " again", e);
        }
    }

    /** Waits for a stop and its grace. Nothing else runs as long as the view, so this also wakes its listeners. */
    private Duration awaitGrace() {
        while (!stopped.isDone()) {
            try {
                listeners.wake();
                stopped.get(1, TimeUnit.SECONDS);
            } catch (Throwable e) {
                // A time-out, or no memory. Only this thread closes what has begun, so it looks again.
            }
        }
        return stopped.join();
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
            Candidacy own = election.runWhileLeader(address, RunOptions.DEFAULTS.withCampaignAgain(), this);
            candidacy = own;
            follow(election, own, registration);
        } catch (Throwable e) {
            registration.close();
            throw e;
        }
    }

    private void follow(Election election, Candidacy own, Registration registration) {
        @Nullable ServiceWatch watch = null;
        try {
            watch = client.registry().watch(view.getNamespace(), (now, changes) -> listed(now));
            Observing observing = election.observe(now -> listeners.leaderSeen());
            parts = new Parts(own, registration, watch, observing);
            // The first call may have come before there were parts to look at.
            listeners.leaderSeen();
        } catch (Throwable e) {
            own.close();
            if (watch != null) {
                watch.close();
            }
            listed = null;
            throw e;
        }
    }

    /**
     * Not the leader from now on. Returns at once; what is returned completes when the work has stopped and the lease
     * is released, or when {@code grace} and the time that a candidacy takes to close are over.
     */
    CompletableFuture<Void> stop(Duration grace) {
        isStopping = true;
        stopped.complete(grace);
        return closed;
    }

    /** Also after an overrun. Its client may be closed by now, and call back no more, so this waits on a thread. */
    private void awaitOver() {
        @Nullable Candidacy own = candidacy;
        while (own != null) {
            try {
                own.await();
                return;
            } catch (InterruptedException e) {
                // Not by this module: waits on.
            }
        }
    }

    /** Completes when it was stopped and its work has ended, however long that takes. */
    CompletableFuture<Void> over() {
        return over;
    }

    private synchronized void close(Duration grace) {
        @Nullable Parts open = parts;
        if (open != null) {
            // Closed from the last to the first, also if one of them fails.
            try (Registration registration = open.registration;
                    ServiceWatch watch = open.watch;
                    Observing observing = open.observing) {
                open.candidacy.close(grace);
            } finally {
                parts = null;
                listed = null;
            }
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
        boolean interrupted = false;
        try {
            listeners.leadershipChanged();
            interrupted = awaitStop(leadership);
        } finally {
            // Also if some could not be told of the win: others have started routes, and the lease is released next.
            term = null;
            interrupted |= routes.awaitQuiet(listeners::leadershipLost, listeners::wake);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
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

    private void listed(ServiceView now) {
        listed = now;
        listeners.membersChanged();
    }

    /** The members by the ids of their instances; empty until the store has listed them, and after the stop. */
    Optional<Map<String, CamelClusterMember>> members() {
        @Nullable ServiceView now = listed;
        if (now == null) {
            return Optional.empty();
        }
        Map<String, CamelClusterMember> members = new LinkedHashMap<>();
        now.passing().forEach(i -> members.put(i.id(), member(i)));
        return Optional.of(members);
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
