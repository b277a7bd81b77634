/**
 * A service registry: instances of a service register, stay listed while they live, and vanish when they stop;
 * callers list or watch them. It uses the store, the leases and the session of the elections, and needs no
 * server besides.
 *
 * <p><strong>What is not promised.</strong> A registry says who was there a moment ago. An instance that is listed may
 * have died since, and is listed until its lease is over; one that was cut off from the store may still serve. A
 * registration fences nothing.
 *
 * <p><strong>What is promised.</strong> An id is held by one registrant at a time. An instance that died is gone within
 * its lease and what its store adds to that; one that closed its registration is removed at once. While the store is
 * away the last list is given, with its age: never an empty one for want of an answer.
 */
@NullMarked
package dev.mandate.registry;

import org.jspecify.annotations.NullMarked;
