package dev.mandate.internal;

import dev.mandate.Leader;
import dev.mandate.LossReason;
import dev.mandate.Standing;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Now;
import dev.mandate.engine.Role;
import dev.mandate.engine.Term;
import dev.mandate.engine.View;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One registration of this client, from its first wish until nothing of it is left. Its machine is an election's: it
 * takes the key, keeps it, and takes it again when it was lost. What is volatile here is written on the loop and read
 * by everybody.
 */
final class ClientRegistration implements Registration {
    /** What the instance says of itself, as it was said last; versions rise. */
    private record Newest(ServiceInstance instance, String value, long version) {
        Newest with(ServiceInstance next) {
            return new Newest(next, Instances.value(next), version + 1);
        }
    }

    /** Somebody who waits until {@code version}, or a later one, stands in the store. */
    private record Waiter(long version, CompletableFuture<Boolean> done) {}

    private final ClientRegistry registry;
    private final Client client;
    private final RecordKey key;
    private final @Nullable ClientRegistration former;
    private final AtomicReference<Newest> newest;
    private final AtomicBoolean isPublishing = new AtomicBoolean();
    private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private volatile boolean isClosed;

    private volatile Standing.State standing = Standing.State.NOT_STANDING;
    private volatile View view = View.UNKNOWN;
    private volatile @Nullable String fault;
    /** The last fault, until it stands in the store: what may be read may yet not be written. */
    private volatile @Nullable String refused;
    /** While it stands in the store. */
    private volatile @Nullable Term term;
    /** The version that stands there. */
    private volatile long confirmed;

    // On the loop alone.
    private boolean hasBegun;
    private boolean isTold;
    private long command;
    /** The version on its way to the store; 0 for none. */
    private long asked;

    private Loop.@Nullable Timer again;
    private Loop.@Nullable Timer look;
    private @Nullable InstanceCheck check;
    private @Nullable Erasure erasure;

    /** {@code former} had the same id, is closed, and may yet be leaving. */
    ClientRegistration(
            ClientRegistry registry, RecordKey key, ServiceInstance instance, @Nullable ClientRegistration former) {
        this.registry = registry;
        this.client = registry.client();
        this.key = key;
        this.former = former;
        this.newest = new AtomicReference<>(new Newest(instance, Instances.value(instance), 1));
    }

    Client client() {
        return client;
    }

    RecordKey key() {
        return key;
    }

    boolean isClosed() {
        return isClosed;
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
        return newest().instance();
    }

    // ---- what it is to say ----

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

    /** A health check has said so twice. On the loop. */
    void checked(Status status, Now now) {
        if (replace(before -> before.status() == Status.OUT_OF_SERVICE ? before : before.withStatus(status))) {
            publish(now);
        }
    }

    private void change(UnaryOperator<ServiceInstance> change) {
        if (replace(change) && isPublishing.compareAndSet(false, true)) {
            boolean isTaken = false;
            try {
                isTaken = client.loop().command(this::publishChange);
            } finally {
                isPublishing.compareAndSet(!isTaken, false);
            }
        }
    }

    /** Foreign code runs in {@code change}, so no lock is held. */
    private boolean replace(UnaryOperator<ServiceInstance> change) {
        while (!isClosed) {
            Newest before = newest();
            ServiceInstance after = change.apply(before.instance());
            if (after.equals(before.instance())) {
                return false;
            }
            if (newest.compareAndSet(before, before.with(after))) {
                return true;
            }
        }
        return false;
    }

    private void publishChange(Now now) {
        isPublishing.set(false);
        publish(now);
    }

    /**
     * Has the machine write what is newest; where it does not stand in the store, its next attempt says it. On the
     * loop.
     */
    private void publish(Now now) {
        Newest wanted = newest();
        if (isClosed || !isTold || asked != 0 || isConfirmed(wanted.version())) {
            return;
        }
        Term stands = term;
        asked = wanted.version();
        command = registry.nextCommand();
        tell(new ElectionEvent.Proclaim(command, stands == null ? 0 : stands.number(), wanted.value()), now);
    }

    private Newest newest() {
        return Objects.requireNonNull(newest.get(), "newest");
    }

    private boolean isConfirmed(long version) {
        return term != null && confirmed >= version;
    }

    // ---- on the loop ----

    private void tell(ElectionEvent event, Now now) {
        client.loop().tell(key, event, now);
    }

