/**
 * A service registry: instances register, stay listed while they live, and vanish when they stop; callers list or watch
 * them. It shares the store, the leases and the session with the elections and needs no other server.
 *
 * <p><strong>What is not promised.</strong> A registry says who was there a moment ago. A listed instance may have died
 * since, and stays listed until its lease is over; an unlisted one that is cut off from the store may still serve. A
 * registration fences nothing.
 *
 * <p><strong>What is promised.</strong> One registrant at a time holds an id. A dead instance is gone within its lease
 * plus what its store adds. An instance that closes its registration is removed at once. While the store is away you
 * get the last list, with its age: a silent store never empties it.
 */
@NullMarked
package dev.mandate.registry;

import org.jspecify.annotations.NullMarked;
