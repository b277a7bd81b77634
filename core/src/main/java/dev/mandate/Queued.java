package dev.mandate;

import java.time.Instant;

/**
 * A candidate that waits in the queue of an election, according to the record of its place.
 *
 * @param candidate its id for people; untrusted text: pass it through {@link Leader#printable} before you print it
 * @param incarnation which client it is: 32 hexadecimal digits
 * @param since when it queued, by its own wall clock; for people only: the order does not depend on it
 */
public record Queued(String candidate, String incarnation, Instant since) {}
