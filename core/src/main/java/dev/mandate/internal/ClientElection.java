package dev.mandate.internal;

import dev.mandate.Candidacy;
import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import dev.mandate.EndReason;
import dev.mandate.Eviction;
import dev.mandate.Leader;
import dev.mandate.LeaderLatch;
import dev.mandate.LeaderListener;
import dev.mandate.LeaderResolver;
import dev.mandate.LeaderTask;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import dev.mandate.Observing;
import dev.mandate.Queued;
import dev.mandate.ResolverOptions;
import dev.mandate.RunOptions;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.Role;
import dev.mandate.engine.SessionLease;
import dev.mandate.engine.Term;
import dev.mandate.engine.View;
import dev.mandate.spi.Durations;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One election as this client takes part in it. Volatile fields are written on the loop and read by any thread. */
final class ClientElection implements Election, OwnCandidacy.Contest, ClientResolver.Source {
    private final ElectionContext context;
    private final ElectionNames<ClientElection> names;
    private final RecordKey key;

    /** Its monitor also guards the field below: a lock of its own would add up over thousands of elections. */
    private final KnownLeader leader;

    private @Nullable OwnCandidacy candidacy;

    private volatile @Nullable WonLeadership leadership;
    /** The leadership whose end the machine has announced; on the loop alone. */
    private @Nullable WonLeadership ended;

    private volatile CandidacyStatus.State state = CandidacyStatus.State.NOT_CAMPAIGNING;
    private volatile @Nullable String fault;

    ClientElection(ElectionContext context, ElectionNames<ClientElection> names, RecordKey key) {
        this.context = context;
        this.names = names;
        this.key = key;
        this.leader = new KnownLeader(client());
    }

    @Override
    public ElectionContext context() {
        return context;
    }

    private ClientContext client() {
        return context.client();
    }

    @Override
    public RecordKey key() {
        return key;
    }

    @Override
    public String name() {
        return key.name();
    }

    @Override
    public @Nullable OwnCandidacy candidacy() {
        synchronized (leader) {
            return candidacy;
        }
    }

    @Override
    public @Nullable WonLeadership leadership() {
        return leadership;
    }

    // ---- campaigning ----

    @Override
    public Leadership campaign(String value) throws InterruptedException {
        return campaign(value, Long.MAX_VALUE).orElseThrow(client().lifecycle()::closedException);
    }

    @Override
    public Optional<Leadership> campaign(String value, Duration atMost) throws InterruptedException {
        return campaign(
                value,
                client().host().nanos() + Durations.bounded("atMost", atMost).toNanos());
    }

    private Optional<Leadership> campaign(String value, long untilNanos) throws InterruptedException {
        return stand(new OneTermCandidacy(this, Values.require(value, client().traits())))
                .await(untilNanos);
    }

    @Override
    public CompletableFuture<Leadership> campaignAsync(String value) {
        OneTermCandidacy own = new OneTermCandidacy(this, Values.require(value, client().traits()));
        CompletableFuture<Leadership> told = own.asFuture();
        stand(own);
        return told;
    }

    @Override
    public LeaderLatch latch(String value) {
        return stand(new LatchCandidacy(this, Values.require(value, client().traits())));
    }

    @Override
    public Candidacy runWhileLeader(String value, LeaderTask task) {
        return runWhileLeader(value, RunOptions.DEFAULTS, task);
    }

    @Override
    public Candidacy runWhileLeader(String value, RunOptions options, LeaderTask task) {
        Objects.requireNonNull(options, "options");
        return stand(new TaskCandidacy(
                this, Values.require(value, client().traits()), options, Objects.requireNonNull(task, "task")));
    }

    @Override
    public Candidacy runEvery(String value, Duration interval, RunOptions options, LeaderTask task) {
        return runWhileLeader(value, options, new RepeatedTask(client().host(), interval, options, task));
    }

    private <C extends OwnCandidacy> C stand(C own) {
        client().lifecycle().requireCampaigns();
        synchronized (leader) {
            if (candidacy != null) {
                throw new IllegalStateException("this client already campaigns in election '" + name()
                        + "'; close that candidacy, or the leadership it won, and wait until it is over");
            }
            candidacy = own;
            names.use(this);
        }
        commandFor(own, own::campaign);
        return own;
    }

    private void commandFor(OwnCandidacy own, Event event) {
        boolean isTaken = false;
        try {
            // Again: a close with a grace period tells only those that it finds here.
            isTaken = client().lifecycle().campaigns() && client().loop().command(event);
        } finally {
            if (!isTaken) {
                forget(own);
                own.isOver();
                unlessUsed();
            }
        }
        if (!isTaken) {
            throw client().lifecycle().closedException();
        }
    }

