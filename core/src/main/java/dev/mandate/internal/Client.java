package dev.mandate.internal;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.Guarantee;
import dev.mandate.Leader;
import dev.mandate.LossReason;
import dev.mandate.OverrunPolicy;
import dev.mandate.StoreUnavailableException;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Entropy;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import dev.mandate.engine.SessionEvent;
import dev.mandate.engine.SessionLease;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One open client: its elections, and the parts that serve them all.
 *
 * <p>Threads: {@code mandate-loop-…} owns the machines and calls the store; {@code mandate-watchdog-…} ends terms at their stop; users' code
 * runs on the executor.
 */
final class Client implements ElectionClient, Loop.Audience, Watchdog.Informed {
    /** What the JVM's exit status is where policy demands that it halts. */
    static final int HALT_STATUS = 70;

    /** How long the store may take to give back its connections before a closing client goes on without it. */
    private static final long STORE_CLOSE_NANOS = 5_000_000_000L;
    /** How long a halt waits for the line that says why. */
    private static final long LAST_WORDS_NANOS = 50_000_000;

    private final Host host;
    private final ClientSettings settings;
    private final ElectionStore store;
    private final StoreTraits traits;
    private final String storeName;
    private final Callbacks callbacks;
    private final Host.Workers workers;
    private final Journal journal;
    private final Loop loop;
    private final Watchdog watchdog;
    private final Inquiries inquiries;
    private final long openedNanos;

    private final Map<RecordKey, ClientElection> elections = new ConcurrentHashMap<>();
    private final Map<Long, CompletableFuture<Boolean>> proclaims = new ConcurrentHashMap<>();
    private final AtomicLong commands = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean halting = new AtomicBoolean();
    private final AtomicBoolean finishing = new AtomicBoolean();
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private volatile @Nullable String sessionFault;

    /**
     * Opens a client on a store that has been found to work, or is trusted to come.
     *
     * @param storeName how messages call the store, without secrets
     * @param executor where users' code runs; null for a daemon thread each
     */
    Client(
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
        this.callbacks = new Callbacks(workers, executor);
        this.journal = new Journal(logger, settings.candidate(), workers);
        CandidateMachine machine = new CandidateMachine(settings.machines(traits, entropy.nextId()), entropy);
        this.loop = new Loop(host, store, settings.timing(), machine, this, journal, this::isFollowed);
        this.watchdog = new Watchdog(host, this);
        this.inquiries = new Inquiries(this, store);
    }

    /** Starts the threads. */
    Client start() {
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

    Inquiries inquiries() {
        return inquiries;
    }

    long openedNanos() {
        return openedNanos;
    }

    @Nullable
    String sessionFault() {
        return sessionFault;
    }

    private boolean isOnOwnThread() {
        return loop.isCurrent() || watchdog.isCurrent();
    }

    private boolean isFollowed(RecordKey key) {
        ClientElection election = elections.get(key);
        return election != null && election.isFollowed();
    }

    // ---- what users ask ----

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
        return elections.computeIfAbsent(RecordKey.election(name), key -> new ClientElection(this, key));
    }

    @Override
    public List<Leader> leaders(String prefix, int limit) {
        return inquiries.leaders(prefix, limit);
    }

    @Override
    public Explanation explain() {
        LeaseTiming.Bounds bounds = timing().bounds(traits);
        List<String> assumptions = Lists.with(
                traits.assumptions(),
                "The rates of two machines' clocks differ by less than a factor of " + timing().rateRatio() + ".");
        return new Explanation(
                storeName,
                traits.guarantee(),
                settings.inForce(),
                Duration.ofNanos(timing().leaseNanos()),
                timing().believedFor(),
                bounds.failover(),
                bounds.recovery(),
                bounds.forcedOverlap(),
                bounds.drain(),
                bounds.coldStart(),
                assumptions);
    }

    /** See {@link dev.mandate.Leadership#proclaim}; the value has been checked. */
    void proclaim(WonLeadership won, String value) {
        long command = commands.incrementAndGet();
        CompletableFuture<Boolean> written = new CompletableFuture<>();
        proclaims.put(command, written);
        ElectionEvent event = new ElectionEvent.Proclaim(command, won.term().number(), value);
        // The machine tries five times.
        long until = host.nanos() + 6 * (timing().answerNanos() + timing().retryNanos());
        boolean isInterrupted = false;
        try {
            boolean isTaken = loop.command(now -> won.candidacy().election().tell(event, now));
            if (isTaken && host.await(written, until) && written.join()) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            isInterrupted = true;
        } finally {
            proclaims.remove(command);
        }
        if (!won.isValid()) {
            throw won.lostException("ended before the store confirmed the new value");
        }
        throw new StoreUnavailableException(storeName + " did not confirm the new value of election '" + won.election()
                + "'" + (isInterrupted ? " before the caller was interrupted" : "") + "; it may yet appear");
    }

    // ---- what the loop and the watchdog tell ----

