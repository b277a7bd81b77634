/** {@code mandate doctor}: uses a store as an application would, with a scratch election, and reports what it found. */
@NullMarked
package dev.mandate.doctor;

import org.jspecify.annotations.NullMarked;
