package dev.mandate.nats;

import dev.mandate.spi.RecordKey;

/** What a request is for, told only where it fails: a text for each would cost more than much of what is done with it. */
record Purpose(String doing, RecordKey key) {
    /** Like "renewing election/x". */
    @Override
    public String toString() {
        return doing + ' ' + key;
    }
}
