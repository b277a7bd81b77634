/** Callers that follow the leader: over HTTP, and over gRPC. */
@NullMarked
package dev.mandate.examples.discovery;

import org.jspecify.annotations.NullMarked;