    /** Begins, once nothing is left of its former. */
    void begin(Now now) {
        ClientRegistration before = former;
        if (before != null && !before.over.isDone()) {
            before.over.whenComplete((nothing, never) -> client.loop().post(this::begin));
            return;
        }
        if (hasBegun) {
            return;
        }
        hasBegun = true;
        if (isClosed || client.isClosing()) {
            isOver();
            return;
        }
        registry.begun(this);
        tell(new ElectionEvent.Campaign(newest().value()), now);
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

    /** It stands in the store; perhaps with what it said when it asked for that. */
    private void stands(Term begun, Observation.Held held, Now now) {
        Newest wanted = newest();
        confirmed = held.record().value().equals(wanted.value()) ? wanted.version() : 0;
        term = begun;
        refused = null;
        asked = 0;
        tellWaiters();
        publish(now);
        keepUp(now);
    }

    /** What is to be done from time to time while it stands. */
    private void keepUp(Now now) {
        registry.stands(this, now);
        if (client.traits().leaseScope() == LeaseScope.SESSION && look == null) {
            lookLater(now);
        }
    }

    /**
     * The renewals of a session say nothing of a record that somebody deleted, and the common listing is of elections:
     * it is looked for as often as those are.
     */
    private void lookLater(Now now) {
        look = client.loop().at(now.monotonicNanos() + client.timing().leaderPollNanos(), later -> {
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
            confirmed = Math.max(confirmed, version);
            tellWaiters();
            publish(now);
        } else if (term == null && version < newest().version()) {
            // It was under way until the lease was over: the next attempt is to say what has been said since.
            publish(now);
        } else if (term != null && again == null) {
            // The machine has tried several times.
            again = client.loop().at(now.monotonicNanos() + client.timing().pollNanos(), later -> {
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

    /** Whether nothing is left to be done, or nothing that a client which closes would wait for. */
    boolean isLeft() {
        return erasure != null && erasure.isPausing();
    }

    void stepped(Standing.State newState) {
        if (standing != newState) {
            standing = newState;
        }
    }

    /** Nothing of it stands any more: what a release leaves of the record is erased. */
    private void leave(Now now) {
        term = null;
        isClosed = true;
        if (erasure == null) {
            erasure = new Erasure(registry, key, this::isOver);
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
        for (Waiter waiter : waiting) {
            if (isConfirmed(waiter.version())) {
                waiter.done().complete(true);
            } else if (isClosed) {
                waiter.done().complete(false);
            }
        }
    }

    /**
     * Something went wrong in the midst of an event: what the machine is counts, not what it said or was told. On the
     * loop; if it throws, it may be called again.
     */
    void mend(Now now) {
        if (!hasBegun || over.isDone()) {
            return;
        }
        if (erasure != null) {
            erasure = null;
            leave(now);
            return;
        }
        if (isClosed) {
            tell(new ElectionEvent.Withdraw(LossReason.WITHDRAWN), now);
        } else if (!isTold) {
            tell(new ElectionEvent.Campaign(newest().value()), now);
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
        InstanceCheck next = new InstanceCheck(this, question, every, timeout);
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
            return over.isDone()
                    ? new RegistrationState(Phase.CLOSED, "closed", null)
                    : new RegistrationState(Phase.CLOSING, "closed, and being removed from the store", null);
        }
        String common = client.commonFault();
        String trouble = fault != null ? fault : common != null ? common : refused;
        if (stands()) {
            String words = trouble == null || isConfirmed(newest().version())
                    ? "registered"
                    : "registered, but the newest state is refused until somebody changes something: " + trouble;
            return new RegistrationState(Phase.REGISTERED, words, null);
        }
        View known = view;
        Observation.Held held = known.held();
        if (term == null && held != null && standing == Standing.State.FOLLOWING) {
            return taken(held, known.verified());
        }
        if (trouble != null) {
            return new RegistrationState(
                    Phase.FAULTY, "the store refuses until somebody changes something: " + trouble, null);
        }
        return standing == Standing.State.UNSURE
                ? new RegistrationState(Phase.UNSURE, "asked to be registered and had no answer", null)
                : new RegistrationState(Phase.REGISTERING, "not registered yet, or not any more", null);
    }

    /** By its lease, not by what the loop has said last: it may hang. */
    private boolean stands() {
        Term begun = term;
        return begun != null && begun.remainingNanos(client.host().now()) > 0;
    }

    private RegistrationState taken(Observation.Held held, boolean isVerified) {
        String words = "id '" + Leader.printable(id()) + "' is held by " + Leader.printable(held.shown())
                + (isVerified ? "" : ", not known to be alive") + "; registers when that one has gone";
        return new RegistrationState(Phase.TAKEN, words, held.shown());
    }

    @Override
    public boolean awaitRegistered(Duration atMost) throws InterruptedException {
        long wanted = newest().version();
        Waiter waiter = new Waiter(wanted, new CompletableFuture<>());
        waiting.add(waiter);
        try {
            if (isConfirmed(wanted) && stands()) {
                return true;
            }
            return !isClosed
                    && client.await(waiter.done(), atMost)
                    && waiter.done().join();
        } finally {
            waiting.remove(waiter);
        }
    }

    // ---- the end ----

    /** From now on it never registers, whatever becomes of telling the machine. Any thread. */
    void closing() {
        isClosed = true;
    }

    /** As {@link #close}, and waits for nothing. */
    void beginClose() {
        isClosed = true;
        client.loop().post(this::withdraw);
    }

    @Override
    public void close() {
        beginClose();
        if (client.callbacks().isInside()) {
            // Perhaps its own check.
            return;
        }
        client.awaitQuietly(over, 4 * client.timing().answerNanos());
    }

    private void withdraw(Now now) {
        endCheck();
        tellWaiters();
        if (isTold && erasure == null) {
            tell(new ElectionEvent.Withdraw(LossReason.WITHDRAWN), now);
        }
    }

    @Override
    public String toString() {
        return "registration " + key;
    }
}
