/**
 * {@code mandate bench}: measures what elections cost in a store, each figure beside the store's own floor from the
 * same run if there is one.
 *
 * <p>Every {@link dev.mandate.bench.Measurement} is a class; {@link dev.mandate.bench.Target} opens clients and
 * the store itself for them.
 */
@NullMarked
package dev.mandate.bench;

import org.jspecify.annotations.NullMarked;
