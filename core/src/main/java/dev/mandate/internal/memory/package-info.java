/**
 * A store in memory: {@link dev.mandate.internal.memory.ModelStore}, the pure model of every kind of store that the
 * simulator drives, and the {@code memory:} store around it for users' tests.
 */
@NullMarked
package dev.mandate.internal.memory;

import org.jspecify.annotations.NullMarked;
