/**
 * Serves who leads what over HTTP: as JSON, as server-sent events and as a page. A probe tells a load balancer whether
 * this process leads.
 *
 * <p><strong>What is not promised.</strong> An answer says who led a moment ago; it says how old it is, and is 503 when
 * the store has not confirmed it for a lease. No answer fences anything: send the token with a request where that
 * matters. The server has no TLS: beyond loopback, put a TLS proxy in front.
 *
 * <p>One follower serves all requests from memory, so they cause no requests to the store. {@code Route} lists the
 * paths, {@code Json} writes the fields, {@code Streams} sends the events; the page is in {@code resources/…/page}.
 */
@NullMarked
package dev.mandate.http;

import org.jspecify.annotations.NullMarked;
