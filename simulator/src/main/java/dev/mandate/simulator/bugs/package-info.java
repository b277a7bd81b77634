/**
 * Known mistakes, planted one at a time. Each is an edit of the engine's, or the model store's, own source text, compiled when it is planted,
 * so that production code carries no hooks. The simulator has to find every one.
 */
@NullMarked
package dev.mandate.simulator.bugs;

import org.jspecify.annotations.NullMarked;
