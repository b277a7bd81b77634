package dev.mandate.nats;

/** Whose turn it is where requests wait for each other. */
enum Lane {
    /** What keeps, takes or gives back a lead: first. */
    WRITES,
    /** What looks. */
    READS
}
