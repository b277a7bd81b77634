/** {@code mandate doctor}: uses a store as an application would, on an election that it makes up, and says what it found. */
@NullMarked
package dev.mandate.cli.doctor;

import org.jspecify.annotations.NullMarked;
