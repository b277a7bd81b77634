/**
 * Classic bully and ring, as textbooks have them: whoever wins an order, or hears of a winner, believes that it leads
 * or whom it follows, and no register is asked. It elects well as long as messages arrive in time and nobody pauses; a
 * split or a pause gives two leaders. To look at, and to count how often: nothing that leads for real can reach it.
 */
@NullMarked
package dev.mandate.peers.classic;

import org.jspecify.annotations.NullMarked;
