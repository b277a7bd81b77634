/**
 * Classic bully and ring, as textbooks have them: a node that wins the election believes that it leads, and the others
 * believe the winner; no register is asked. This works as long as messages arrive in time and no node pauses; a split or
 * a pause ends in two leaders. For demonstration only, see {@link dev.mandate.simulator.classic.Classic}: no store and no
 * client uses it.
 */
@NullMarked
package dev.mandate.simulator.classic;

import org.jspecify.annotations.NullMarked;
