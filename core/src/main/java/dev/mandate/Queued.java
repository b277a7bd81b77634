package dev.mandate;

import java.time.Instant;

/**
 * A candidate that waits in the queue of an election, as the record of its place says.
 *
 * @param candidate its id for people; untrusted text: use {@link Leader#printable} before a terminal sees it
 * @param incarnation which client it is: 32 hexadecimal digits
 * @param since when it came by its own wall clock, for people only: the order does not depend on it
 */
public record Queued(String candidate, String incarnation, Instant since) {}
