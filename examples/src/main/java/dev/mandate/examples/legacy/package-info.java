/**
 * Several workers share a legacy table of events that knows nothing of them. Exactly one polls it and queues the work
 * in an outbox, guarded by its fencing token: late writes of a paused worker are rejected.
 */
@NullMarked
package dev.mandate.examples.legacy;

import org.jspecify.annotations.NullMarked;
