/**
 * Faults on demand for tests of your own code: open clients with {@code memory:orders}, and make the store slow, deaf
 * or dead with {@link dev.mandate.memory.MemoryFaults}.
 */
@NullMarked
package dev.mandate.memory;

import org.jspecify.annotations.NullMarked;
