/**
 * Classic bully and ring, as textbooks have them: the node that wins an election believes that it leads, the others
 * believe the winner, and nobody asks a register. This works as long as messages arrive in time and no node pauses; a
 * split or a pause causes two leaders. For demonstration only, see {@link dev.mandate.simulator.classic.Classic}: no
 * store and no client uses it.
 */
@NullMarked
package dev.mandate.simulator.classic;

import org.jspecify.annotations.NullMarked;
