/**
 * Metrics: {@link dev.mandate.micrometer.MandateMetrics} registers what a client counts, and whether it leads, with a
 * registry of Micrometer. {@code docs/metrics.md} lists all meters.
 */
@NullMarked
package dev.mandate.micrometer;

import org.jspecify.annotations.NullMarked;
