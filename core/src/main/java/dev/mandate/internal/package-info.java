/** The thin runtime that drives the machines of the engine. Not for use from outside. */
@NullMarked
package dev.mandate.internal;

import org.jspecify.annotations.NullMarked;