    private void forget(OwnCandidacy own) {
        synchronized (leader) {
            if (candidacy == own) {
                candidacy = null;
            }
        }
    }

    // ---- what the loop announces ----

    @Override
    public void tell(ElectionEvent event, Now now) {
        client().loop().tell(key, event, now);
        if (event instanceof ElectionEvent.Campaign || event instanceof ElectionEvent.Observe) {
            // The machine announces only changes, and may remember one from before this object was in use.
            leader.catchUp(client().loop().machine().told(key));
        }
    }

    void announced(ElectionAction announcement, @Nullable SessionLease session, Now now) {
        if (announcement instanceof ElectionAction.Begin begin) {
            begun(begin, session, now);
        } else if (announcement instanceof ElectionAction.End end) {
            WonLeadership won = leadership;
            if (won != null && won.term() == end.term()) {
                ended(won, end.reason(), now);
            }
        } else if (announcement instanceof ElectionAction.Overrun overrun) {
            WonLeadership won = leadership;
            if (won != null && won.term() == overrun.term()) {
                // In case the watchdog, which reports at the deadline, could not.
                context.overruns().announced(won, now);
            }
        } else if (announcement instanceof ElectionAction.Observed observed) {
            leader.know(observed.view());
        } else if (announcement instanceof ElectionAction.Fault news) {
            fault = news.message();
            ownChanged();
            if (news.message() != null) {
                String where = "election=" + Leader.printable(name()) + ": " + news.message();
                client().journal().outage(where, null, now.monotonicNanos());
            }
        } else if (announcement instanceof ElectionAction.Withdrawn) {
            // First: whoever waits for the end of this candidacy may ask for its standing at once.
            stepped(client().loop().machine().status(key, now));
            over();
        } else if (announcement instanceof ElectionAction.Forgotten) {
            // Its machine is gone. The next one may know less; catchUp then says so.
            fault = null;
            unlessUsed();
        }
    }

    /** Without a candidacy or observer the client forgets this object; only users that hold it can still reach it. */
    private void unlessUsed() {
        synchronized (leader) {
            if (candidacy == null && !leader.isObserved()) {
                names.release(this);
            }
        }
    }

    private void begun(ElectionAction.Begin begin, @Nullable SessionLease session, Now now) {
        OwnCandidacy own = candidacy();
        if (own == null) {
            // Cannot happen: a machine campaigns only for a candidacy. Nobody would do the work, so nobody leads.
            tell(new ElectionEvent.Withdraw(EndReason.WITHDRAWN), now);
            tell(new ElectionEvent.WorkStopped(begin.term().number()), now);
            return;
        }
        WonLeadership won = null;
        try {
            won = own.won(begin.term());
            leadership = won;
            client().counters().begun();
            boolean isShared = session != null && session.cell() == begin.term().cell();
            context.watchdog().guard(won, isShared ? session : null);
            leader.observers().forEach(Observer::refreshed);
            client().journal().elected(name(), begin.term().number(), won.remaining());
            if (client().lifecycle().isClosing()) {
                won.end(EndReason.WITHDRAWN);
            }
            own.begin(won, now);
        } catch (Throwable e) {
            notBegun(own, begin.term().number(), won, now);
            client().journal().warn(name(), begin.term().number(), "a term could not begin", e);
        }
    }

    /** Memory was short, perhaps, and the holder not told to lead. Ends the term, and stops work that has begun. */
    private void notBegun(OwnCandidacy own, long term, @Nullable WonLeadership won, Now now) {
        if (won != null) {
            won.end(EndReason.FAILED);
            own.resign(won);
        }
        tell(new ElectionEvent.Resign(term, EndReason.FAILED), now);
        if (won == null) {
            tell(new ElectionEvent.WorkStopped(term), now);
        }
    }

    private void ended(WonLeadership won, EndReason why, Now now) {
        won.end(why);
        context.watchdog().release(won);
        won.candidacy().ended(won, now);
        ended = won;
    }

