package dev.mandate.peers.transport;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Payloads that wait to be sent over one link. If there is no room, the newest is dropped and counted: earlier ones are
 * nearer to leaving. Any thread may add; one thread removes.
 */
final class SendQueue {
    private record Waiting(byte[] payload, BooleanSupplier mayLeave) {}

    private final int framesMax;
    private final long bytesMax;
    /** How many bytes all queues that share it hold; {@link #sharedMax} is the limit. */
    private final AtomicLong shared;

    private final long sharedMax;

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private long bytes;
    private long dropped;
    private boolean isOpen;

    SendQueue(int framesMax, long bytesMax, AtomicLong shared, long sharedMax) {
        this.framesMax = framesMax;
        this.bytesMax = bytesMax;
        this.shared = shared;
        this.sharedMax = sharedMax;
    }

    /** Takes {@code payload}, or drops it. */
    synchronized boolean offer(byte[] payload, BooleanSupplier mayLeave) {
        boolean hasRoom = isOpen && waiting.size() < framesMax && bytes + payload.length <= bytesMax;
        if (!hasRoom || shared.addAndGet(payload.length) > sharedMax) {
            if (hasRoom) {
                shared.addAndGet(-payload.length);
            }
            dropped++;
            return false;
        }
        waiting.add(new Waiting(payload, mayLeave));
        bytes += payload.length;
        return true;
    }

    /** The next payload that may still leave; null if there is none. Drops those before it that may not. */
    byte @Nullable [] peek() {
        while (true) {
            Waiting first;
            synchronized (this) {
                first = waiting.peek();
            }
            if (first == null) {
                return null;
            }
            if (mayLeave(first)) {
                return first.payload;
            }
            synchronized (this) {
                dropped++;
            }
            pop();
        }
    }

    private static boolean mayLeave(Waiting first) {
        try {
            return first.mayLeave.getAsBoolean();
        } catch (RuntimeException e) {
            // A condition has to answer; one payload less does no harm.
            return false;
        }
    }

    /** Removes what {@link #peek} returned. */
    synchronized void pop() {
        Waiting first = waiting.remove();
        bytes -= first.payload.length;
        shared.addAndGet(-first.payload.length);
    }

    /** Accepts payloads from now on. */
    synchronized void open() {
        isOpen = true;
    }

    /** Drops what waits, and what comes until {@link #open()}: it would be outdated when the link is up again. */
    synchronized void shut() {
        isOpen = false;
        dropped += waiting.size();
        while (!waiting.isEmpty()) {
            pop();
        }
    }

    synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** How many payloads it has dropped so far. */
    synchronized long dropped() {
        return dropped;
    }

    synchronized long bytes() {
        return bytes;
    }
}
