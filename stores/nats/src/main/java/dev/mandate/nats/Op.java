package dev.mandate.nats;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.RecordKey;

/**
 * One operation on a key of the bucket. Turned into text only on failure: a string per renewal would cost too much.
 *
 * @param key what it is about, for messages; a listing reads many keys for one prefix
 * @param path the key in the bucket
 */
record Op(String doing, RecordKey key, String path, CallContext call) {
    /** Like "renewing election/x". */
    @Override
    public String toString() {
        return doing + ' ' + key;
    }
}
