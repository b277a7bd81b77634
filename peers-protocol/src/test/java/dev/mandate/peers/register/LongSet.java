package dev.mandate.peers.register;

/** A set of hashes: eight bytes for each, and as many again. */
final class LongSet {
    private long[] slots = new long[1 << 16];
    private int size;

    /** Whether it was not in it. */
    boolean add(long hash) {
        long wanted = hash == 0 ? 1 : hash;
        int at = (int) wanted & slots.length - 1;
        while (slots[at] != 0) {
            if (slots[at] == wanted) {
                return false;
            }
            at = at + 1 & slots.length - 1;
        }
        slots[at] = wanted;
        if (++size * 2 > slots.length) {
            grow();
        }
        return true;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[old.length * 2];
        for (long each : old) {
            if (each != 0) {
                int at = (int) each & slots.length - 1;
                while (slots[at] != 0) {
                    at = at + 1 & slots.length - 1;
                }
                slots[at] = each;
            }
        }
    }

    int size() {
        return size;
    }

    /** Spreads bits: the finalizer of SplitMix64. */
    static long mix(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
