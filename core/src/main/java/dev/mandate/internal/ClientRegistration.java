package dev.mandate.internal;

import dev.mandate.CandidacyStatus;
import dev.mandate.EndReason;
import dev.mandate.Leader;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.Now;
import dev.mandate.engine.Role;
import dev.mandate.engine.Term;
import dev.mandate.engine.View;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One registration of this client, from {@code register} until nothing of it is left. It uses the machine of an
 * election: that takes the key, keeps it, and takes it again after a loss. Volatile fields are written on the loop and
 * read by any thread.
 */
final class ClientRegistration implements Registration {
    private final Registrations<ClientRegistration> registry;
    private final ClientContext client;
    private final RecordKey key;
    /** Kept until this registration begins, so that earlier ones can be forgotten. */
    private volatile @Nullable ClientRegistration former;

    private final NewestState says;
    /** The newest state is to be written. */
    private final Signal news;

    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private volatile boolean isClosed;

    private volatile CandidacyStatus.State standing = CandidacyStatus.State.NOT_CAMPAIGNING;
    private volatile View view = View.UNKNOWN;
    private volatile @Nullable String fault;
    /** The last fault, until the record is in the store: a readable key may yet not be writable. */
    private volatile @Nullable String refused;
    /** Set while the record is in the store. */
    private volatile @Nullable Term term;
    /** How many terms have begun. */
    private final AtomicLong generation = new AtomicLong();

    // On the loop alone.
    private boolean hasBegun;
    private boolean isTold;
    private long command;
    private Timers.@Nullable Timer again;
    private Timers.@Nullable Timer look;
    private @Nullable InstanceCheck check;
    private @Nullable Erasure erasure;
    /** When {@link #term} began. */
    private long begunNanos;
    /** The version on its way to the store; 0 for none. */
    private long asked;

    /** {@code former} had the same id, is closed, and may still be leaving. */
    ClientRegistration(
            ClientContext client,
            Registrations<ClientRegistration> registry,
            RecordKey key,
            ServiceInstance instance,
            @Nullable ClientRegistration former) {
        this.registry = registry;
        this.client = client;
        this.key = key;
        this.former = former;
        this.says = new NewestState(instance);
        this.news = new Signal(client.loop(), this::publish);
    }

    RecordKey key() {
        return key;
    }

    boolean isClosed() {
        return isClosed;
    }

    boolean hasEnded() {
        return over.isDone();
    }

    @Nullable
    ClientRegistration former() {
        return former;
    }

    @Override
    public String service() {
        return key.segments().get(0);
    }

    @Override
    public String id() {
        return key.name();
    }

    @Override
    public ServiceInstance instance() {
        return says.newest().instance();
    }

    // ---- changing the instance ----

    @Override
    public void update(ServiceInstance instance) {
        update(now -> instance);
    }

    @Override
    public void update(UnaryOperator<ServiceInstance> change) {
        change(before -> {
            ServiceInstance after = change.apply(before);
            if (!after.id().isEmpty() && !after.id().equals(id())) {
                throw new IllegalArgumentException("id is '" + Leader.printable(after.id())
                        + "', but this registration's is '" + Leader.printable(id())
                        + "'; leave it empty, or register that one");
            }
            return Instances.requireFit(after.withId(id()));
        });
    }

    @Override
    public void status(Status status) {
        change(before -> before.withStatus(status));
    }

    /** A health check has answered the same twice. On the loop. */
    private void checked(Status status, Now now) {
        if (says.replace(
                before -> before.status() == Status.OUT_OF_SERVICE ? before : before.withStatus(status),
                () -> isClosed)) {
            publish(now);
        }
    }

    private void change(UnaryOperator<ServiceInstance> change) {
        if (says.replace(change, () -> isClosed)) {
            news.give();
        }
    }

    /** Has the machine write the newest state; its next attempt does if the record is not in the store. On the loop. */
    private void publish(Now now) {
        NewestState.Version wanted = says.newest();
        if (isClosed || !isTold || asked != 0 || isConfirmed(wanted.number())) {
            return;
        }
        Term stands = term;
        asked = wanted.number();
        command = registry.nextCommand();
        tell(new ElectionEvent.Proclaim(command, stands == null ? 0 : stands.number(), wanted.value()), now);
    }

    private boolean isConfirmed(long version) {
        return term != null && says.isConfirmed(version);
    }

    // ---- on the loop ----

