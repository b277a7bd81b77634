package dev.mandate.nats;

/** What ends the lease of a key that nobody renews. */
enum Expiring {
    /** The bucket's time to live, equal for all keys: the only one before 2.11, and the one that the Go recipe uses. */
    BUCKET,
    /** The key's own time to live, from 2.11.10 on. Keys without one live as long as the bucket's longer one says. */
    KEY
}
