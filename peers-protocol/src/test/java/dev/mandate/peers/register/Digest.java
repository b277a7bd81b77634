package dev.mandate.peers.register;

/** Mixes numbers, in their order, into one. */
final class Digest {
    private long value;

    /** Digests that begin with different numbers have nothing to do with each other. */
    Digest(long first) {
        value = first;
    }

    Digest add(long more) {
        value = LongSet.mix(value * 0x9E3779B97F4A7C15L + more);
        return this;
    }

    long value() {
        return value;
    }
}
