/**
 * Who leads what, over HTTP: as JSON, as server-sent events and as a page; and a probe that tells a load balancer
 * whether this process leads.
 *
 * <p><strong>What is not promised.</strong> An answer says who led a moment ago; it says how old it is, and is 503 when
 * the store has not confirmed it for a lease. Nothing that is served fences anything: send the token with a request
 * where that matters. The server speaks HTTP without TLS: beyond loopback, put a proxy in front that adds it.
 *
 * <p>One follower serves all requests from memory: however many ask, the store is asked nothing more.
 */
@NullMarked
package dev.mandate.http;

import org.jspecify.annotations.NullMarked;
