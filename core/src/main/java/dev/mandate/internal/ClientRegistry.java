package dev.mandate.internal;

import dev.mandate.CandidacyStatus;
import dev.mandate.Leader;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.Entropy;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.Now;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.Registry;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceListener;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServiceWatch;
import dev.mandate.registry.ServicesListener;
import dev.mandate.registry.ServicesWatch;
import dev.mandate.spi.RecordKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The registry of one client: its registrations, and the services it follows. */
final class ClientRegistry implements Registry, Registrations<ClientRegistration> {
    private final ClientContext client;
    private final TimedCalls calls;
    private final Following following;
    private final Entropy entropy;
    private final Discovery discovery;

    /** The newest registration of each key. Adding requires this object's monitor. */
    private final Map<RecordKey, ClientRegistration> named = new ConcurrentHashMap<>();

    /** Registrations with a machine, or being erased. For the loop, and for the thread that gives up on a hung one. */
    private final Map<RecordKey, ClientRegistration> active = new ConcurrentHashMap<>();

    /** By service, for services with an instance of this client. Used as {@link #active}. */
    private final Map<String, Tidying> tidying = new ConcurrentHashMap<>();

    /** On the loop alone. */
    private long commands;

    ClientRegistry(ClientContext client, TimedCalls calls, Inquiries inquiries, Following following, Entropy entropy) {
        this.client = client;
        this.calls = calls;
        this.following = following;
        this.discovery = new Discovery(client, inquiries, following);
        this.entropy = entropy;
    }

    @Override
    public TimedCalls calls() {
        return calls;
    }

    // ---- registering ----

    @Override
    public Registration register(String service, ServiceInstance instance) {
        ServiceInstance own =
                instance.id().isEmpty() ? instance.withId(client.incarnation().toString()) : instance;
        Instances.requireFit(own);
        RecordKey key = Instances.requireKey(service, own.id());
        client.lifecycle().requireOpen();
        ClientRegistration registration = add(key, own);
        boolean isTaken = false;
        try {
            isTaken = client.loop().command(registration::begin);
        } finally {
            if (!isTaken) {
                registration.closing();
                forget(registration);
            }
        }
        if (!isTaken) {
            throw client.lifecycle().closedException();
        }
        return registration;
    }

    private synchronized ClientRegistration add(RecordKey key, ServiceInstance instance) {
        ClientRegistration former = named.get(key);
        if (former != null && !former.isClosed()) {
            throw new IllegalStateException("this client has registered id '" + Leader.printable(key.name())
                    + "' of service '" + Leader.printable(key.segments().get(0))
                    + "' already; close that registration, or register under another id");
        }
        ClientRegistration added = new ClientRegistration(client, this, key, instance, former);
        named.put(key, added);
        return added;
    }

    /** It never began: the former registration of the id may still be leaving. */
    private synchronized void forget(ClientRegistration registration) {
        ClientRegistration former = registration.former();
        if (former == null || former.hasEnded()) {
            named.remove(registration.key(), registration);
        } else {
            named.replace(registration.key(), registration, former);
        }
    }

    // ---- on the loop ----

    @Override
    public long nextCommand() {
        return ++commands;
    }

    @Override
    public void begun(ClientRegistration registration) {
        active.put(registration.key(), registration);
    }

    @Override
    public void over(ClientRegistration registration) {
        active.remove(registration.key(), registration);
        named.remove(registration.key(), registration);
        String service = registration.service();
        if (active.values().stream().noneMatch(other -> other.service().equals(service))) {
            Tidying tidied = tidying.remove(service);
            if (tidied != null) {
                tidied.end();
            }
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality")
    public boolean isSucceeded(ClientRegistration registration) {
        ClientRegistration newest = named.get(registration.key());
        return newest != null && newest != registration;
    }

    /** Starts tidying its service, unless that has begun. */
    @Override
    public void stands(ClientRegistration registration, Now now) {
        tidying.computeIfAbsent(
                registration.service(),
                service -> new Tidying(
                        client, calls, RecordKey.registrations(service), () -> keptSinceNanos(service), entropy, now));
    }

    /** When the longest-registered of this client's instances of that service was registered. */
    private long keptSinceNanos(String service) {
        return active.values().stream()
                .filter(registration -> registration.service().equals(service))
                .mapToLong(ClientRegistration::keptSinceNanos)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    void announced(ElectionAction announcement, Now now) {
        ClientRegistration registration = active.get(announcement.key());
        if (registration != null) {
            registration.announced(announcement, now);
        }
    }

    void stepped(RecordKey key, CandidacyStatus.State state) {
        ClientRegistration registration = active.get(key);
        if (registration != null) {
            registration.stepped(state);
        }
    }

    /** This client no longer sees some instances that it followed. It reads those that are its own again. */
    void missed(FollowingAction.Changed<RegisteredInstance> news) {
        news.changes().stream().filter(change -> change.after() == null).forEach(change -> missed(change.key()));
    }

    private void missed(RecordKey key) {
        if (active.containsKey(key)) {
            Now now = client.clock().get();
            client.loop().tell(key, new ElectionEvent.Swept(now.monotonicNanos(), null), now);
        }
    }

    /** See {@link LoopListener#failed}. */
    boolean mend(Now now) {
        boolean isMended = true;
        for (ClientRegistration registration : List.copyOf(active.values())) {
            isMended &= isMended(() -> registration.mend(now));
        }
        for (Tidying tidied : tidying.values()) {
            isMended &= isMended(tidied::mend);
        }
        return isMended(following::mend) && isMended;
    }

    private static boolean isMended(Runnable part) {
        try {
            part.run();
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    /** Whether no registration has anything left to do. */
    boolean isDone() {
        return active.values().stream().allMatch(ClientRegistration::isLeft);
    }

    // ---- the end ----

    /** The client is being closed. Any thread. */
    void closing() {
        named.values().forEach(ClientRegistration::closing);
    }

    /** The client is closed. */
    void finished() {
        named.values().forEach(ClientRegistration::finished);
        // Also those that are still leaving while their ids are registered again.
        active.values().forEach(ClientRegistration::finished);
    }

    // ---- following ----

    @Override
    public ServiceView instances(String service) {
        return discovery.instances(service);
    }

    @Override
    public ServiceWatch watch(String service, ServiceListener listener) {
        return following.service(service, listener);
    }

    @Override
    public ServicesWatch watchServices(ServicesListener listener) {
        return following.services(listener);
    }

    @Override
    public List<String> services() {
        return discovery.services();
    }
}