    /**
     * Repairs this election after an event failed half way. The machine's state counts, not what it announced or was
     * told: either may be lost. Ends a term that the machine leads with and whose holder was never told; with
     * {@code isToEnd}, any term. Reports work as stopped if it never began or has stopped. On the loop; if it throws,
     * it may be called again.
     */
    void mend(boolean isToEnd, Now now) {
        WonLeadership won = leadership;
        if (won != null && isToEnd) {
            won.end(EndReason.FAILED);
        }
        CandidateMachine machine = client().loop().machine();
        if (machine.role(key) instanceof Role.Leading leading) {
            boolean isHeld = won != null && won.term() == leading.term();
            EndReason why = isHeld && won != null ? won.reason() : EndReason.FAILED;
            if (why != null) {
                tell(new ElectionEvent.Resign(leading.term().number(), why), now);
            }
        }
        if (won != null && won != ended && !isLedBy(won)) {
            ended(won, EndReason.FAILED, now);
        }
        Term works = machine.work(key);
        if (works != null && (won == null || won.term() != works || won.hasStopped())) {
            tell(new ElectionEvent.WorkStopped(works.number()), now);
        }
        OwnCandidacy own = candidacy();
        if (own != null && own.mend(now)) {
            over();
        }
        leader.answered().missed();
        if (leader.isObserved()) {
            tell(new ElectionEvent.Observe(true), now);
        }
        leader.know(machine.told(key));
        ownChanged();
    }

    @Override
    public boolean isLedBy(WonLeadership won) {
        return client().loop().machine().role(key) instanceof Role.Leading leading && leading.term() == won.term();
    }

    /** Nothing is left of the candidacy. On the loop. */
    void over() {
        OwnCandidacy own = candidacy();
        if (own != null) {
            forget(own);
            own.isOver();
        }
    }

    @Override
    public void neverBegun() {
        over();
        unlessUsed();
    }

    /** The client is being closed: whatever hangs, this client believes in no term any more. Any thread. */
    void closing() {
        WonLeadership won = leadership;
        if (won != null) {
            won.end(EndReason.WITHDRAWN);
        }
        leader.observers().forEach(Observer::end);
    }

    /** The client is closed. */
    void finished() {
        closing();
        over();
    }

    KnownLeader leader() {
        return leader;
    }

    void stepped(CandidacyStatus.State newState) {
        // A machine leads before its announcements are made: until the term has begun here, nothing has changed.
        boolean isEarly = newState == CandidacyStatus.State.LEADING && !hasBegun();
        if (state != newState && !isEarly) {
            state = newState;
            ownChanged();
        }
    }

    private boolean hasBegun() {
        WonLeadership won = leadership;
        return won != null && isLedBy(won);
    }

    /** The candidacy's status may have changed. Any thread. */
    void ownChanged() {
        OwnCandidacy own = candidacy();
        if (own != null) {
            own.changed();
        }
    }

    // ---- asking ----

    @Override
    public CandidacyStatus status() {
        WonLeadership won = leadership;
        if (won != null && won.isValid()) {
            return StatusReasons.leading(won);
        }
        String trouble = fault == null ? client().faults().first() : fault;
        return StatusReasons.notLeading(state, leader.view(), won, trouble);
    }

    @Override
    public LeaderView view() {
        boolean isFollowed;
        synchronized (leader) {
            isFollowed = candidacy != null || leader.isObserved();
        }
        return isFollowed
                ? present()
                : context.inquiries().leader(key, () -> present().age());
    }

    @Override
    public LeaderView present() {
        return leader.present(this::isOwn);
    }

    @Override
    public boolean isOwn(View known) {
        WonLeadership won = leadership;
        Observation.Held held = known.held();
        return won != null && held != null && held.term() == won.term().number() && won.isValid();
    }

    @Override
    public View known() {
        return leader.view();
    }

    @Override
    public Answered answered() {
        return leader.answered();
    }

    @Override
    public List<Queued> queue() {
        return context.inquiries().queue(key);
    }

    @Override
    public LeaderResolver resolver(ResolverOptions options) {
        ClientResolver resolver = new ClientResolver(client(), this, context.calls(), options);
        attach(resolver);
        return resolver;
    }

    @Override
    public Eviction evict() {
        return context.inquiries().evict(key);
    }

    @Override
    public Eviction evictByForce() {
        return context.inquiries().evictByForce(key);
    }

    // ---- observing ----

    @Override
    public Observing observe(LeaderListener listener) {
        Listening listening = new Listening(client(), this, Objects.requireNonNull(listener, "listener"));
        attach(listening);
        listening.changed();
        return listening;
    }

    private void attach(Observer observer) {
        client().lifecycle().requireOpen();
        synchronized (leader) {
            leader.add(observer);
            names.use(this);
        }
        boolean isTaken = false;
        try {
            isTaken = followIfObserved();
        } finally {
            if (!isTaken) {
                leader.remove(observer);
                unlessUsed();
            }
        }
        if (!isTaken) {
            throw client().lifecycle().closedException();
        }
    }

    @Override
    public void remove(Observer observer) {
        leader.remove(observer);
        followIfObserved();
    }

    /** Commands may overtake each other: what counts is who listens when the loop takes the last of them. */
    private boolean followIfObserved() {
        return client().loop().command(now -> {
            tell(new ElectionEvent.Observe(leader.isObserved()), now);
        });
    }
}