    private void tell(ElectionEvent event, Now now) {
        client.loop().tell(key, event, now);
    }

    /** Begins, once nothing is left of the former registration. */
    void begin(Now now) {
        ClientRegistration before = former;
        if (before != null && !before.over.isDone()) {
            before.over.whenComplete((nothing, never) -> client.loop().post(this::begin));
            before.succeeded();
            return;
        }
        if (hasBegun) {
            return;
        }
        hasBegun = true;
        former = null;
        if (isClosed || client.lifecycle().isClosing()) {
            isOver();
            return;
        }
        registry.begun(this);
        tell(new ElectionEvent.Campaign(says.newest().value()), now);
        isTold = true;
        publish(now);
    }

    void announced(ElectionAction announcement, Now now) {
        if (announcement instanceof ElectionAction.Begin begin) {
            stands(begin.term(), begin.held(), now);
        } else if (announcement instanceof ElectionAction.End) {
            term = null;
        } else if (announcement instanceof ElectionAction.Proclaimed answer) {
            published(answer, now);
        } else if (announcement instanceof ElectionAction.Observed observed) {
            view = observed.view();
        } else if (announcement instanceof ElectionAction.Fault news) {
            faulted(news.message(), now);
        } else if (announcement instanceof ElectionAction.Withdrawn) {
            leave(now);
        }
    }

    /** The record is in the store, perhaps with the state from when the machine asked for it. */
    private void stands(Term begun, Observation.Held held, Now now) {
        says.stored(held.record().value());
        // First, so that whoever sees the term sees the new number, too.
        generation.incrementAndGet();
        term = begun;
        begunNanos = now.monotonicNanos();
        refused = null;
        asked = 0;
        tellWaiters();
        publish(now);
        keepUp(now);
    }

    /** Starts the periodic work of a record that is in the store. */
    private void keepUp(Now now) {
        registry.stands(this, now);
        if (client.traits().leaseScope() == LeaseScope.SESSION && look == null) {
            lookLater(now);
        }
    }

    /**
     * Renewing a session does not show that somebody deleted a record, and the common listing is of elections. Nor does
     * anybody else take this key, as a follower takes an election. The printed recovery, which is longer than a lease,
     * holds only if the record is read once per lease.
     */
    private void lookLater(Now now) {
        LeaseTiming timing = client.timing();
        long pauseNanos = Math.min(timing.recordCheckIntervalNanos(), timing.leaseNanos());
        look = client.loop().at(now.monotonicNanos() + pauseNanos, later -> {
            look = null;
            if (term != null && !isClosed) {
                lookLater(later);
                tell(new ElectionEvent.Swept(later.monotonicNanos(), null), later);
            }
        });
    }

    private void published(ElectionAction.Proclaimed answer, Now now) {
        if (answer.command() != command) {
            return;
        }
        long version = asked;
        asked = 0;
        if (answer.written() && term != null) {
            refused = null;
            says.confirmed(version);
            tellWaiters();
            publish(now);
        } else if (term == null && version < says.newest().number()) {
            // This write was under way until the lease was over: the next attempt must carry the newer state.
            publish(now);
        } else if (term != null && again == null) {
            // The machine has tried several times.
            again = client.loop().at(now.monotonicNanos() + client.timing().pollIntervalNanos(), later -> {
                again = null;
                publish(later);
            });
        }
    }

    private void faulted(@Nullable String message, Now now) {
        fault = message;
        if (message != null) {
            refused = message;
            String where = "service=" + Leader.printable(service()) + " id=" + Leader.printable(id()) + ": " + message;
            client.journal().outage(where, null, now.monotonicNanos());
        }
    }

    /** The same id has been registered again, and waits for this one to be over. On the loop. */
    private void succeeded() {
        if (erasure != null) {
            erasure.succeeded();
        }
    }

    /** Whether a closing client need not wait for what is left to do. */
    boolean isLeft() {
        return erasure != null && erasure.isPausing();
    }

    void stepped(CandidacyStatus.State newState) {
        standing = newState;
    }

    /** The machine has withdrawn: erases what the release left of the record. */
    private void leave(Now now) {
        term = null;
        isClosed = true;
        if (erasure == null) {
            erasure = new Erasure(client, registry.calls(), key, () -> registry.isSucceeded(this), this::isOver);
            erasure.start(now);
        }
    }

