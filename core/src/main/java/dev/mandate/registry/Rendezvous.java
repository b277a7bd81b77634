package dev.mandate.registry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Highest random weight. Callers in every process and version must compute the same weight, so it never changes:
 * 64-bit FNV-1a over the UTF-16 units of key and id, low byte first, a zero unit after each, mixed by the
 * finalizer of MurmurHash3.
 */
final class Rendezvous {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private Rendezvous() {}

    /** The passing instance with the greatest weight; of equal weights, which do not occur in practice, the first. */
    static @Nullable RegisteredInstance pick(String key, List<RegisteredInstance> instances) {
        long start = hash(OFFSET, key);
        RegisteredInstance best = null;
        long most = 0;
        for (RegisteredInstance each : instances) {
            if (each.isPassing()) {
                long weight = mixed(hash(start, each.id()));
                if (best == null || Long.compareUnsigned(weight, most) > 0) {
                    best = each;
                    most = weight;
                }
            }
        }
        return best;
    }

    static long weight(String key, String id) {
        return mixed(hash(hash(OFFSET, key), id));
    }

    private static long hash(long from, String text) {
        long hash = from;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : 0;
            hash = (hash ^ c & 0xFF) * PRIME;
            hash = (hash ^ c >> 8) * PRIME;
        }
        return hash;
    }

    private static long mixed(long hash) {
        long h = hash;
        h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
        h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
        return h ^ h >>> 33;
    }
}
