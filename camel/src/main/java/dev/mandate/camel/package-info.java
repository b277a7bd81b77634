/**
 * Leader election for Apache Camel: a {@link dev.mandate.camel.MandateClusterService} serves {@code master:} endpoints
 * and {@code ClusteredRoutePolicy} from every store of Mandate. {@code docs/camel.md} says what is promised.
 */
@NullMarked
package dev.mandate.camel;

import org.jspecify.annotations.NullMarked;
