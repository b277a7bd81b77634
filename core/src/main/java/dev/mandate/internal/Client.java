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
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.SessionEvent;
import dev.mandate.engine.SessionLease;
import dev.mandate.registry.Registry;
import dev.mandate.spi.Durations;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One open client: its elections, and the parts they share.
 *
 * <p>Threads: {@code mandate-loop-…} owns the machines and calls the store; {@code mandate-watchdog-…} ends terms at
 * their stop; users' code runs on the executor.
 */
public final class Client implements ElectionClient, Loop.Audience, Watchdog.Informed {
    /** The JVM's exit status when policy demands a halt. */
    static final int HALT_STATUS = 70;

    private final Host host;
    private final ClientSettings settings;
    private final ElectionStore store;
    private final StoreTraits traits;
    private final String storeName;
    private final Callbacks callbacks;
    private final Host.Workers workers;
    private final Journal journal;
    private final Counters counters = new Counters();
    private final Loop loop;
    private final Watchdog watchdog;
    private final Inquiries inquiries;
    private final Proclaiming proclaiming = new Proclaiming(this);
    private final Overruns overruns;
    private final Following following;
    private final ClientRegistry registry;
    private final Queues queues;
    private final Supplier<Now> clock;
    private final LongSupplier nanos;
    private final long openedNanos;

    private final ElectionNames names = new ElectionNames(key -> new ClientElection(this, key));

    private final Closing closing;
    private final AtomicBoolean finishing = new AtomicBoolean();
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private volatile @Nullable String sessionFault;
    private volatile @Nullable String listingFault;

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
        this.host = host;
        this.settings = settings;
        this.store = store;
        this.traits = store.traits();
        this.storeName = storeName;
        this.openedNanos = host.nanos();
        this.workers = host.workers("mandate-work-" + settings.candidate());
        this.callbacks = new Callbacks(host, workers, executor);
        this.journal = new Journal(logger, settings.candidate(), workers);
        Id incarnation = entropy.nextId();
        CandidateMachine machine =
                new CandidateMachine(settings.machines(traits, order() != null, incarnation), entropy);
        this.following = new Following(this, store, entropy);
        this.registry = new ClientRegistry(this, store, incarnation, entropy);
        this.queues = new Queues(this, store, registry, entropy);
        this.loop =
                new Loop(host, store, order(), settings.timing(), machine, this, journal, counters, this::isFollowed);
        this.watchdog = new Watchdog(host, this);
        this.inquiries = new Inquiries(this, store);
        this.overruns = new Overruns(this, settings.onOverrun());
        this.closing = new Closing(this, store, names, workers, finished);
        this.clock = host::now;
        this.nanos = host::nanos;
    }

    /** The store, if it says who tries first. A queue takes precedence: a guest's store has no places to give. */
    private @Nullable Ordered order() {
        return !settings.queues() && store instanceof Ordered ordered ? ordered : null;
    }

    /** Starts the threads. */
    public Client start() {
        watchdog.startOn("mandate-watchdog-" + settings.candidate());
        loop.startOn("mandate-loop-" + settings.candidate());
        return this;
    }

    // ---- the parts, for each other ----

    Host host() {
        return host;
    }

    LeaseTiming timing() {
        return settings.timing();
    }

    StoreTraits traits() {
        return traits;
    }

    String storeName() {
        return storeName;
    }

    Loop loop() {
        return loop;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    Callbacks callbacks() {
        return callbacks;
    }

    Journal journal() {
        return journal;
    }

    Counters counters() {
        return counters;
    }

    Inquiries inquiries() {
        return inquiries;
    }

    Proclaiming proclaiming() {
        return proclaiming;
    }

    Overruns overruns() {
        return overruns;
    }

    /** The clocks; always the same object, so that {@code isValid()} allocates next to nothing. */
    Supplier<Now> clock() {
        return clock;
    }

    /** The monotonic clock; the same object for all elections. */
    LongSupplier nanos() {
        return nanos;
    }

    long openedNanos() {
        return openedNanos;
    }

    @Nullable
    String commonFault() {
        String opening = sessionFault;
        return opening == null ? listingFault : opening;
    }

    private boolean isFollowed(RecordKey key) {
        return names.used(key) != null;
    }

    /** From now on the loop's announcements reach {@code election}. */
    void remember(ClientElection election) {
        names.use(election);
    }

    /** No candidacy or observer uses {@code election} any more. */
    void forget(ClientElection election) {
        names.release(election);
    }

    // ---- what users ask for ----

    @Override
    public String candidate() {
        return settings.candidate();
    }

    @Override
    public Guarantee guarantee() {
        return traits.guarantee();
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
        CandidateMachine machine = loop.machine();
        return counters.snapshot(machine.sessionsOpened(), machine.sessionsLost(), names.statistics(host.now()));
    }

    @Override
    public Registry registry() {
        return registry;
    }

    Following following() {
        return following;
    }

    ClientRegistry registrations() {
        return registry;
    }

    @Override
    public Explanation explain() {
        return Explanations.of(storeName, traits, settings, order(), host);
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
        sessionFault = message;
    }

    @Override
    public void listingFault(@Nullable String message) {
        listingFault = message;
    }

    @Override
    public void heard(RecordKey key, long askedNanos, Now now) {
        ClientElection election = names.used(key);
        if (election != null) {
            election.answered().heard(askedNanos, now);
        }
    }

    @Override
    public void stepped(RecordKey key, Now now) {
        if (isRegistration(key)) {
            registry.stepped(key, loop.machine().status(key, now));
            return;
        }
        ClientElection election = names.used(key);
        if (election != null) {
            election.stepped(loop.machine().status(key, now));
        }
    }

    @Override
    public void latched(SessionLease session) {
        loop.post(now -> loop.tell(new SessionEvent.Latched(session), now));
    }

    @Override
    public void latched(WonLeadership won) {
        ElectionEvent event = new ElectionEvent.TermLatched(won.term().number());
        loop.post(now -> won.candidacy().election().tell(event, now));
    }

    @Override
    public void clocksMoved() {
        loop.clocksMoved();
    }

    /** A caller of {@code isValid()} first saw the stop passed: the watchdog tells its siblings and the loop. */
    void latchedByCaller() {
        watchdog.lookNow();
    }

    // ---- waiting ----

    /** Waits, but not once interrupted; keeps the interrupt flag. */
    boolean awaitQuietly(CompletableFuture<?> done, long nanos) {
        try {
            return host.await(done, host.nanos() + nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return done.isDone();
        }
    }

    boolean await(CompletableFuture<?> done, Duration atMost) throws InterruptedException {
        return host.await(
                done, host.nanos() + Durations.bounded("atMost", atMost).toNanos());
    }

    // ---- the end ----

    void requireOpen() {
        if (isClosing()) {
            throw closedException();
        }
    }

    boolean campaigns() {
        return !closing.isForeseen();
    }

    void requireCampaigns() {
        if (!campaigns()) {
            throw closedException();
        }
    }

    boolean isClosing() {
        return closing.isBegun();
    }

    IllegalStateException closedException() {
        return new IllegalStateException("this client (" + candidate() + ") is closed; open another one");
    }

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
        callbacks.late().look(now.monotonicNanos(), timing().drainTimeoutNanos(), journal);
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
        registry.finished();
        queues.finished();
        names.used().forEach(ClientElection::finished);
        proclaiming.finished();
        inquiries.finished();
        watchdog.stop();
        journal.finished();
        workers.shutdown();
        finished.complete(null);
    }

    @Override
    public String toString() {
        return "client " + candidate() + " of " + storeName;
    }
}
