package dev.mandate.internal;

import dev.mandate.CandidacyStatus;
import dev.mandate.ClientStatistics;
import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.ElectionsListener;
import dev.mandate.ElectionsWatch;
import dev.mandate.Explanation;
import dev.mandate.Guarantee;
import dev.mandate.Leader;
import dev.mandate.QueuesListener;
import dev.mandate.QueuesWatch;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Entropy;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.SessionEvent;
import dev.mandate.engine.SessionLease;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registry;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One open client: its elections, and the parts they share.
 *
 * <p>Threads: {@code mandate-loop-…} owns the machines and calls the store; {@code mandate-watchdog-…} ends terms at
 * their stop; users' code runs on the executor.
 */
public final class Client implements ElectionClient, LoopListener, Watchdog.Listener {
    private final ClientSettings settings;
    private final ClientContext context;
    private final ElectionContext elections;
    private final Watchdog watchdog;
    private final Proclaiming proclaiming;
    private final Inquiries inquiries;
    private final Following following;
    private final ClientRegistry registry;
    private final Queues queues;
    private final ElectionNames<ClientElection> names = new ElectionNames<>(this::election);
    private final Closing closing;
    private final AtomicBoolean finishing = new AtomicBoolean();
    private final CompletableFuture<Void> finished = new CompletableFuture<>();

    /**
     * Opens a client on a store that is known to work, or is expected to.
     *
     * @param storeName the store's name in messages, without secrets
     * @param executor where users' code runs; null for a daemon thread each
     */
    public Client(
            Host host,
            ClientSettings settings,
            ElectionStore store,
            String storeName,
            @Nullable Executor executor,
            Entropy entropy,
            System.Logger logger) {
        this.settings = settings;
        this.context = new ClientContext(
                host, settings, store, storeName, executor, entropy, logger, this, key -> names.used(key) != null);
        this.watchdog = new Watchdog(host, this);
        this.proclaiming = new Proclaiming(context);
        this.inquiries = new Inquiries(context);
        TimedCalls calls = new TimedCalls(context);
        Overruns overruns = new Overruns(context, watchdog, settings.onOverrun());
        this.elections = new ElectionContext(context, watchdog, overruns, proclaiming, inquiries, calls);
        this.following = new Following(context, entropy, this::missed);
        this.registry = new ClientRegistry(context, calls, inquiries, following, entropy);
        this.queues = new Queues(context, calls, entropy);
        this.closing = new Closing(context, watchdog, names, following, registry, this::finished, finished);
    }

    private ClientElection election(RecordKey key) {
        return new ClientElection(elections, names, key);
    }

    private void missed(FollowingAction.Changed<RegisteredInstance> news) {
        registry.missed(news);
    }

    /** Starts the threads. */
    public Client start() {
        watchdog.startOn("mandate-watchdog-" + settings.candidate());
        loop().startOn("mandate-loop-" + settings.candidate());
        return this;
    }

    // ---- the parts ----

    /** What all parts share. */
    ClientContext context() {
        return context;
    }

    /** What all elections share. */
    ElectionContext electionContext() {
        return elections;
    }

    LeaseTiming timing() {
        return context.timing();
    }

    StoreTraits traits() {
        return context.traits();
    }

    Loop loop() {
        return context.loop();
    }

    Watchdog watchdog() {
        return watchdog;
    }

    Journal journal() {
        return context.journal();
    }

    Proclaiming proclaiming() {
        return proclaiming;
    }

    // ---- what users ask for ----

    @Override
    public String candidate() {
        return settings.candidate();
    }

    @Override
    public Guarantee guarantee() {
        return context.traits().guarantee();
    }

    @Override
    public Election election(String name) {
        return names.get(RecordKey.election(name));
    }

    @Override
    public List<Leader> leaders(String prefix, int limit) {
        return inquiries.leaders(prefix, limit);
    }

    @Override
    public ElectionsWatch watchElections(ElectionsListener listener) {
        return following.elections(listener);
    }

    @Override
    public QueuesWatch watchQueues(QueuesListener listener) {
        return following.queues(listener);
    }

    @Override
    public Map<String, CandidacyStatus> elections() {
        return names.statuses();
    }

    @Override
    public ClientStatistics statistics() {
        CandidateMachine machine = loop().machine();
        return context.counters()
                .snapshot(
                        machine.sessionsOpened(),
                        machine.sessionsLost(),
                        names.statistics(context.host().now()));
    }

