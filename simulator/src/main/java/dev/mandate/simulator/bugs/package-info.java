/**
 * Known mistakes, planted one at a time. Each edits the source text of the engine or of the model store and is compiled
 * when it is planted, so production code carries no hooks. The simulator must find every one.
 */
@NullMarked
package dev.mandate.simulator.bugs;

import org.jspecify.annotations.NullMarked;
