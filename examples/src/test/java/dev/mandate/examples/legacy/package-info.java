@NullMarked
package dev.mandate.examples.legacy;

import org.jspecify.annotations.NullMarked;
