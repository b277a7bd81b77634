/**
 * {@code mandate bench}: what elections cost in a store, each figure beside the store's own floor in the same run where there is one.
 *
 * <p>Every {@link dev.mandate.cli.bench.Measurement} is a class of its own; {@link dev.mandate.cli.bench.Target} opens clients, and the store
 * itself, for them.
 */
@NullMarked
package dev.mandate.cli.bench;

import org.jspecify.annotations.NullMarked;
