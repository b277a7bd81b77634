package dev.mandate.nats;

/** What ends the lease of a key that nobody renews. */
enum Expiring {
    /** The time to live of the bucket, the same for all its keys: all there is before 2.11, and what the recipe in Go builds on. */
    BUCKET,
    /** A time to live of the key's own, from 2.11.10 on. That of the bucket, which is longer, ends what was written without one. */
    KEY
}
