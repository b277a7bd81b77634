package dev.mandate.peers.transport;

import dev.mandate.peers.transport.Refusal.Kind;
import dev.mandate.spi.Id;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All links of one process, and their events. On the loop's thread, unless a method says otherwise. */
final class Network implements Connection.Owner {
    private static final String CLOSED = "this transport was closed";
    private static final String STRANGERS = "strangers";
    private static final long READ_AGAIN_NANOS = 1_000_000_000L;
    private static final long DIALLING_QUIET_NANOS = 5_000_000_000L;

    private final TransportSettings settings;
    private final TransportListener listener;
    private final LoopResources resources;
    private final Lookups lookups;
    private final LinkLog log;
    private final AdmissionPolicy admissions;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Link> links = new ConcurrentHashMap<>();
    /** The links to members, which never change, in the order of the list. */
    private final List<Link> members = new ArrayList<>();

    private final Queue<Link> dirty = new ConcurrentLinkedQueue<>();
    private final Map<Connection, Link> attached = new HashMap<>();
    private final List<Dialler> diallers = new ArrayList<>();
    private final Strangers<Connection> strangers;
    private final AtomicLong guestBytes = new AtomicLong();
    private final AtomicLong rejected = new AtomicLong();
    private @Nullable Listening listening;
    private @Nullable Connection lastRefused;
    private int guests;
    private long readAtNanos = System.nanoTime() - READ_AGAIN_NANOS;
    private boolean isEnding;

    /** Makes the loop take another turn. */
    private final Timers.Timer turn;

    Network(
            TransportSettings settings,
            TransportListener listener,
            LoopResources resources,
            Lookups lookups,
            LinkLog log) {
        this.settings = settings;
        this.listener = new GuardedListener(listener, log);
        this.resources = resources;
        this.lookups = lookups;
        this.log = log;
        this.admissions = new AdmissionPolicy(settings, links::get, () -> guests, this.listener);
        this.strangers = new Strangers<>(settings.limits().strangers());
        this.turn = resources.loop().timers().timer(() -> {});
        for (PeerAddress member : settings.members()) {
            if (!member.equals(settings.self())) {
                addMember(member);
            }
        }
    }

    private void addMember(PeerAddress member) {
        LinkLimits limits = settings.limits();
        Link link = new Link(
                member.toString(),
                true,
                new SendQueue(limits.queuedFrames(), limits.queuedBytes(), new AtomicLong(), limits.queuedBytes()));
        links.put(link.id(), link);
        members.add(link);
        diallers.add(new Dialler(
                member, link, lookups, resources, settings.secret() == null, random::nextDouble, this::dialling));
    }

    /** Dials all members. */
    void begin() {
        diallers.forEach(Dialler::dial);
    }

    void listensBy(Listening socket) {
        listening = socket;
    }

    // ---- any thread ----

    /** Queues a payload; returns whether there was a link, and room for it. */
    boolean send(String peer, byte[] payload, BooleanSupplier mayLeave) {
        Link link = links.get(peer);
        if (link == null) {
            return false;
        }
        if (!link.queue().offer(payload, mayLeave)) {
            return false;
        }
        if (link.mark()) {
            boolean isAdded = false;
            try {
                isAdded = dirty.add(link);
            } finally {
                if (!isAdded) {
                    // Nobody would add it again.
                    link.unmark();
                }
            }
            resources.loop().wake();
        }
        return true;
    }

    List<LinkStatus> status() {
        Stream<Link> connected =
                links.values().stream().filter(link -> !link.isMember()).sorted(Comparator.comparing(Link::id));
        return Stream.concat(members.stream(), connected).map(Link::status).toList();
    }

    /** How many accepted connections ended before they had proved that they know the secret. */
    long rejected() {
        return rejected.get();
    }

    // ---- connections begin ----

    private byte[] nonce() {
        byte[] nonce = new byte[Handshake.NONCE];
        random.nextBytes(nonce);
        return nonce;
    }

    private Connection dialling(SocketChannel channel, PeerAddress member, byte[] secret) {
        String to = member.toString();
        return new Connection(
                channel,
                resources,
                new InitiatorHandshake(settings.introduction(to), secret, nonce(), admissions.ofDialled(to)),
                this);
    }

    /** Takes a connection that another process made to this one. */
    void accepted(SocketChannel channel) {
        Connection connection = new Connection(
                channel,
                resources,
                new ResponderHandshake(settings.introduction(""), lookups.accepted(), nonce(), admissions.ofAccepted()),
                this);
        try {
            InetSocketAddress from = (InetSocketAddress) channel.getRemoteAddress();
            Connection oldest = strangers.add(connection, from.getAddress());
            connection.open(null);
            if (oldest != null) {
                rejected.incrementAndGet();
                oldest.close("others came");
            }
        } catch (IOException e) {
            connection.close("it ended at once");
        }
    }

    @Override
    public void established(Connection connection, Introduction theirs) {
        strangers.remove(connection);
        Link link = links.computeIfAbsent(theirs.name(), this::guest);
        attached.put(connection, link);
        boolean wasUp = link.isUp();
        Connection former = link.attach(connection, theirs);
        // Only now: if this fails half way, another dial follows.
        dialler(connection).ifPresent(Dialler::established);
        if (former != null) {
            former.close("a newer connection took its place");
        }
        if (!wasUp) {
            log.well(subject(link), "connected to " + link.id() + " at " + connection.address(), System.nanoTime());
            listener.connected(link.peer());
        }
    }

