/** The file in which a voter keeps what must outlive it. */
@NullMarked
package dev.mandate.peers.state;

import org.jspecify.annotations.NullMarked;
