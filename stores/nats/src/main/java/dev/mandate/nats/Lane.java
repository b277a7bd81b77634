package dev.mandate.nats;

/** The order in which queued requests are sent. */
enum Lane {
    /** Requests that acquire, renew or release: first. */
    WRITES,
    /** All other requests. */
    READS
}
