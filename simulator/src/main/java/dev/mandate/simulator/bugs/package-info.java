/**
 * Known mistakes, planted one at a time. Each edits the source text of the engine, the runtime, the model store or the
 * protocol of groups, and is compiled when it is planted, so production code carries no hooks. The simulator must find
 * every one.
 */
@NullMarked
package dev.mandate.simulator.bugs;

import org.jspecify.annotations.NullMarked;
