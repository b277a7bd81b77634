/**
 * {@code mandate doctor}: uses a store as an application would, with a scratch election, and reports what it found.
 *
 * <p>{@link dev.mandate.doctor.Examination} has the order of the findings; what only a store knows of its server comes
 * from that store's {@link dev.mandate.spi.Diagnosable}.
 */
@NullMarked
package dev.mandate.doctor;

import org.jspecify.annotations.NullMarked;