    @Override
    public Registry registry() {
        return registry;
    }

    @Override
    public Explanation explain() {
        return Explanations.of(context.storeName(), context.traits(), settings, context.order(), context.host());
    }

    // ---- what the loop and the watchdog report ----

    @Override
    public void announced(ElectionAction announcement, @Nullable SessionLease session, Now now) {
        if (isRegistration(announcement.key())) {
            registry.announced(announcement, now);
        } else if (announcement.key().space().equals(RecordKey.QUEUES)) {
            queues.announced(announcement, now);
        } else if (announcement instanceof ElectionAction.Proclaimed answer) {
            proclaiming.answered(answer.command(), answer.written());
        } else {
            ClientElection election = names.used(announcement.key());
            if (election != null) {
                election.announced(announcement, session, now);
            }
        }
    }

    @Override
    public void queued(QueueAction action, Now now) {
        queues.perform(action, now);
    }

    private static boolean isRegistration(RecordKey key) {
        return key.space().equals(RecordKey.REGISTRATIONS);
    }

    @Override
    public void sessionFault(@Nullable String message) {
        context.faults().session(message);
        names.used().forEach(ClientElection::ownChanged);
    }

    @Override
    public void listingFault(@Nullable String message) {
        context.faults().listing(message);
        names.used().forEach(ClientElection::ownChanged);
    }

    @Override
    public void heard(RecordKey key, long askedNanos, Now now) {
        ClientElection election = names.used(key);
        if (election != null) {
            election.answered().heard(askedNanos, now);
        }
    }

    @Override
    public void known(RecordKey key) {
        ClientElection election = names.used(key);
        if (election != null) {
            election.leader().refreshed();
        }
    }

    @Override
    public void stepped(RecordKey key, Now now) {
        if (isRegistration(key)) {
            registry.stepped(key, loop().machine().status(key, now));
            return;
        }
        ClientElection election = names.used(key);
        if (election != null) {
            election.stepped(loop().machine().status(key, now));
        }
    }

    @Override
    public void latched(SessionLease session) {
        loop().post(now -> loop().tell(new SessionEvent.Latched(session), now));
    }

    @Override
    public void latched(WonLeadership won) {
        ElectionEvent event = new ElectionEvent.TermLatched(won.term().number());
        loop().post(now -> loop().tell(won.candidacy().key(), event, now));
    }

    @Override
    public void clocksMoved() {
        loop().clocksMoved();
    }

    // ---- the end ----

    @Override
    public void close(Duration grace) {
        closing.close(grace);
    }

    @Override
    public void close() {
        closing.close();
    }

    @Override
    public void turned(Now now) {
        context.callbacks().retry(now.monotonicNanos());
        context.callbacks().late().look(now.monotonicNanos(), timing().drainTimeoutNanos(), journal());
    }

    @Override
    public long wakeAtNanos() {
        return context.callbacks().retryAtNanos();
    }

    @Override
    public boolean failed(boolean isToEnd, Now now) {
        boolean isMended = registry.mend(now);
        for (ClientElection election : names.used()) {
            try {
                election.mend(isToEnd, now);
            } catch (RuntimeException | Error e) {
                isMended = false;
            }
        }
        return isMended;
    }

    @Override
    public boolean isDone() {
        return registry.isDone();
    }

    @Override
    public void finished() {
        if (!finishing.compareAndSet(false, true)) {
            return;
        }
        try {
            finish(registry::finished);
            // Again: a listener may have begun to follow since the close began.
            finish(following::closing);
            finish(queues::finished);
            names.used().forEach(election -> finish(election::finished));
            finish(proclaiming::finished);
            finish(inquiries::finished);
            finish(watchdog::stop);
            finish(journal()::finished);
            finish(context.workers()::shutdown);
        } finally {
            finished.complete(null);
        }
        if (loop().isCurrent()) {
            context.callbacks().finish();
        }
    }

    /** Memory may be short: one part that fails must not keep callers of the others waiting for ever. */
    private void finish(Runnable part) {
        try {
            part.run();
        } catch (RuntimeException | Error e) {
            journal().warn("a part of the client failed to close", e);
        }
    }

    @Override
    public String toString() {
        return "client " + candidate() + " of " + context.storeName();
    }
}