    @Override
    public void announced(ElectionAction announcement, @Nullable SessionLease session, Now now) {
        if (announcement instanceof ElectionAction.Proclaimed answer) {
            CompletableFuture<Boolean> waiting = proclaims.get(answer.command());
            if (waiting != null) {
                waiting.complete(answer.written());
            }
            return;
        }
        ClientElection election = elections.get(announcement.key());
        if (election != null) {
            election.announced(announcement, session, now);
        }
    }

    @Override
    public void sessionFault(@Nullable String message) {
        sessionFault = message;
    }

    @Override
    public void heard(RecordKey key, Now now) {
        ClientElection election = elections.get(key);
        if (election != null) {
            election.heard(now);
        }
    }

    @Override
    public void stepped(RecordKey key, Now now) {
        ClientElection election = elections.get(key);
        if (election != null) {
            election.stepped(loop.machine().standing(key, now));
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

    /** A caller of {@code isValid()} saw the stop passed before anybody else: its siblings are told by the watchdog, and so is the loop. */
    void latchedByCaller() {
        watchdog.lookNow();
    }

    /** A term ended, whoever ended it. Any thread. */
    void ended(WonLeadership won, LossReason why) {
        if (settings.overrun() == OverrunPolicy.HALT) {
            Now now = host.now();
            LeaseWindow window = won.term().cell().window();
            long budget = why == LossReason.LEASE_RAN_OUT
                    ? Math.min(window.endRemainingNanos(now), window.drainNanos())
                    : window.drainNanos();
            watchdog.haltAt(won, now.monotonicNanos() + budget);
        }
    }

    /** Work outlived its budget. */
    void overrun(WonLeadership won, boolean halts) {
        if (won.hasStopped()) {
            return;
        }
        journal.warn(
                won.election(),
                won.term().number(),
                "OVERRUN: work outlived its drain budget of " + timing().drainNanos() / 1_000_000 + "ms; onOverrun="
                        + Setting.text(settings.overrun()),
                Overrun.of(won));
        if (halts) {
            halt(won);
        }
    }

    /** Ends the JVM: work that must not go on does. */
    void halt(WonLeadership won) {
        if (!halting.compareAndSet(false, true)) {
            return;
        }
        journal.warn(
                won.election(),
                won.term().number(),
                "HALTING the JVM with status " + HALT_STATUS + ": work outlived its drain budget and onOverrun=halt",
                Overrun.of(won));
        awaitQuietly(journal.written(), LAST_WORDS_NANOS);
        host.halt(HALT_STATUS);
    }

    // ---- waiting ----

    /** Waits, but not once interrupted; then the flag is kept. */
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
        if (closing.get()) {
            throw closedException();
        }
    }

    boolean isClosing() {
        return closing.get();
    }

    IllegalStateException closedException() {
        return new IllegalStateException("this client (" + candidate() + ") is closed; open another one");
    }

    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            for (ClientElection election : elections.values()) {
                election.closing();
            }
            loop.close();
        }
        if (callbacks.isInside() || isOnOwnThread()) {
            // Called by a task or a listener of this client: waiting for it would be waiting for the caller itself.
            return;
        }
        if (!awaitQuietly(finished, loop.closeNanos() + STORE_CLOSE_NANOS)) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            closeByForce();
        }
        awaitListeners();
        join(loop.drive());
        join(watchdog.drive());
        awaitQuietly(workers.terminated(), timing().answerNanos());
    }

    /** Nothing is told after a close; what is being told gets a little time. */
    private void awaitListeners() {
        long until = host.nanos() + timing().answerNanos();
        for (ClientElection election : elections.values()) {
            for (Listening listening : election.listeners()) {
                CompletableFuture<Void> running = listening.end();
                if (running != null) {
                    awaitQuietly(running, Math.max(0, until - host.nanos()));
                }
            }
        }
    }

    private void join(Host.@Nullable Drive drive) {
        if (drive != null) {
            awaitQuietly(drive.ended(), timing().answerNanos());
        }
    }

    /** The loop hangs in a method of the store, which must not block: it is left behind. */
    private void closeByForce() {
        journal.warn("the store blocks the loop; closing without it", null);
        Host.Drive hangs = loop.drive();
        loop.abandon();
        if (hangs != null) {
            hangs.interrupt();
        }
        CompletableFuture<Void> closed = new CompletableFuture<>();
        workers.execute(() -> {
            try {
                store.close();
            } catch (Throwable e) {
                journal.warn("closing the store failed", e);
            } finally {
                closed.complete(null);
            }
        });
        awaitQuietly(closed, timing().answerNanos());
        finished();
    }

    @Override
    public void finished() {
        if (!finishing.compareAndSet(false, true)) {
            return;
        }
        elections.values().forEach(ClientElection::finished);
        proclaims.values().forEach(p -> p.complete(false));
        inquiries.finished();
        watchdog.stop();
        workers.shutdown();
        finished.complete(null);
    }

    @Override
    public String toString() {
        return "client " + candidate() + " of " + storeName;
    }
}
