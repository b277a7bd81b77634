package dev.mandate.peers.transport;

import dev.mandate.spi.Id;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one other process: at most one that this side dialled and one that the other side dialled.
 * Payloads leave over the one heard from last, so both sides come to use the same one. Call methods on the loop's
 * thread, unless they say otherwise.
 */
final class Link {
    /** Another process that claims to be the same member, while this one seems connected. */
    record Rival(Introduction introduction, long sinceNanos, boolean isProven) {}

    private final String id;
    private final boolean isMember;
    private final SendQueue queue;
    private final AtomicBoolean isDirty = new AtomicBoolean();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    private @Nullable Connection dialled;
    private @Nullable Connection accepted;
    private @Nullable Connection sending;
    private @Nullable Rival rival;

    /** Guards the following fields, which other threads read. */
    private final Object lock = new Object();

    private boolean isUp;
    private long sinceNanos = System.nanoTime();
    private Id startId = Id.NONE;
    private String address = "";
    private String trouble = "";

    Link(String id, boolean isMember, SendQueue queue) {
        this.id = id;
        this.isMember = isMember;
        this.queue = queue;
    }

    String id() {
        return id;
    }

    boolean isMember() {
        return isMember;
    }

    /** Any thread. */
    SendQueue queue() {
        return queue;
    }

    /** Marks it for the next flush; returns whether it was unmarked. Any thread. */
    boolean mark() {
        return isDirty.compareAndSet(false, true);
    }

    /** Takes that back. Any thread. */
    void unmark() {
        isDirty.set(false);
    }

    boolean isUp() {
        return sending != null;
    }

    /** The process on the other side when the link was last up. */
    Peer peer() {
        synchronized (lock) {
            return new Peer(id, startId, isMember);
        }
    }

    // ---- connections ----

    /** Takes an authenticated connection; returns the one it replaces, which must be closed. */
    @Nullable
    Connection attach(Connection connection, Introduction theirs) {
        boolean wasUp = isUp();
        Connection former = connection.isDialled() ? dialled : accepted;
        if (connection.isDialled()) {
            dialled = connection;
        } else {
            accepted = connection;
        }
        if (sending == null || sending == former) {
            sending = connection;
        }
        synchronized (lock) {
            if (!wasUp) {
                isUp = true;
                sinceNanos = System.nanoTime();
            }
            startId = theirs.startId();
            address = connection.address();
        }
        if (!wasUp) {
            queue.open();
        }
        return former;
    }

    /** A connection of this link ended; returns whether that took the link down. */
    boolean detach(Connection connection, String reason) {
        boolean wasUp = isUp();
        if (dialled == connection) {
            dialled = null;
        }
        if (accepted == connection) {
            accepted = null;
        }
        if (sending == connection) {
            sending = dialled != null ? dialled : accepted;
        }
        if (!wasUp || isUp()) {
            return false;
        }
        rival = null;
        queue.shut();
        synchronized (lock) {
            isUp = false;
            sinceNanos = System.nanoTime();
            trouble = reason;
        }
        return true;
    }

    /** Something came over this connection: the other side is there, so payloads leave over it. */
    void heard(Connection connection) {
        if (sending != connection && (dialled == connection || accepted == connection)) {
            sending = connection;
        }
    }

    void flush() {
        isDirty.set(false);
        if (sending != null) {
            sending.flush();
        }
    }

    byte @Nullable [] peek(Connection connection) {
        return connection == sending ? queue.peek() : null;
    }

    void pop() {
        queue.pop();
        sent.incrementAndGet();
    }

    void received() {
        received.incrementAndGet();
    }

    // ---- rivals ----

    @Nullable
    Rival rival() {
        return rival;
    }

    /** Another process claims to be this member: asks the connected one whether it is still there. */
    void rivalled(Introduction theirs) {
        Rival former = rival;
        if (former == null || !former.introduction().startId().equals(theirs.startId())) {
            rival = new Rival(theirs, System.nanoTime(), false);
        }
        if (dialled != null) {
            dialled.ask();
        }
        if (accepted != null) {
            accepted.ask();
        }
    }

    /** The connected process answered; returns the rival if that proves that there are two. */
    @Nullable
    Rival answered(long askedNanos) {
        Rival known = rival;
        if (known == null || known.isProven() || askedNanos - known.sinceNanos() < 0) {
            return null;
        }
        rival = new Rival(known.introduction(), known.sinceNanos(), true);
        return rival;
    }

    // ---- status ----

    /** What went wrong last. */
    void trouble(String sentence) {
        synchronized (lock) {
            trouble = sentence;
        }
    }

    /** How long it has been up or down. Any thread. */
    Duration since() {
        synchronized (lock) {
            return Duration.ofNanos(System.nanoTime() - sinceNanos);
        }
    }

    /** Any thread. */
    LinkStatus status() {
        synchronized (lock) {
            return new LinkStatus(
                    id,
                    isMember,
                    isUp,
                    Duration.ofNanos(System.nanoTime() - sinceNanos),
                    startId,
                    address,
                    trouble,
                    sent.get(),
                    received.get(),
                    queue.dropped());
        }
    }
}
