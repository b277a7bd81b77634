package dev.mandate.peers.transport;

/** A number of bytes, shared by all that take from it. Not safe for use from many threads. */
final class Budget {
    private final long max;
    private long taken;

    Budget(long max) {
        this.max = max;
    }

    /** Takes {@code bytes}, or nothing and returns false if fewer are left. */
    boolean take(long bytes) {
        if (bytes > max - taken) {
            return false;
        }
        taken += bytes;
        return true;
    }

    void giveBack(long bytes) {
        taken -= bytes;
    }

    long taken() {
        return taken;
    }
}
