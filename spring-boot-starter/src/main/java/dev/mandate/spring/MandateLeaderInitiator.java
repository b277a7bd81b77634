package dev.mandate.spring;

import dev.mandate.Candidacy;
import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.RunOptions;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/**
 * Drives a {@link Candidate} of Spring Integration by an election: for programs written for one of its initiators, on
 * ZooKeeper, a lock registry or Kubernetes. The election is the candidate's role; what it publishes is its id.
 *
 * <p>{@link Candidate#onGranted} and {@link Candidate#onRevoked} are called on one thread, in turn, once each in a
 * term, and an event is published after each. The record is released after {@code onRevoked} and the listeners of its
 * event have returned, so they should be quick: what takes longer than {@code drainTimeout} is an overrun. A loss
 * interrupts {@code onGranted} if it still runs. {@link Context#isLeader()} is {@link Leadership#isValid()}, and false
 * once {@code onRevoked} is called. {@link Context#yield()} is {@link Leadership#resign()}: the candidate campaigns
 * again after the cool-down. A candidate that throws in {@code onGranted} ends the term; {@code onRevoked} is not
 * called for it. If it throws in {@code onRevoked}, that is logged and the event follows.
 *
 * <p>Starts and stops with the application context. Safe for use from many threads.
 */
public final class MandateLeaderInitiator implements SmartLifecycle, DisposableBean, ApplicationEventPublisherAware {
    private static final System.Logger LOGGER = System.getLogger("dev.mandate.spring");

    private final ElectionClient client;
    private final Candidate candidate;
    private final Context nobody = () -> false;
    private @Nullable LeaderEventPublisher publisher;
    private boolean autoStartup = true;
    private int phase = DEFAULT_PHASE;
    private volatile @Nullable TermContext term;

    /** Held for moments only: code of the application never runs under it. */
    private final Object lock = new Object();

    private volatile boolean isRunning;

    /** The last one. */
    private @Nullable Candidacy candidacy;

    /**
     * An initiator for that candidate.
     *
     * @throws IllegalArgumentException if the candidate's role is null or empty: it names the election
     */
    public MandateLeaderInitiator(ElectionClient client, Candidate candidate) {
        String role = candidate.getRole();
        if (role == null || role.isEmpty()) {
            throw new IllegalArgumentException("the candidate's role is empty; it must name the election");
        }
        this.client = client;
        this.candidate = candidate;
    }

    /** How events are published. Default: as Spring Integration does, to the application context. */
    public void setLeaderEventPublisher(LeaderEventPublisher leaderEventPublisher) {
        this.publisher = leaderEventPublisher;
    }

    @Override
    public void setApplicationEventPublisher(ApplicationEventPublisher applicationEventPublisher) {
        if (publisher == null) {
            publisher = new DefaultLeaderEventPublisher(applicationEventPublisher);
        }
    }

    /** Whether it starts with the context. Default true. */
    public void setAutoStartup(boolean autoStartup) {
        this.autoStartup = autoStartup;
    }

    /** When it starts and stops, among the beans of the context. Default: started last, stopped first. */
    public void setPhase(int phase) {
        this.phase = phase;
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    /** The context of the present term, or one that does not lead and has no role. */
    public Context getContext() {
        Context now = term;
        return now == null ? nobody : now;
    }

    @Override
    public void start() {
        Candidacy former;
        synchronized (lock) {
            if (isRunning) {
                return;
            }
            former = candidacy;
        }
        if (former != null) {
            // Perhaps it is being stopped by another thread; an election has room for one.
            former.close();
        }
        String role = candidate.getRole();
        String id = candidate.getId();
        synchronized (lock) {
            if (!isRunning) {
                candidacy =
                        client.election(role).runWhileLeader(id, RunOptions.DEFAULTS.withCampaignAgain(), this::lead);
                isRunning = true;
            }
        }
    }

    /**
     * Revokes a term at once and releases its record. Waits for that, up to the drain budget and a few request
     * time-outs; does not wait when called by the candidate or a listener.
     */
    @Override
    public void stop() {
        Candidacy ending;
        synchronized (lock) {
            isRunning = false;
            ending = candidacy;
        }
        if (ending != null) {
            ending.close();
        }
    }

    @Override
    public void destroy() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    private void lead(Leadership leadership) throws InterruptedException {
        TermContext context = new TermContext(leadership, candidate.getRole());
        CountDownLatch stop = new CountDownLatch(1);
        leadership.stopRequested().thenRun(stop::countDown);
        term = context;
        boolean isGranted = false;
        try {
            candidate.onGranted(context);
            isGranted = true;
            publish(p -> p.publishOnGranted(this, context, context.getRole()));
            stop.await();
        } catch (InterruptedException e) {
            // The loss of the term, or its resignation: revoked below.
            isGranted = true;
        } finally {
            context.isOver = true;
            term = null;
            // Whoever is told may wait for something.
            boolean wasInterrupted = Thread.interrupted();
            if (isGranted) {
                revoke(context);
                publish(p -> p.publishOnRevoked(this, context, context.getRole()));
            }
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The listeners learn of the end, though the candidate fails. */
    private void revoke(Context context) {
        try {
            candidate.onRevoked(context);
        } catch (RuntimeException | Error e) {
            LOGGER.log(Level.WARNING, "the candidate for '" + context.getRole() + "' failed in onRevoked", e);
        }
    }

    /** A listener that throws keeps nobody from leading. */
    private void publish(Consumer<LeaderEventPublisher> event) {
        LeaderEventPublisher now = publisher;
        if (now != null) {
            try {
                event.accept(now);
            } catch (RuntimeException | Error e) {
                LOGGER.log(Level.WARNING, "a listener failed to handle a leader event", e);
            }
        }
    }

    /** A term, as Spring Integration sees it. */
    private static final class TermContext implements Context {
        private final Leadership leadership;
        private final String role;

        /** Set before {@code onRevoked}: a polite stop leaves the term valid until that has returned. */
        private volatile boolean isOver;

        TermContext(Leadership leadership, String role) {
            this.leadership = leadership;
            this.role = role;
        }

        @Override
        public boolean isLeader() {
            return !isOver && leadership.isValid();
        }

        @Override
        public void yield() {
            leadership.resign();
        }

        @Override
        public String getRole() {
            return role;
        }
    }
}
