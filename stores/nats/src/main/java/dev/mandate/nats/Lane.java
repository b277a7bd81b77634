package dev.mandate.nats;

/** Whose turn it is where requests wait for each other. */
enum Lane {
    /** What keeps, takes or gives back a lead. */
    WRITES,
    /** What looks: one in four of those that wait. */
    READS
}
