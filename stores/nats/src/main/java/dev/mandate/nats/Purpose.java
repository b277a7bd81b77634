package dev.mandate.nats;

import dev.mandate.spi.RecordKey;

/** What a request is for. Turned into text only on failure: a string per request would cost too much. */
record Purpose(String doing, RecordKey key) {
    /** Like "renewing election/x". */
    @Override
    public String toString() {
        return doing + ' ' + key;
    }
}
