package dev.mandate.peers.transport;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Payloads that wait to be sent over one link. What it has no room for is dropped and counted, the newest first: those
 * before it are nearer to leaving. Any thread may add; one thread takes out.
 */
final class SendQueue {
    private record Waiting(byte[] payload, BooleanSupplier mayLeave) {}

    private final int framesMax;
    private final long bytesMax;
    /** What all queues that share it hold, and how much that may be. */
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

    /** The next payload that may still leave; those before it that may not are dropped. Null if there is none. */
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
            // Whoever asks to be asked has to answer; a payload too few does no harm.
            return false;
        }
    }

    /** Takes out what {@link #peek} returned. */
    synchronized void pop() {
        Waiting first = waiting.remove();
        bytes -= first.payload.length;
        shared.addAndGet(-first.payload.length);
    }

    /** From now on payloads are taken. */
    synchronized void open() {
        isOpen = true;
    }

    /** Drops what waits, and what comes until {@link #open()}: it would be old when the link is up again. */
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

    /** How many payloads it dropped since it was made. */
    synchronized long dropped() {
        return dropped;
    }

    synchronized long bytes() {
        return bytes;
    }
}