    private Link guest(String id) {
        LinkLimits limits = settings.limits();
        Link link = new Link(
                id, false, new SendQueue(limits.queuedFrames(), limits.queuedBytes(), guestBytes, limits.guestBytes()));
        guests++;
        return link;
    }

    // ---- connections go on ----

    @Override
    public void received(Connection connection, byte[] payload) {
        Link link = attached.get(connection);
        if (link != null) {
            link.heard(connection);
            link.received();
            listener.received(link.peer(), payload);
        }
    }

    @Override
    public void answered(Connection connection, long askedNanos) {
        Link link = attached.get(connection);
        if (link == null) {
            return;
        }
        link.heard(connection);
        Link.Rival rival = link.answered(askedNanos);
        if (rival != null) {
            refused(rival.introduction().peer(), AdmissionPolicy.taken(link, rival.introduction()));
        }
    }

    @Override
    public byte @Nullable [] peek(Connection connection) {
        Link link = attached.get(connection);
        return link == null ? null : link.peek(connection);
    }

    @Override
    public void pop(Connection connection) {
        Link link = attached.get(connection);
        if (link != null) {
            link.pop();
        }
    }

    /** Sends what other threads queued. */
    void flush() {
        long again = isEnding ? Long.MAX_VALUE : listener.turned();
        if (again == Long.MAX_VALUE) {
            turn.cancel();
        } else {
            turn.at(again);
        }
        for (Link link = dirty.poll(); link != null; link = dirty.poll()) {
            link.flush();
        }
    }

    // ---- connections end ----

    @Override
    public void refused(Connection connection, @Nullable Introduction theirs, Refusal refusal) {
        Optional<Dialler> dialler = dialler(connection);
        if (refusal.kind() == Kind.SECRET) {
            dialler.ifPresent(Dialler::rejected);
            readAgain();
        }
        lastRefused = connection;
        if (theirs != null) {
            // It knows the secret, so it is no stranger.
            strangers.remove(connection);
            refused(theirs.peer(), refusal);
        } else {
            dialler.ifPresent(known -> refused(new Peer(known.member().toString(), Id.NONE, true), refusal));
        }
    }

    private void refused(Peer peer, Refusal refusal) {
        Link link = links.get(peer.id());
        if (link != null) {
            link.trouble(refusal.sentence());
        }
        log.trouble(peer.isMember() ? peer.id() : LinkLog.GUESTS, refusal.sentence(), System.nanoTime());
        if (refusal.kind() != Kind.SELF_BUSY) {
            listener.refused(peer, refusal);
        }
    }

    /** Strangers may cause this at will, so the file is read once a second at most. */
    private void readAgain() {
        long now = System.nanoTime();
        if (now - readAtNanos >= READ_AGAIN_NANOS) {
            readAtNanos = now;
            lookups.readAgain();
        }
    }

    @Override
    public void closed(Connection connection, String reason) {
        if (strangers.remove(connection)) {
            rejected.incrementAndGet();
            String sentence = "a connection was closed before it was authenticated: " + reason;
            if (!isEnding && connection.isClosedByOther()) {
                // For example a guest that ends while it connects.
                log.well(STRANGERS, sentence, System.nanoTime());
            } else if (!isEnding) {
                log.trouble(STRANGERS, sentence, System.nanoTime());
            }
        }
        Link link = attached.remove(connection);
        boolean isSaid = lastRefused == connection;
        dialler(connection).ifPresent(dialler -> notMade(dialler, reason, isSaid));
        if (link == null) {
            return;
        }
        Duration up = link.since();
        if (!link.detach(connection, reason)) {
            return;
        }
        Peer peer = link.peer();
        if (!link.isMember()) {
            links.remove(link.id());
            guests--;
        }
        if (!isEnding) {
            String sentence = "the link to " + link.id() + " is down: " + reason;
            if (link.isMember()) {
                log.trouble(link.id(), sentence, System.nanoTime());
            } else {
                // Guests come and go, so that is normal.
                log.well(LinkLog.GUESTS, sentence, System.nanoTime());
            }
        }
        listener.disconnected(peer, reason);
        diallers.stream()
                .filter(dialler -> dialler.member().toString().equals(link.id()))
                .forEach(dialler -> dialler.lost(up.toNanos()));
    }

    private void notMade(Dialler dialler, String reason, boolean isSaid) {
        // Members that start together find that some are not there yet.
        boolean isNews = dialler.downNanos() >= DIALLING_QUIET_NANOS;
        if (!isEnding && !isSaid && isNews) {
            log.trouble(
                    dialler.member().toString(),
                    "no connection to " + dialler.member() + ": " + reason,
                    System.nanoTime());
        }
        dialler.failed(reason);
    }

    /** Ends everything. */
    void end() {
        isEnding = true;
        Listening socket = listening;
        if (socket != null) {
            socket.close();
        }
        diallers.forEach(Dialler::end);
        strangers.all().forEach(each -> each.close(CLOSED));
        List.copyOf(attached.keySet()).forEach(each -> each.close(CLOSED));
    }

    private Optional<Dialler> dialler(Connection connection) {
        return diallers.stream().filter(each -> each.isTrying(connection)).findFirst();
    }

    private static String subject(Link link) {
        return link.isMember() ? link.id() : LinkLog.GUESTS;
    }

    /** No connection can be accepted. */
    void cannotAccept(String sentence) {
        log.trouble("listening", sentence, System.nanoTime());
    }
}