    private void isOver() {
        isClosed = true;
        endCheck();
        registry.over(this);
        over.complete(null);
        tellWaiters();
    }

    private void tellWaiters() {
        says.tell(term != null, isClosed);
    }

    /**
     * Repairs this registration after an event failed half way: the machine's state counts, not what it announced or
     * was told. On the loop; if it throws, it may be called again.
     */
    void mend(Now now) {
        if (!hasBegun || over.isDone()) {
            return;
        }
        if (erasure != null) {
            if (!erasure.isPausing()) {
                // An answer may have been lost.
                erasure.end();
                erasure = null;
                leave(now);
            }
            return;
        }
        if (isClosed) {
            tell(new ElectionEvent.Withdraw(EndReason.WITHDRAWN), now);
        } else if (!isTold) {
            tell(new ElectionEvent.Campaign(says.newest().value()), now);
            isTold = true;
        }
        asked = 0;
        Role role = client.loop().machine().role(key);
        if (!(role instanceof Role.Leading leading)) {
            term = null;
        } else if (term != leading.term()) {
            stands(leading.term(), leading.held(), now);
        } else {
            keepUp(now);
        }
        view = client.loop().machine().told(key);
        standing = client.loop().machine().status(key, now);
        if (isClosed && !client.loop().machine().isToWithdraw(key)) {
            leave(now);
        } else {
            publish(now);
        }
    }

    /** The client is closed. */
    void finished() {
        term = null;
        isOver();
    }

    // ---- health ----

    @Override
    public Registration healthCheck(BooleanSupplier question, Duration every, Duration timeout) {
        InstanceCheck next = new InstanceCheck(client, question, every, timeout, this::checked);
        client.loop().command(now -> {
            endCheck();
            if (!isClosed) {
                check = next;
                next.ask(now);
            }
        });
        return this;
    }

    private void endCheck() {
        InstanceCheck running = check;
        check = null;
        if (running != null) {
            running.end();
        }
    }

    // ---- asking ----

    @Override
    public RegistrationState state() {
        if (isClosed) {
            return over.isDone() ? RegistrationStates.CLOSED : RegistrationStates.CLOSING;
        }
        String common = client.faults().first();
        String trouble = fault != null ? fault : common != null ? common : refused;
        if (stands()) {
            return RegistrationStates.registered(isConfirmed(says.newest().number()) ? null : trouble);
        }
        View known = view;
        Observation.Held held = known.held();
        if (term == null && held != null && standing == CandidacyStatus.State.FOLLOWING) {
            return RegistrationStates.taken(id(), held.shown(), known.verified());
        }
        if (trouble != null) {
            return RegistrationStates.faulty(trouble);
        }
        return standing == CandidacyStatus.State.UNSURE ? RegistrationStates.UNSURE : RegistrationStates.REGISTERING;
    }

    @Override
    public long generation() {
        return generation.get();
    }

    /** Decided by the lease, not by the loop's last word: the loop may hang. */
    private boolean stands() {
        Term begun = term;
        return begun != null && begun.remainingNanos(client.host().now()) > 0;
    }

    /** Since when it has been registered; {@code Long.MAX_VALUE} if it is not. On the loop. */
    long keptSinceNanos() {
        return stands() ? begunNanos : Long.MAX_VALUE;
    }

    @Override
    public boolean awaitRegistered(Duration atMost) throws InterruptedException {
        NewestState.Waiter waiter = says.await();
        try {
            return isConfirmed(waiter.number()) && stands()
                    || !isClosed
                            && client.await(waiter.done(), atMost)
                            && waiter.done().join();
        } finally {
            says.remove(waiter);
        }
    }

    // ---- the end ----

    /** From now on it never registers, even if the machine cannot be told. Any thread. */
    void closing() {
        isClosed = true;
        tellWaiters();
    }

    /** As {@link #close}, but does not wait. */
    void beginClose() {
        closing();
        client.loop().post(this::withdraw);
    }

    @Override
    public void close() {
        beginClose();
        // Its own check would wait for itself.
        if (!client.callbacks().isInside()) {
            client.awaitQuietly(over, 4 * client.timing().requestTimeoutNanos());
        }
    }

    private void withdraw(Now now) {
        endCheck();
        if (isTold && erasure == null) {
            tell(new ElectionEvent.Withdraw(EndReason.WITHDRAWN), now);
        }
    }

    @Override
    public String toString() {
        return "registration " + key;
    }
}
